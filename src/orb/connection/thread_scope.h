// The scope of threads under its former name.
#pragma once

#include "event/thread_scope.h"

namespace perigee::orb {

using event::ThreadScope;

}  // namespace perigee::orb
