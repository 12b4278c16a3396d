// Results and exceptions as JSON objects.
#include "call/outcome.h"

#include <perigee/base/printable.h>

#include <string>

namespace perigee::tool {

using json = nlohmann::ordered_json;

json results_of(const CORBA::Request& request, const OperationTypes& operation,
                JsonWriter& writer) {
  json results = json::object();
  if (operation.result->kind() != CORBA::TCKind::tk_void)
    results["_return"] = writer.write(request.return_value(), "_return");
  for (const CORBA::NamedValue& argument : request.arguments())
    if (argument.flags() != CORBA::ARG_IN)
      results[argument.name()] = writer.write(argument.value(), argument.name());
  return results;
}

json json_of(const CORBA::UnknownUserException& exception, JsonWriter& writer) {
  const CORBA::Any& any = exception.exception();
  return {{"exception", any.type()->id()}, {"members", writer.write(any, "exception")}};
}

json json_of(const CORBA::SystemException& exception) {
  return {{"exception", exception._rep_id()},
          {"minor", exception.minor()},
          {"completed", std::string(_enumerator_name(exception.completed()))},
          {"detail", printable(exception.detail())}};
}

}  // namespace perigee::tool
