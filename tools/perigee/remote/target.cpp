// Converts the reference of the command line to an object. Mistakes in the reference are usage
// errors.
#include "remote/target.h"

#include "ior_command.h"
#include "usage.h"
#include <perigee/base/printable.h>
#include <perigee/orb/exceptions.h>

namespace perigee::tool {

CORBA::object_reference<CORBA::Object> target_of(const std::string& command, CORBA::ORB& orb,
                                                 const std::string& reference) {
  const auto text = reference_text(reference);
  if (!text) throw UsageError(command + ": " + text.error());
  try {
    auto object = orb.string_to_object(*text);
    if (object == nullptr) throw UsageError(command + ": the reference is nil: it has no object");
    return object;
  } catch (const CORBA::BAD_PARAM& exception) {
    throw UsageError(command + ": " +
                     printable(exception.detail().empty() ? exception.what() : exception.detail()));
  }
}

}  // namespace perigee::tool
