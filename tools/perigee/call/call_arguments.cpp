// Words of the command line, or JSON on standard input, become the values of parameters.
#include "call/call_arguments.h"

#include "base/nearest_name.h"
#include "call/json_input.h"
#include "call/json_numbers.h"
#include <perigee/base/printable.h>
#include <perigee/dynamic/request.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace perigee::tool {

using json = nlohmann::ordered_json;

namespace {

std::vector<const ParameterType*> sent_parameters(const OperationTypes& operation) {
  std::vector<const ParameterType*> sent;
  for (const ParameterType& parameter : operation.parameters)
    if (parameter.direction != CORBA::ARG_OUT) sent.push_back(&parameter);
  return sent;
}

[[noreturn]] void fail_count(const OperationTypes& operation, std::size_t needed,
                             std::size_t given) {
  const std::string noun = needed == 1 ? " argument, not " : " arguments, not ";
  throw JsonError(signature_of(operation) + " needs " + std::to_string(needed) + noun +
                  std::to_string(given) + "; options come before the reference");
}

/// Whether JSON has a string (or null) for each value of the type. Then the argument may be a bare
/// word.
bool is_text(const CORBA::TypeCode& type) {
  using Kind = CORBA::TCKind;
  const Kind kind = cdr::unaliased(*type._node()).kind;
  return kind == Kind::tk_string || kind == Kind::tk_wstring || kind == Kind::tk_enum ||
         kind == Kind::tk_valued_enum || kind == Kind::tk_objref || kind == Kind::tk_char ||
         kind == Kind::tk_wchar || kind == Kind::tk_TypeCode || kind == Kind::tk_fixed;
}

json json_of_word(const std::string& word, const ParameterType& parameter) {
  const bool is_nil =
      word == "null" && cdr::unaliased(*parameter.type->_node()).kind == CORBA::TCKind::tk_objref;
  if (!is_text(*parameter.type) || word.starts_with('"') || is_nil)
    return parse_json(word, parameter.name);
  json text = word;
  try {
    static_cast<void>(text.dump());  // checks the UTF-8
  } catch (const json::type_error&) {
    throw JsonError(parameter.name + ": the word is not in UTF-8");
  }
  return text;
}

std::vector<json> values_from(std::istream& input, const OperationTypes& operation) {
  const std::string source = "standard input";
  json read = parse_json(read_json_text(input, source), source);
  const auto sent = sent_parameters(operation);
  std::vector<json> values;
  if (read.is_array()) {
    for (json& value : read) values.push_back(std::move(value));
    return values;
  }
  if (!read.is_object())
    throw JsonError(
        "standard input: expected an array of the arguments, or an object with their names, not " +
        shown(read));
  std::vector<std::string> names;
  for (const ParameterType* const parameter : sent) names.push_back(parameter->name);
  for (const auto& [name, unused] : read.items())
    if (std::ranges::find(names, name) == names.end())
      throw JsonError("standard input: " + operation.name + " has no argument " + printable(name) +
                      did_you_mean(name, names));
  for (const std::string& name : names) {
    if (!read.contains(name))
      throw JsonError("standard input: the argument " + name + " is missing");
    values.push_back(std::move(read[name]));
  }
  return values;
}

}  // namespace

std::string signature_of(const OperationTypes& operation) {
  std::string text = operation.name + '(';
  for (const ParameterType& parameter : operation.parameters) {
    if (&parameter != &operation.parameters.front()) text += ", ";
    text += parameter.direction == CORBA::ARG_IN    ? "in "
            : parameter.direction == CORBA::ARG_OUT ? "out "
                                                    : "inout ";
    const std::string_view name = parameter.type->_node()->name;
    text += name.empty() ? parameter.type->_text() : std::string(name);
    text += ' ' + parameter.name;
  }
  return text + ')';
}

CORBA::NVList arguments_of(const OperationTypes& operation, const std::vector<std::string>& words,
                           std::istream& input, JsonReader& reader) {
  const auto sent = sent_parameters(operation);
  std::vector<json> values;
  if (words.size() == 1 && words.front() == "-") {
    values = values_from(input, operation);
  } else {
    if (words.size() != sent.size()) fail_count(operation, sent.size(), words.size());
    for (std::size_t index = 0; index < words.size(); ++index)
      values.push_back(json_of_word(words[index], *sent[index]));
  }
  if (values.size() != sent.size()) fail_count(operation, sent.size(), values.size());
  CORBA::NVList list;
  auto value = values.begin();
  for (const ParameterType& parameter : operation.parameters) {
    if (parameter.direction == CORBA::ARG_OUT)
      list.add_parameter(parameter.name, parameter.type, CORBA::ARG_OUT);
    else
      list.add_value(parameter.name, reader.read(*value++, parameter.type, parameter.name),
                     parameter.direction);
  }
  return list;
}

}  // namespace perigee::tool
