// The list of a thread's upcalls.
#include "poa/upcall.h"

namespace perigee::poa {

constinit thread_local const Upcall* Upcall::innermost_ = nullptr;

}  // namespace perigee::poa
