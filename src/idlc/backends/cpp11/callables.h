// What a client can call on an interface: operations, and attributes as one or two operations.
#pragma once

#include "idlc/frontend/model.h"
#include "idlc/implied/implied.h"

#include <string>
#include <string_view>
#include <vector>

namespace perigee::idlc::cpp11 {

/// Of the parameter for the context.
inline constexpr std::string_view context_type = "::CORBA::object_reference<::CORBA::Context>";

struct Callable {
  std::string wire_name;      ///< "get_quote", "_get_price", "_set_price"
  std::string name;           ///< of the C++ function
  std::string skeleton_name;  ///< of the static function in the skeleton class
  const Type* return_type = nullptr;
  std::vector<Parameter> parameters;
  std::vector<const Exception*> raises;
  bool is_oneway = false;
  std::vector<std::string> contexts;  ///< properties that go along, behind the parameters

  [[nodiscard]] bool has_arguments() const;  ///< in or inout
  [[nodiscard]] bool has_results() const;    ///< a return value, out or inout
};

Callable from_operation(const Operation& operation);
/// An operation, or the half of an attribute.
Callable callable_of(const Declaration& declaration, Half half);

/// Those that the interface declares itself, in the order of the text.
std::vector<Callable> callables(const Interface& interface);

/// "const std::string& symbol, int32_t& price", one item a parameter.
std::vector<std::string> parameter_list(const Callable& callable);
/// The parameters to pass them on: their names, in std::move for object references. The context of
/// the caller, the last, is called `_context_`.
std::vector<std::string> argument_list(const Callable& callable);
/// Names of the variables that the request (the reply) carries, in order; the result is `_result_`.
std::vector<std::string> request_variables(const Callable& callable);
std::vector<std::string> reply_variables(const Callable& callable);

/// What the client writes into the request: the variables, borrowed ones in a form that says so.
std::vector<std::string> request_values(const Callable& callable);

}  // namespace perigee::idlc::cpp11
