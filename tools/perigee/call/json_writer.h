// Writes CORBA values as JSON.
#pragma once

#include "call/json_error.h"
#include <perigee/dynamic/dynamic_any.h>
#include <perigee/orb/any.h>
#include <perigee/orb/orb.h>

#include <nlohmann/json.hpp>

#include <string>

namespace perigee::tool {

/// JsonReader can read this JSON if its IDL has the types. Not thread-safe.
class JsonWriter {
 public:
  explicit JsonWriter(const CORBA::object_reference<CORBA::ORB>& orb);

  /// `name` begins the path in the texts of errors. Throws JsonError for types without JSON, values
  /// in cycles, and values that are nested too deep.
  nlohmann::ordered_json write(const CORBA::Any& value, const std::string& name);

 private:
  using DynAnyRef = DynamicAny::DynAnyRef;

  nlohmann::ordered_json json_of(const DynAnyRef& value, JsonPath& path);
  nlohmann::ordered_json json_of_basic(DynamicAny::DynAny& value, const CORBA::TypeCode& type,
                                       JsonPath& path);
  nlohmann::ordered_json json_of_members(DynamicAny::DynMembers& value, JsonPath& path);
  nlohmann::ordered_json json_of_union(DynamicAny::DynUnion& value, JsonPath& path);
  nlohmann::ordered_json json_of_elements(DynamicAny::DynElements& value,
                                          const CORBA::TypeCode& type, JsonPath& path);
  nlohmann::ordered_json json_of_any(const CORBA::Any& value, JsonPath& path);
  nlohmann::ordered_json json_of_reference(
      const CORBA::object_reference<CORBA::Object>& object) const;

  CORBA::object_reference<CORBA::ORB> orb_;
  CORBA::object_reference<DynamicAny::DynAnyFactory> factory_;
};

}  // namespace perigee::tool
