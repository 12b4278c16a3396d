// Rules about whole declarations, checked when a declaration is complete.
#pragma once

#include "idlc/frontend/context.h"

#include <optional>

namespace perigee::idlc {

/// The rules about the bases of one interface. Each inherited interface is checked once, even if
/// several paths lead to it.
class BaseChecks final {
 public:
  BaseChecks(Context& context, const Interface& interface)
      : context_(context), interface_(interface) {}

  /// Checks a base, and reports errors: no operation or attribute may be inherited from two
  /// interfaces, only a local interface may have a local base, and an abstract interface may have
  /// only abstract bases. False if `base` cannot be a base at all.
  bool accepts(const ScopedName& written, const Interface& base);

 private:
  bool is_usable(const ScopedName& written, const Interface& base);
  void check_words(Location location, const Interface& base);
  void add_operations(Location location, const Interface& from);

  Context& context_;
  const Interface& interface_;
  std::set<const Interface*> direct_;
  std::set<const Interface*> all_;
  std::map<std::string, const Declaration*> operations_;  ///< inherited, by lower case
};

/// Checks that the labels of one union are distinct, and that its default label can be reached.
class LabelChecks final {
 public:
  explicit LabelChecks(Context& context) : context_(context) {}

  void add(const Value& label, Location location);
  void add_default(Location location);
  /// Sets `has_implicit_default`. Reports a default label that cannot be reached, because the
  /// labels cover every value.
  void finish(Union& declaration);

 private:
  Context& context_;
  std::map<std::string, Location> labels_;
  std::optional<Location> default_;
};

/// Registers the depth of a type: one more than the depth of its parts and bases, `inner_depth`.
/// The back ends walk through types by recursion, so the depth has a limit.
void limit_depth(Context& context, const Declaration& declaration, std::size_t inner_depth);
/// Marks `declaration` as local if `part` is local: the type of a member, or of a typedef.
void note_local(Context& context, const Declaration& declaration, const Type& part);
/// Only local interfaces may use local types. CORBA 3.0, 3.8.6.
void check_local(Context& context, const Operation& operation);
void check_local(Context& context, const Attribute& attribute);
/// A oneway operation must have no result, no out parameters and no exceptions.
void check_oneway(Context& context, const Operation& operation, Location keyword);
/// A member must not contain an incomplete struct or union by value. Only members of structs and
/// unions may contain a sequence of an incomplete type. CORBA 3.0, 3.11.2.3.
void check_member(Context& context, const Type& type, Location location);
/// The base of a struct must not contain a sequence of an incomplete type.
void check_struct_base(Context& context, const Struct& base, Location location);
/// The type of a parameter, result or attribute must not contain an incomplete type.
void check_complete(Context& context, const Type& type, Location location);
/// A typedef may name a sequence of an incomplete type, but not the incomplete type itself.
void check_alias(Context& context, const Type& type, Location location);
/// -Wanonymous-types: the type of a member or element has no name.
void warn_of_anonymous(Context& context, const Type& type, Location location);
/// -Wunused-include. Call at the end.
void check_includes(Context& context);
/// Every forward declaration must have a definition.
void check_forwards(Context& context);

}  // namespace perigee::idlc
