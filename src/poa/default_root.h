// The Root POA of servants that do not override `_default_POA`. A servant is made without an ORB,
// so the mapping needs one process-wide default: the one mutable global of this layer.
#pragma once

#include <perigee/base/counted_ptr.h>

namespace perigee::poa {

class Adapter;

/// The oldest Root POA that is still in use. Raises OBJ_ADAPTER if there is none.
[[nodiscard]] counted_ptr<Adapter> default_root();
/// Called when a Root POA has been made.
void offer_default_root(const counted_ptr<Adapter>& root);

}  // namespace perigee::poa
