// Forward declarations. For interfaces, valuetypes, structs and unions alike, the forward
// declaration makes the node that the definition fills in later.
#pragma once

#include "idlc/frontend/context.h"

namespace perigee::idlc {

/// The node with that kind and name in the current scope, or null. Ignores names that are declared
/// elsewhere and only used here, and nodes that stand for components.
template <typename T>
T* declared_node(Context& context, const Identifier& identifier) {
  const Symbol* known = context.scopes.current().find_exact(identifier.name);
  const bool is_other =
      known == nullptr || known->is_use || context.stand_ins.contains(known->declaration);
  return is_other ? nullptr : as<T>(known->declaration);
}

/// Reports a repeated declaration whose prefix of repository ids differs. Declarations of orb.idl
/// are exempt, and keep their ids: files of other ORBs may repeat them without the prefix omg.org.
inline void check_prefix_again(Context& context, const Declaration& declared,
                               const Identifier& identifier) {
  if (declared.location.file->is_builtin) return;
  context.ids.check_declared_again(declared, identifier.location);
}

/// The declaration `kind T;`. `prepare` fills in a new node.
template <typename T, typename Prepare>
Declaration* declare_forward(Context& context, const Identifier& identifier,
                             Annotations annotations, Prepare prepare) {
  T* declared = declared_node<T>(context, identifier);
  Forward& forward = context.model.make<Forward>();
  describe_declaration(context, forward, identifier);
  forward.annotations = std::move(annotations);
  if (declared == nullptr) {
    declared = &context.model.make<T>();
    describe_declaration(context, *declared, identifier);
    prepare(*declared);
    context.scopes.declare(identifier, declared, to_text(T::kind_of));
    context.forwards.emplace_back(declared, identifier.location);
  } else {
    check_prefix_again(context, *declared, identifier);
  }
  forward.declared = declared;
  context.ids.share(forward, *declared);
  context.contents->push_back(&forward);
  return &forward;
}

template <typename T>
Declaration* declare_forward(Context& context, const Identifier& identifier,
                             Annotations annotations) {
  return declare_forward<T>(context, identifier, std::move(annotations), [](T&) {});
}

/// The node of a definition: the node of an earlier forward declaration, or a new node.
template <typename T>
T& define_node(Context& context, const Identifier& identifier, Annotations annotations) {
  T* forward = declared_node<T>(context, identifier);
  if (forward == nullptr || forward->is_defined) {
    return declare<T>(context, identifier, std::move(annotations));
  }
  check_prefix_again(context, *forward, identifier);
  // If a file defines an interface of orb.idl, the definition counts as the file's own: a second
  // definition is an error.
  if (forward->location.file->is_builtin)
    context.scopes.current().insert(
        {identifier.name, identifier.location, forward, to_text(T::kind_of), false});
  forward->location = identifier.location;
  set_unit(context, *forward);
  forward->annotations = std::move(annotations);
  context.contents->push_back(forward);
  return *forward;
}

}  // namespace perigee::idlc
