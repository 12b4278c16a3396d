// The commit of the sources of this program. The build writes it to a header, and this file alone
// includes the header.
#include "commit.h"

#include "perigee_commit.h"

namespace perigee::bench {

std::string source_commit() { return PERIGEE_COMMIT; }

}  // namespace perigee::bench
