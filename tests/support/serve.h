// Runs an ORB in a thread of a test.
#pragma once

#include <perigee/orb/exceptions.h>

namespace perigee::test {

/// Runs an ORB or the core of an ORB. The test starts a thread for this function. If a short test
/// shuts the ORB down before the thread begins, `run` raises BAD_INV_ORDER.
template <typename Orb>
void serve(Orb& orb) {
  try {
    orb.run();
  } catch (const CORBA::BAD_INV_ORDER&) {  // the ORB has been shut down
  }
}

}  // namespace perigee::test
