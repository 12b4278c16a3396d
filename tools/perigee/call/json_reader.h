// Converts values of JSON to values of CORBA, in anys.
#pragma once

#include "call/interfaces.h"
#include "call/json_error.h"
#include <perigee/dynamic/dynamic_any.h>
#include <perigee/orb/any.h>
#include <perigee/orb/orb.h>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace perigee::tool {

/// docs/call.md lists the JSON of each type. Not thread-safe.
class JsonReader {
 public:
  /// `types` finds the types that the JSON names, in anys and TypeCodes. Both must outlive the
  /// reader.
  JsonReader(const CORBA::object_reference<CORBA::ORB>& orb, Interfaces& types);

  /// `name` begins the path in the texts of errors. Throws JsonError.
  CORBA::Any read(const nlohmann::ordered_json& value, const TypeCodeRef& type,
                  const std::string& name);

 private:
  using DynAnyRef = DynamicAny::DynAnyRef;
  using Json = nlohmann::ordered_json;

  void fill(const DynAnyRef& place, const Json& value, JsonPath& path);
  void fill_basic(DynamicAny::DynAny& place, const CORBA::TypeCode& type, const Json& value,
                  JsonPath& path);
  void fill_struct(DynamicAny::DynMembers& place, const Json& value, JsonPath& path);
  void fill_union(DynamicAny::DynUnion& place, const CORBA::TypeCode& type, const Json& value,
                  JsonPath& path);
  void select_by_name(DynamicAny::DynUnion& place, const CORBA::TypeCode& type,
                      const std::string& member, JsonPath& path);
  void fill_sequence(DynamicAny::DynSequence& place, const CORBA::TypeCode& type, const Json& value,
                     JsonPath& path);
  void fill_array(DynamicAny::DynArray& place, const CORBA::TypeCode& type, const Json& value,
                  JsonPath& path);
  void fill_elements(DynamicAny::DynElements& place, const Json& value, JsonPath& path);
  void fill_value(DynamicAny::DynValue& place, const Json& value, JsonPath& path);
  void fill_box(DynamicAny::DynValueBox& place, const Json& value, JsonPath& path);
  CORBA::Any any_of(const Json& value, JsonPath& path);
  CORBA::object_reference<CORBA::Object> reference_of(const Json& value, JsonPath& path);

  CORBA::object_reference<CORBA::ORB> orb_;
  CORBA::object_reference<DynamicAny::DynAnyFactory> factory_;
  Interfaces& types_;
};

}  // namespace perigee::tool
