// Orders the definitions. An interface or a valuetype that is only used as a type is declared
// forward, and so is a struct or a union that contains itself.
#include "remote/idl_text.h"

#include "remote/idl_members.h"
#include "remote/idl_output.h"
#include "remote/idl_places.h"
#include "remote/type_text.h"
#include <perigee/base/printable.h>

#include <map>
#include <set>
#include <utility>

namespace perigee::tool {

namespace {

using cdr::TypeNode;
using Kind = cdr::TypeKind;

/// A sequence may have elements of a type that is only declared.
enum class Needs { declaration, definition };

/// Calls `use` for each definition with a name in the type.
template <typename Use>
void for_each_named(const TypeNode& node, const Use& use, Needs needs = Needs::definition) {
  if (!node.id.empty() && node.kind != Kind::tk_TypeCode) return use(node, needs);
  if (node.kind == Kind::tk_sequence) needs = Needs::declaration;
  if (node.content != nullptr) for_each_named(*node.content, use, needs);
}

/// Calls `use` for each definition that the text of the type itself names.
template <typename Use>
void for_each_part(const TypeNode& node, const Use& use) {
  if (node.content != nullptr) for_each_named(*node.content, use);
  for (const cdr::TypeMember& member : node.members)
    if (member.type != nullptr) for_each_named(*member.type, use);
}

class IdlWriter {
 public:
  IdlWriter(const CORBA::object_reference<CORBA::ORB>& orb, const Description& description)
      : description_(description),
        places_(description),
        types_([this](const TypeNode& type) { return places_.scoped_name(type.id); }),
        members_(orb, description, places_, types_) {}

  std::string write() {
    for (const std::string& id : description_.order()) emit(id);
    const std::string text = comment() + output_.take();
    return includes_orb_idl_ || types_.uses_orb_idl() ? "#include <orb.idl>\n\n" + text : text;
  }

 private:
  /// A comment that says which definitions are missing; empty if the description is complete.
  [[nodiscard]] std::string comment() const {
    if (description_.is_complete()) return {};
    return "// The server does not name its Interface Repository. The bases of the interface, and "
           "the contents of\n// other interfaces and of valuetypes, are missing.\n";
  }

  enum class State { none, waiting, repeated, open, done };

  void emit(const std::string& id) {
    const IdlPlace& place = places_.of(id);
    if (place.is_included) includes_orb_idl_ = true;
    State& state = states_[id];
    if (place.is_included || state == State::done) return;
    if (!place.container.empty() && place.container != open_container_) {
      emit(place.container);
      if (state != State::done) throw_cycle(id);
      return;
    }
    // While a type waits for the types that it uses, one of them may need the type itself. The
    // type is then written at once, since all other types are declared.
    if (state != State::none && state != State::waiting) throw_cycle(id);
    state = state == State::none ? State::waiting : State::repeated;
    const Described& described = *description_.find(id);
    require_used(described);
    if (state == State::done) return;
    state = State::open;
    write_definition(described, place);
    state = State::done;
  }

  [[noreturn]] static void throw_cycle(const std::string& id) {
    throw DescriptionError("the definition of " + printable(id) +
                           " in the Interface Repository depends on itself");
  }

  void require_used(const Described& described) {
    const auto require_part = [&](const TypeNode& part, Needs needs) {
      require(part, described.id, needs);
    };
    for_each_part(*described.node, require_part);
    if (is_container(*described.node)) {
      for (const std::string& id : nested_in(described.id))
        for_each_part(*description_.find(id)->node, require_part);
      for (const std::string& base : members_.inherited(described)) emit(base);
      members_.for_each_type(described, [&](const TypeNode& type) {
        members_.name_template(type, output_);
        for_each_named(type, require_part);
      });
    }
  }

  /// Writes the definition before its use by `user`, or declares it.
  void require(const TypeNode& node, const std::string& user, Needs needs) {
    const std::string id(node.id);
    if (description_.find(id) == nullptr || id == open_container_)
      return;  // predefined, or being written
    const IdlPlace& place = places_.of(id);
    if (!place.container.empty() && place.container == user) return;  // its body has the type
    const State state = states_[id];
    if (place.is_included || state == State::done) return emit(id);
    const bool is_aggregate = node.kind == Kind::tk_struct || node.kind == Kind::tk_union;
    const bool is_declarable =
        is_container(node) || (is_aggregate && state != State::none && needs == Needs::declaration);
    if (!is_declarable) return emit(id);
    if (id == user && is_container(node)) return;
    if (state != State::open && declared_.insert(id).second) write_forward(node, place);
  }

  static bool is_container(const TypeNode& node) {
    return is_interface(node) || node.kind == Kind::tk_value;
  }

  std::vector<std::string> nested_in(const std::string& container) const {
    std::vector<std::string> nested;
    for (const std::string& id : description_.order())
      if (places_.of(id).container == container) nested.push_back(id);
    return nested;
  }

  void enter(const Described& described, const IdlPlace& place) {
    if (place.container.empty()) output_.enter(place.modules, places_.prefix_for(described.id));
  }

  void write_forward(const TypeNode& node, const IdlPlace& place) {
    const Described& described = *description_.find(node.id);
    enter(described, place);
    output_.line(IdlMembers::introducer(node) + ' ' + escaped(place.name) + ';');
    write_id(described, place);
  }

  /// Only the first declaration of a definition gets a `#pragma ID`.
  void write_id(const Described& described, const IdlPlace& place) {
    if (places_.default_id(described.id, output_.prefix()) == described.id) return;
    if (with_id_.insert(described.id).second)
      output_.directive("#pragma ID " + escaped(place.name) + ' ' + quoted(described.id));
  }

  void write_definition(const Described& described, const IdlPlace& place) {
    enter(described, place);
    if (is_container(*described.node)) {
      const auto nested = nested_in(described.id);
      members_.begin(described, output_);
      open_container_ = described.id;
      for (const std::string& id : nested) emit(id);
      open_container_.clear();
      members_.end(described, output_);
    } else {
      members_.write_type(*described.node, place.name, output_);
    }
    write_id(described, place);
  }

  const Description& description_;
  const IdlPlaces places_;
  TypeText types_;
  IdlMembers members_;
  IdlOutput output_;
  std::map<std::string, State> states_;
  std::set<std::string> declared_;  // ids with a forward declaration
  std::set<std::string> with_id_;
  std::string open_container_;
  bool includes_orb_idl_ = false;
};

}  // namespace

std::string idl_text(const CORBA::object_reference<CORBA::ORB>& orb,
                     const Description& description) {
  return IdlWriter(orb, description).write();
}

}  // namespace perigee::tool
