// The commit of the sources of this program.
#pragma once

#include <string>

namespace perigee::bench {

/// The commit from which the program was built, with "-dirty" if sources had changed since then.
/// "unknown" if the sources were not in a Git repository.
std::string source_commit();

}  // namespace perigee::bench
