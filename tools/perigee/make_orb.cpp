// Turns the exception of ORB_init for a wrong option into a usage error.
#include "make_orb.h"

#include "usage.h"

namespace perigee::tool {

CORBA::object_reference<CORBA::ORB> make_orb(const std::string& command,
                                             std::vector<std::string> options) {
  try {
    return CORBA::ORB_init(options, command);
  } catch (const CORBA::BAD_PARAM& exception) {
    throw UsageError(command + ": " + exception.detail());
  }
}

}  // namespace perigee::tool
