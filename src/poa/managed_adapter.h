// What a POA manager asks of its adapters.
#pragma once

#include <perigee/poa/poa.h>

namespace perigee::poa {

/// Any thread.
class ManagedAdapter : public PortableServer::POA {
 public:
  /// Deactivates all objects if there is a servant activator to etherealize them.
  virtual void etherealize_objects() noexcept = 0;
  /// Until no request uses the adapter or its objects.
  virtual void wait_until_idle() = 0;
};

}  // namespace perigee::poa
