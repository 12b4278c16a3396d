// The interface through which a POA manager uses its adapters.
#pragma once

#include <perigee/poa/poa.h>

namespace perigee::poa {

/// Any thread.
class ManagedAdapter : public PortableServer::POA {
 public:
  /// Deactivates all objects, and so releases their servants. A servant activator etherealizes them
  /// first.
  virtual void deactivate_objects() noexcept = 0;
  /// Waits until no request uses the adapter or its objects.
  virtual void wait_until_idle() = 0;
};

}  // namespace perigee::poa
