// Represents operations and attributes by one type.
#include "idlc/backends/cpp11/callables.h"

#include "idlc/backends/cpp11/held_values.h"
#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"

#include <algorithm>
#include <utility>

namespace perigee::idlc::cpp11 {

namespace {

const Type void_type;

/// The parameters. The annotation `borrowed` of an operation applies to each parameter that can be
/// borrowed.
std::vector<Parameter> parameters_of(const Operation& operation) {
  std::vector<Parameter> parameters = operation.parameters;
  if (const Annotation* borrowed = operation.annotation("perigee::borrowed"))
    for (Parameter& parameter : parameters)
      if (parameter.direction == Direction::in && can_be_borrowed(*parameter.type))
        parameter.annotations.push_back(*borrowed);
  return parameters;
}

/// Object references and pinned values are passed by value. So a function that passes one on can
/// move it.
bool is_moved(const Parameter& parameter) {
  const TypeKind kind = unaliased(*parameter.type).kind;
  return parameter.direction == Direction::in &&
         (kind == TypeKind::interface || kind == TypeKind::object || is_value(*parameter.type) ||
          is_pinned(parameter));
}

Callable getter(const Attribute& attribute) {
  return {"_get_" + attribute.name,
          cpp_name(attribute.name),
          "_get_skeleton_" + attribute.name,
          attribute.type,
          {},
          attribute.get_raises,
          false,
          {}};
}

Callable setter(const Attribute& attribute) {
  Parameter value;
  value.name = "_value";
  value.location = attribute.location;
  value.type = attribute.type;
  return {"_set_" + attribute.name,
          cpp_name(attribute.name),
          "_set_skeleton_" + attribute.name,
          &void_type,
          {std::move(value)},
          attribute.set_raises,
          false,
          {}};
}

std::vector<const Type*> passed_types(const Callable& callable, Passed passed) {
  const Direction other = passed == Passed::in_request ? Direction::out : Direction::in;
  std::vector<const Type*> types;
  if (passed == Passed::in_reply) types.push_back(callable.return_type);
  for (const Parameter& parameter : callable.parameters)
    if (parameter.direction != other) types.push_back(parameter.type);
  return types;
}

bool pass_values(const std::vector<const Type*>& types) {
  return std::ranges::any_of(types, [](const Type* type) { return holds_values(*type); });
}

std::string writing(bool has_values, const std::string& encoder) {
  return has_values ? "::perigee::value::Writing(" + encoder + ").encoder()" : encoder;
}
std::string reading(const std::string& arguments) {
  return "::perigee::value::Reading(" + arguments + ").decoder()";
}

}  // namespace

Callable from_operation(const Operation& operation) {
  return {operation.name,        cpp_name(operation.name), "_skeleton_" + operation.name,
          operation.return_type, parameters_of(operation), operation.raises,
          operation.is_oneway,   operation.contexts,       operation.is_joined};
}

Callable callable_of(const Declaration& declaration, Half half) {
  if (half == Half::get) return getter(*as<Attribute>(&declaration));
  if (half == Half::set) return setter(*as<Attribute>(&declaration));
  return from_operation(*as<Operation>(&declaration));
}

void pin_borrowed(Callable& callable) {
  for (Parameter& parameter : callable.parameters) {
    const bool is_pinned = is_borrowed(parameter);
    parameter.annotations.clear();
    if (!is_pinned) continue;
    Annotation pinned;
    pinned.name = pinned_annotation;
    parameter.annotations.push_back(std::move(pinned));
  }
}

bool Callable::has_arguments() const {
  return !contexts.empty() || std::ranges::any_of(parameters, [](const Parameter& parameter) {
    return parameter.direction != Direction::out;
  });
}

bool Callable::has_results() const {
  return !is_void(*return_type) || std::ranges::any_of(parameters, [](const Parameter& parameter) {
    return parameter.direction != Direction::in;
  });
}

std::vector<Callable> callables(const Interface& interface) {
  return callables(interface.contents);
}

std::vector<Callable> callables(const Declarations& contents) {
  std::vector<Callable> result;
  for (const Declaration* declaration : contents) {
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
    result.push_back(parameter_type(parameter) + " " + cpp_name(parameter.name));
  if (!callable.contexts.empty()) result.push_back(std::string(context_type) + " _context_");
  return result;
}

std::vector<std::string> argument_list(const Callable& callable) {
  std::vector<std::string> result;
  for (const Parameter& parameter : callable.parameters) {
    const std::string name = cpp_name(parameter.name);
    result.push_back(is_moved(parameter) ? "std::move(" + name + ")" : name);
  }
  if (!callable.contexts.empty()) result.emplace_back("std::move(_context_)");
  return result;
}

std::vector<std::string> request_items(const Callable& callable, const TextOf& text_of,
                                       std::string context) {
  std::vector<std::string> result;
  for (const Parameter& parameter : callable.parameters)
    if (parameter.direction != Direction::out) result.push_back(text_of(parameter));
  if (!callable.contexts.empty()) result.push_back(std::move(context));
  return result;
}

std::vector<std::string> request_variables(const Callable& callable) {
  const auto name_of = [](const Parameter& parameter) { return cpp_name(parameter.name); };
  return request_items(callable, name_of, "_context_");
}

std::vector<std::string> decoded_variables(const Callable& callable) {
  const auto marked = [](const Parameter& parameter) {
    const std::string name = cpp_name(parameter.name);
    return is_pinned(parameter)
               ? "::perigee::cdr::pinned_from(_request_.pin_source(), " + name + ")"
               : name;
  };
  return request_items(callable, marked, "_context_");
}

std::vector<std::string> request_values(const Callable& callable) {
  const auto marked = [](const Parameter& parameter) {
    const std::string name = cpp_name(parameter.name);
    return is_borrowed(parameter) ? "::perigee::cdr::borrowed(" + name + ")" : name;
  };
  return request_items(callable, marked, "::perigee::stub::selected(_context_, _properties_)");
}

std::vector<std::string> reply_variables(const Callable& callable) {
  std::vector<std::string> result;
  if (!is_void(*callable.return_type)) result.emplace_back("_result_");
  for (const Parameter& parameter : callable.parameters)
    if (parameter.direction != Direction::in) result.push_back(cpp_name(parameter.name));
  return result;
}

std::string encoder_of(const Callable& callable, Passed passed, const std::string& encoder) {
  return writing(pass_values(passed_types(callable, passed)), encoder);
}
std::string decoder_of(const Callable& callable, Passed passed, const std::string& decoder) {
  const std::vector<const Type*> types = passed_types(callable, passed);
  if (pass_values(types)) return reading(decoder);
  return may_share_values(types) ? reading(decoder + std::string(reading_of_anys)) : decoder;
}

}  // namespace perigee::idlc::cpp11
