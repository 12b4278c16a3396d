// Writes the bodies of definitions: members, operations, attributes.
#pragma once

#include "remote/description.h"
#include "remote/idl_output.h"
#include "remote/idl_places.h"
#include "remote/type_text.h"

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace perigee::tool {

/// One thread. All references outlive it.
class IdlMembers {
 public:
  IdlMembers(const CORBA::object_reference<CORBA::ORB>& orb, const Description& description,
             const IdlPlaces& places, TypeText& types)
      : orb_(orb), description_(description), places_(places), types_(types) {}

  /// "abstract interface", "valuetype", "struct".
  [[nodiscard]] static std::string introducer(const cdr::TypeNode& node);
  /// The ids of the definitions after ":" and `supports`.
  [[nodiscard]] std::vector<std::string> inherited(const Described& described) const;
  /// Calls `use` for the types of operations, attributes, constants and initializers.
  void for_each_type(const Described& described,
                     const std::function<void(const cdr::TypeNode&)>& use) const;
  /// Writes a typedef for a sequence, an array or a fixed type, because the types of parameters
  /// need names.
  void name_template(const cdr::TypeNode& type, IdlOutput& output);

  /// Writes a type that is not an interface or a valuetype.
  void write_type(const cdr::TypeNode& node, const std::string& name, IdlOutput& output);
  /// Writes the head of an interface or a valuetype. The caller then writes the types inside it.
  void begin(const Described& described, IdlOutput& output);
  /// Writes the rest of the body, and its end.
  void end(const Described& described, IdlOutput& output);

 private:
  [[nodiscard]] std::string scoped(const std::string& id) const { return places_.scoped_name(id); }
  [[nodiscard]] std::string type_of(const CORBA::object_reference<CORBA::TypeCode>& type);
  [[nodiscard]] std::vector<std::string> described_bases(const Described& described) const;
  /// The bases at all levels.
  [[nodiscard]] std::set<std::string> ancestors(const Described& described) const;
  [[nodiscard]] std::string heritage(const Described& described) const;
  [[nodiscard]] std::string raises(const char* word, const CORBA::ExcDescriptionSeq& exceptions);
  [[nodiscard]] std::string operation(const CORBA::OperationDescription& operation);
  [[nodiscard]] std::string attribute(const CORBA::ExtAttributeDescription& attribute);
  [[nodiscard]] std::string initializer(const CORBA::ExtInitializer& initializer);
  void write_members(const cdr::TypeNode& node, IdlOutput& output);
  void write_union(const cdr::TypeNode& node, const std::string& name, IdlOutput& output);
  void write_enum(const cdr::TypeNode& node, const std::string& name, IdlOutput& output);
  void write_state(const cdr::TypeNode& node, IdlOutput& output);

  const CORBA::object_reference<CORBA::ORB>& orb_;
  const Description& description_;
  const IdlPlaces& places_;
  TypeText& types_;
  std::size_t unnamed_count_ = 0;
  std::map<const cdr::TypeNode*, std::string> typedefs_;
};

}  // namespace perigee::tool
