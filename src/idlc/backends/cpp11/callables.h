// The functions that a client can call on an interface: operations, and attributes as one or two
// operations.
#pragma once

#include "idlc/frontend/model.h"
#include "idlc/implied/implied.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::idlc::cpp11 {

/// The type of the context parameter.
inline constexpr std::string_view context_type = "::CORBA::object_reference<::CORBA::Context>";

struct Callable {
  std::string wire_name;      ///< "get_quote", "_get_price", "_set_price"
  std::string name;           ///< of the C++ function
  std::string skeleton_name;  ///< of the static function in the skeleton class
  const Type* return_type = nullptr;
  std::vector<Parameter> parameters;
  std::vector<const Exception*> raises;
  bool is_oneway = false;
  std::vector<std::string> contexts;  ///< properties that are sent after the parameters
  bool is_joined = false;             ///< declared again: see Operation::is_joined

  [[nodiscard]] bool has_arguments() const;  ///< in or inout
  [[nodiscard]] bool has_results() const;    ///< a return value, out or inout
};

/// The parts of a declaration around its return type and parameters: `virtual `, or an `override`
/// after the parameters.
[[nodiscard]] inline std::string_view virtual_before(const Callable& callable) {
  return callable.is_joined ? "" : "virtual ";
}
/// `tail` begins with ")".
[[nodiscard]] inline std::string with_override(const Callable& callable, std::string_view tail) {
  return (callable.is_joined ? ") override" : ")") + std::string(tail.substr(1));
}

Callable from_operation(const Operation& operation);
/// The callable of an operation, or of one half of an attribute.
Callable callable_of(const Declaration& declaration, Half half);

/// Changes a callable of an asynchronous servant, which keeps its arguments beyond the upcall.
/// Parameters with the annotation `borrowed` become pinned, and no parameter has another
/// annotation.
void pin_borrowed(Callable& callable);

/// The callables that the interface itself declares, in the order of the text.
std::vector<Callable> callables(const Interface& interface);
/// The same for the contents of an interface or a valuetype.
std::vector<Callable> callables(const Declarations& contents);

/// "const std::string& symbol, int32_t& price": one item for each parameter.
std::vector<std::string> parameter_list(const Callable& callable);
/// The arguments that pass the parameters on: their names, with std::move for object references and
/// pinned values.
/// The context of the caller comes last and is called `_context_`.
std::vector<std::string> argument_list(const Callable& callable);
/// A text for each parameter in the request, in order, then `context` if the callable has a context
/// clause.
using TextOf = std::function<std::string(const Parameter&)>;
std::vector<std::string> request_items(const Callable& callable, const TextOf& text_of,
                                       std::string context);
/// The variables into which a skeleton decodes the request, in order, as operands of `>>`. A pinned
/// variable is marked by a call of `pinned_from`.
std::vector<std::string> decoded_variables(const Callable& callable);
/// The names of the variables that the request contains, and of the variables that the reply
/// contains, in order. The return value is called `_result_`.
std::vector<std::string> request_variables(const Callable& callable);
std::vector<std::string> reply_variables(const Callable& callable);

/// The values that the client writes into the request: the variables. A borrowed variable is marked
/// by a call of `borrowed`.
std::vector<std::string> request_values(const Callable& callable);

enum class Passed { in_request, in_reply };
/// An expression for the coder of the callable's arguments or results. Valuetypes that are passed
/// together are marshalled through one object, so that each value is sent once.
std::string encoder_of(const Callable& callable, Passed passed, const std::string& encoder);
std::string decoder_of(const Callable& callable, Passed passed, const std::string& decoder);

}  // namespace perigee::idlc::cpp11
