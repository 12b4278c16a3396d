// The declarations for asynchronous servants, by the rules of section 2 of the paper that implied.h
// names. One difference: here the response handler of a derived interface inherits the operations
// of its bases' handlers. In the paper each handler has only the operations of its own interface.
#include "idlc/implied/maker.h"

#include <map>

namespace perigee::idlc {
namespace {

class AmhMaker final {
 public:
  AmhMaker(Maker& maker, bool all) : maker_(maker), all_(all) {}

  Amh make(const Interface& origin) {
    Made made = make_nodes(origin);
    for (const Interface* base : concrete_bases(origin)) {
      made.skeleton->bases.push_back(made_.at(base).skeleton);
      made.handler->bases.push_back(made_.at(base).handler);
    }
    made_[&origin] = made;
    Amh amh{&origin, made.skeleton, made.handler, made.holder, {}};
    const bool whole = all_ || origin.annotation("perigee::amh") != nullptr;
    const Type& handler_type = maker_.type_of(*made.handler, TypeKind::interface);
    const Type& holder_type = maker_.type_of(*made.holder, TypeKind::value_type);
    const std::vector<Call> calls = calls_of(origin, maker_.void_type(), Joined::inherit);
    const std::vector<std::string> names = maker_.names_in(*made.handler, calls, "amh_");
    for (std::size_t index = 0; index < calls.size(); ++index) {
      const Call& call = calls[index];
      const std::string& name = names[index];
      if (!whole && call.origin->annotation("perigee::amh") == nullptr) {
        add(amh, ImpliedRole::synchronous, call, synchronous(*made.skeleton, name, call));
        continue;
      }
      add(amh, ImpliedRole::request, call, request(*made.skeleton, name, call, handler_type));
      add(amh, ImpliedRole::answer, call,
          maker_.results(*made.handler, name, call, {"return_value", "amh_"}));
      add(amh, ImpliedRole::answer_exception, call,
          maker_.exception(*made.handler, {name, "amh_"}, call,
                           {{"holder", "amh_"}, &holder_type}));
      add(amh, ImpliedRole::raise, call, raise(*made.holder, name, call));
    }
    return amh;
  }

 private:
  struct Made {
    Interface* skeleton = nullptr;
    Interface* handler = nullptr;
    ValueType* holder = nullptr;
  };

  Made make_nodes(const Interface& origin) {
    const auto name = [&](const std::string& suffix) {
      return maker_.names().take(scope_of(origin), "AMH_", "AMH_", origin.name + suffix);
    };
    const Made made{&maker_.interface(origin, name("")),
                    &maker_.interface(origin, name("ResponseHandler")),
                    &maker_.value_type(origin, name("ExceptionHolder"))};
    made.skeleton->is_local = true;
    made.handler->is_local = true;
    return made;
  }

  static void add(Amh& amh, ImpliedRole role, const Call& call, const Operation& node) {
    amh.operations.push_back({role, call.half, call.origin, &node});
  }

  Operation& synchronous(Interface& skeleton, const std::string& name, const Call& call) {
    Operation& node = maker_.operation(skeleton, name, call);
    node.is_oneway = call.is_oneway;
    node.return_type = call.return_type;
    node.parameters = call.parameters;
    node.raises = call.raises;
    node.contexts = call.contexts;
    skeleton.contents.push_back(&node);
    return node;
  }

  Operation& request(Interface& skeleton, const std::string& name, const Call& call,
                     const Type& handler_type) {
    Operation& node = maker_.operation(skeleton, name, call);
    node.parameters.push_back(in_parameter({"handler", "amh_"}, call, handler_type));
    append_inputs(call, node.parameters);
    node.contexts = call.contexts;
    skeleton.contents.push_back(&node);
    return node;
  }

  Operation& raise(ValueType& holder, const std::string& name, const Call& call) {
    Operation& node = maker_.operation(holder, "raise_" + name, call);
    node.raises = call.raises;
    holder.contents.push_back(&node);
    return node;
  }

  Maker& maker_;
  const bool all_;
  std::map<const Interface*, Made> made_;
};

}  // namespace

std::vector<Amh> imply_amh(Maker& maker, const std::vector<const Interface*>& interfaces,
                           bool all) {
  AmhMaker amh(maker, all);
  std::vector<Amh> result;
  for (const Interface* each : interfaces) result.push_back(amh.make(*each));
  return result;
}

}  // namespace perigee::idlc
