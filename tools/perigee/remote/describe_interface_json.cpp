// Writes the operations and attributes of an interface as JSON. The JSON gives only the
// repository id or the name of a type: the definition is in the field `idl`.
#include "remote/describe_interface_json.h"

#include "call/interfaces.h"

namespace perigee::tool {

namespace {

using nlohmann::json;

json ids_of(const CORBA::ExcDescriptionSeq& exceptions) {
  json ids = json::array();
  for (const auto& each : exceptions) ids.push_back(each.id());
  return ids;
}

const char* direction_of(CORBA::ParameterMode mode) {
  return mode == CORBA::ParameterMode::PARAM_IN    ? "in"
         : mode == CORBA::ParameterMode::PARAM_OUT ? "out"
                                                   : "inout";
}

json json_of(const CORBA::OperationDescription& operation) {
  json parameters = json::array();
  for (const auto& each : operation.parameters())
    parameters.push_back({{"name", each.name()},
                          {"direction", direction_of(each.mode())},
                          {"type", Interfaces::name_of(*each.type())}});
  return {{"name", operation.name()},
          {"defined_in", operation.defined_in()},
          {"oneway", operation.mode() == CORBA::OperationMode::OP_ONEWAY},
          {"result", Interfaces::name_of(*operation.result())},
          {"parameters", std::move(parameters)},
          {"raises", ids_of(operation.exceptions())},
          {"contexts", operation.contexts()}};
}

json json_of(const CORBA::ExtAttributeDescription& attribute) {
  return {{"name", attribute.name()},
          {"defined_in", attribute.defined_in()},
          {"readonly", attribute.mode() == CORBA::AttributeMode::ATTR_READONLY},
          {"type", Interfaces::name_of(*attribute.type())},
          {"get_raises", ids_of(attribute.get_exceptions())},
          {"set_raises", ids_of(attribute.put_exceptions())}};
}

}  // namespace

json json_of(const Described& interface, const std::string& idl) {
  json operations = json::array();
  json attributes = json::array();
  for (const auto& each : interface.members->operations) operations.push_back(json_of(each));
  for (const auto& each : interface.members->attributes) attributes.push_back(json_of(each));
  return {{"id", interface.id},
          {"name", interface.scoped_name},
          {"bases", interface.members->bases},
          {"operations", std::move(operations)},
          {"attributes", std::move(attributes)},
          {"idl", idl}};
}

}  // namespace perigee::tool
