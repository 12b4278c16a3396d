// The object that a command is about.
#pragma once

#include <perigee/orb/object.h>
#include <perigee/orb/orb.h>

#include <string>

namespace perigee::tool {

/// The object of a reference, or of the file that contains it; never nil. Throws UsageError, which
/// begins with `command`.
[[nodiscard]] CORBA::object_reference<CORBA::Object> target_of(const std::string& command,
                                                               CORBA::ORB& orb,
                                                               const std::string& reference);

}  // namespace perigee::tool
