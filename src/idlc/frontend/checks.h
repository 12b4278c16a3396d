// Rules about whole declarations, checked when one is complete.
#pragma once

#include "idlc/frontend/context.h"

#include <optional>

namespace perigee::idlc {

/// The rules about the bases of one interface. Each inherited interface is looked at once, however
/// many ways lead to it.
class BaseChecks final {
 public:
  BaseChecks(Context& context, const Interface& interface)
      : context_(context), interface_(interface) {}

  /// No operation or attribute is inherited from two interfaces, local and abstract fit together.
  /// False after a report about what cannot be a base at all.
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

/// The labels of one union are distinct.
class LabelChecks final {
 public:
  explicit LabelChecks(Context& context) : context_(context) {}

  void add(const Value& label, Location location);
  void add_default(Location location);
  /// Finds out whether there is an implicit default, or an explicit one that cannot be reached.
  void finish(Union& declaration);

 private:
  Context& context_;
  std::map<std::string, Location> labels_;
  std::optional<Location> default_;
};

/// Remembers that `declaration` is local if its `part` is: a member's type, what a typedef names.
void note_local(Context& context, const Declaration& declaration, const Type& part);
/// Only local interfaces use local types. CORBA 3.0, 3.8.6.
void check_local(Context& context, const Operation& operation);
void check_local(Context& context, const Attribute& attribute);
/// A oneway operation has no result, no out parameters and no exceptions.
void check_oneway(Context& context, const Operation& operation, Location keyword);
/// A member of the type is possible: it contains no struct or union by value that is not complete,
/// and sequences of such a one only inside its own definition. CORBA 3.0, 3.11.2.3.
void check_member(Context& context, const Type& type, Location location);
/// A parameter, result or attribute of the type is possible: nothing in it waits for its
/// definition.
void check_complete(Context& context, const Type& type, Location location);
/// A typedef of the type is possible: sequences of what is not defined yet are, itself is not.
void check_alias(Context& context, const Type& type, Location location);
/// -Wanonymous-types: the type of a member or element has no name.
void warn_of_anonymous(Context& context, const Type& type, Location location);
/// -Wunused-include. Call at the end.
void check_includes(Context& context);
/// What was declared forward is defined somewhere.
void check_forwards(Context& context);

}  // namespace perigee::idlc
