// Blocks through the rings of the protocol `shmiop`: its transport, without an ORB.
#pragma once

#include "channel.h"
#include "ends.h"

#include <memory>
#include <string>

namespace perigee::bench {

/// Listens at an abstract name, "@perigee-…", where the child hands over its memory. Errors are
/// thrown as std::runtime_error.
std::unique_ptr<Rendezvous> open_ring_rendezvous(const std::string& name);
std::unique_ptr<Child> join_ring(const std::string& name);

/// Whether a place names a rendezvous of the transport. Other places are names of a SharedRing.
inline bool is_ring_name(const std::string& place) { return place.starts_with('@'); }

}  // namespace perigee::bench
