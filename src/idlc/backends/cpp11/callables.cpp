// Operations and attributes as one kind of thing.
#include "idlc/backends/cpp11/callables.h"

#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"

#include <algorithm>

namespace perigee::idlc::cpp11 {

namespace {

const Type void_type;

Callable from_operation(const Operation& operation) {
  return {operation.name,        cpp_name(operation.name), "_skeleton_" + operation.name,
          operation.return_type, operation.parameters,     operation.raises,
          operation.is_oneway};
}

Callable getter(const Attribute& attribute) {
  return {"_get_" + attribute.name,
          cpp_name(attribute.name),
          "_get_skeleton_" + attribute.name,
          attribute.type,
          {},
          attribute.get_raises,
          false};
}

Callable setter(const Attribute& attribute) {
  Parameter value;
  value.name = "value";
  value.location = attribute.location;
  value.type = attribute.type;
  return {"_set_" + attribute.name,
          cpp_name(attribute.name),
          "_set_skeleton_" + attribute.name,
          &void_type,
          {std::move(value)},
          attribute.set_raises,
          false};
}

}  // namespace

bool Callable::has_arguments() const {
  return std::ranges::any_of(
      parameters, [](const Parameter& parameter) { return parameter.direction != Direction::out; });
}

bool Callable::has_results() const {
  return !is_void(*return_type) || std::ranges::any_of(parameters, [](const Parameter& parameter) {
    return parameter.direction != Direction::in;
  });
}

std::vector<Callable> callables(const Interface& interface) {
  std::vector<Callable> result;
  for (const Declaration* declaration : interface.contents) {
    if (const auto* operation = as<Operation>(declaration))
      result.push_back(from_operation(*operation));
    if (const auto* attribute = as<Attribute>(declaration)) {
      result.push_back(getter(*attribute));
      if (!attribute->is_readonly) result.push_back(setter(*attribute));
    }
  }
  return result;
}

std::vector<std::string> parameter_list(const Callable& callable) {
  std::vector<std::string> result;
  for (const Parameter& parameter : callable.parameters)
    result.push_back(parameter_type(*parameter.type, parameter.direction) + " " +
                     cpp_name(parameter.name));
  return result;
}

std::vector<std::string> argument_list(const Callable& callable) {
  std::vector<std::string> result;
  for (const Parameter& parameter : callable.parameters) result.push_back(cpp_name(parameter.name));
  return result;
}

std::vector<std::string> request_variables(const Callable& callable) {
  std::vector<std::string> result;
  for (const Parameter& parameter : callable.parameters)
    if (parameter.direction != Direction::out) result.push_back(cpp_name(parameter.name));
  return result;
}

std::vector<std::string> reply_variables(const Callable& callable) {
  std::vector<std::string> result;
  if (!is_void(*callable.return_type)) result.emplace_back("_result_");
  for (const Parameter& parameter : callable.parameters)
    if (parameter.direction != Direction::in) result.push_back(cpp_name(parameter.name));
  return result;
}

}  // namespace perigee::idlc::cpp11
