// Collects the operations of all interfaces by name, because requests do not carry their interface.
#include "bridge_idl.h"

#include "bridge_types.h"
#include "idl_nodes.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace perigee::tool {

using bridge::OperationTypes;
using cdr::TypeNode;
using idlc::as;

namespace {

using Types = std::vector<const TypeNode*>;

/// An error in the IDL files, as a text for the user.
struct Mistake {
  std::string text;
};

bool are_equivalent(const Types& first, const Types& second) {
  return std::ranges::equal(first, second, [](const TypeNode* one, const TypeNode* other) {
    return cdr::equivalent(*one, *other);
  });
}

class PlanMaker {
 public:
  explicit PlanMaker(const bridge::AccessRules& rules) : rules_(rules) {}

  /// Throws Mistake.
  void add(const idlc::Model& model) {
    types_.use(model);
    add(model.definitions);
  }

  [[nodiscard]] bridge::RewritingPlan finish() {
    bridge::RewritingPlan plan;
    for (auto& [name, known] : known_) {
      if (!known.in.has_reference) known.in.types.clear();
      if (!known.out.has_reference) known.out.types.clear();
      if (known.in.has_reference || known.out.has_reference)
        plan.operations.emplace(
            name, OperationTypes{std::move(known.in.types), std::move(known.out.types)});
    }
    for (const auto& [id, known] : exceptions_)
      if (known.has_reference) plan.exceptions.emplace(id, known.types.front());
    add_implicit(plan);
    plan.nodes = types_.owner();
    return plan;
  }

 private:
  struct Body {
    Types types;
    bool has_reference = false;
  };
  /// An operation or an attribute, seen from the wire.
  struct Known {
    Body in;
    Body out;
    std::string name;   // "::Bank::Teller::open"
    std::string place;  // "bank.idl:7:11: "
  };

  void add(const idlc::Declarations& declarations) {
    for (const idlc::Declaration* const declaration : declarations) {
      if (const auto* const module = as<idlc::Module>(declaration)) add(module->contents);
      if (const auto* const interface = as<idlc::Interface>(declaration);
          interface != nullptr && !interface->is_local)
        add_members(interface->contents);
    }
  }

  void add_members(const idlc::Declarations& members) {
    for (const idlc::Declaration* const member : members) {
      if (const auto* const operation = as<idlc::Operation>(member)) add(*operation);
      if (const auto* const attribute = as<idlc::Attribute>(member)) add(*attribute);
    }
  }

  void add(const idlc::Operation& operation) {
    if (!rules_.allows_operation(operation.name)) return;
    Types in;
    Types out;
    if (operation.return_type->kind != idlc::TypeKind::void_type)
      out.push_back(&types_.node_of(*operation.return_type));
    for (const idlc::Parameter& parameter : operation.parameters) {
      const TypeNode& type = types_.node_of(*parameter.type);
      if (parameter.direction != idlc::Direction::out) in.push_back(&type);
      if (parameter.direction != idlc::Direction::in) out.push_back(&type);
    }
    // CORBA 3.0, 15.4.2: names and values of the context follow the arguments.
    if (!operation.contexts.empty()) in.push_back(&types_.sequence_of(cdr::string_node<>));
    add(operation, operation.name, std::move(in), std::move(out));
    for (const idlc::Exception* const each : operation.raises) add(*each);
  }

  void add(const idlc::Attribute& attribute) {
    const TypeNode& type = types_.node_of(*attribute.type);
    if (const std::string name = "_get_" + attribute.name; rules_.allows_operation(name)) {
      add(attribute, name, {}, {&type});
      for (const idlc::Exception* const each : attribute.get_raises) add(*each);
    }
    const std::string name = "_set_" + attribute.name;
    if (attribute.is_readonly || !rules_.allows_operation(name)) return;
    add(attribute, name, {&type}, {});
    for (const idlc::Exception* const each : attribute.set_raises) add(*each);
  }

  void add(const idlc::Declaration& declared, const std::string& name, Types in, Types out) {
    Known added{body_of(declared, name, std::move(in)), body_of(declared, name, std::move(out)),
                declared.scoped_name, place_of(declared.location)};
    const auto [place, is_new] = known_.try_emplace(name, added);
    if (is_new) return;
    Known& known = place->second;
    check_same(known.in, added.in, known, added, name);
    check_same(known.out, added.out, known, added, name);
  }

  Body body_of(const idlc::Declaration& declared, const std::string& name, Types types) {
    const BridgeTypes::Contents contents = types_.contents_of(types);
    if (contents.has_reference && !contents.unreadable.empty())
      throw Mistake{place_of(declared.location) + "the bridge cannot rewrite the references in " +
                    declared.scoped_name + ", because it does not read " + contents.unreadable +
                    "; take the operation out of the IDL, or refuse it with --deny-operation " +
                    name};
    return {std::move(types), contents.has_reference};
  }

  static void check_same(const Body& known_body, const Body& added_body, const Known& known,
                         const Known& added, const std::string& name) {
    if (!known_body.has_reference && !added_body.has_reference) return;
    if (are_equivalent(known_body.types, added_body.types)) return;
    throw Mistake{added.place + added.name + " and " + known.name + " (" +
                  known.place.substr(0, known.place.size() - 2) +
                  ") have the same name, but different types, and a request does not say which "
                  "of them it calls; give --idl only one of the interfaces, or refuse the "
                  "operation with --deny-operation " +
                  name};
  }

  void add(const idlc::Exception& exception) {
    const Types types{&types_.node_of(exception)};
    const BridgeTypes::Contents contents = types_.contents_of(types);
    if (contents.has_reference && !contents.unreadable.empty())
      throw Mistake{place_of(exception.location) + "the bridge cannot rewrite the references in " +
                    exception.scoped_name + ", because it does not read " + contents.unreadable +
                    "; take the exception out of the IDL"};
    const Body added{types, contents.has_reference};
    const auto [place, is_new] = exceptions_.try_emplace(exception.repository_id, added);
    const bool is_unread = !added.has_reference && !place->second.has_reference;
    if (is_new || is_unread || are_equivalent(place->second.types, types)) return;
    throw Mistake{place_of(exception.location) + exception.scoped_name + " has the repository id " +
                  exception.repository_id +
                  ", like another exception of the IDL with other members; change one of them"};
  }

  /// The operations of CORBA::Object that return references.
  void add_implicit(bridge::RewritingPlan& plan) {
    const Types one{&cdr::object_node};
    plan.operations.try_emplace("_interface", OperationTypes{{}, one});
    plan.operations.try_emplace("_component", OperationTypes{{}, one});
    plan.operations.try_emplace("_domain_managers",
                                OperationTypes{{}, {&types_.sequence_of(cdr::object_node)}});
  }

  const bridge::AccessRules& rules_;
  BridgeTypes types_;
  std::map<std::string, Known> known_;
  std::map<std::string, Body> exceptions_;
};

}  // namespace

std::expected<bridge::RewritingPlan, std::string> read_idl(const IdlFiles& idl,
                                                           const bridge::AccessRules& rules,
                                                           idlc::FileProvider& files) try {
  if (idl.files.empty()) return bridge::RewritingPlan{};
  PlanMaker maker(rules);
  for (const std::string& file : idl.files) {
    const auto model = read_model(file, idl, files);
    if (!model) return std::unexpected(model.error());
    maker.add(**model);
  }
  return maker.finish();
} catch (const Mistake& mistake) {
  return std::unexpected(mistake.text);
}

}  // namespace perigee::tool
