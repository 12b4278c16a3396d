// The programs that experiments start besides `perigee` itself. This header is separate from
// command.h, which includes CLI11 and takes long to compile.
#pragma once

#include <string>

namespace perigee::bench {

/// The path of an experiment's own program, which was built or installed with this one. Throws
/// std::runtime_error if there is none.
std::string companion_program(const std::string& name);
/// The same for a program with omniORB. If this build has no such program, says so on standard
/// error and returns an empty text.
std::string find_omniorb_program(const std::string& name);
/// The same for a program with iceoryx.
std::string find_iceoryx_program(const std::string& name);

}  // namespace perigee::bench
