// How many asynchronous calls of an ORB reach the same server in the order in which they begin.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/orb.h>

#include <cstdint>

namespace perigee::orb {

/// The number of calls in progress to one endpoint up to which the asynchronous calls that begin on
/// one thread use the same connection: `-ORBRequestsInFlightMax`, if each loop of the ORB has one
/// thread. 1 with the thread strategies whose loops have several threads: their calls may use
/// several connections. After the loss of a connection, and if a server forwards some of the calls,
/// calls may arrive in another order. Any thread; does not block.
[[nodiscard]] PERIGEE_API std::uint32_t calls_in_order_max(
    const CORBA::object_reference<CORBA::ORB>& orb) noexcept;

}  // namespace perigee::orb
