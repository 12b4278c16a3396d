// The hook of interceptors in the upcalls of an ORB.
#pragma once

#include "orb/core/orb_core.h"
#include "orb/serving/server_interception.h"
#include "poa/policy_set.h"
#include "poa/served_object.h"
#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>
#include <perigee/orb/server_request.h>

#include <memory>

namespace perigee::poa {

/// One request on its way through the server's interceptors. Its functions run in this order; each
/// may throw the exception, or the PortableServer::ForwardRequest, that becomes the reply.
class InterceptedUpcall : public orb::ServerInterception {
 public:
  /// Called when the request has passed the POA manager, before the servant is looked for.
  virtual void receive_contexts() = 0;
  /// Called when the servant is found. Calls `upcall` after the interceptors.
  virtual void serve(const ServedObject& object, function_ref<void()> upcall) = 0;
};

/// The server's interceptors of one ORB. Any thread. Lives as long as the ORB.
class UpcallHooks {
 public:
  /// Null: the request has no interceptors. `request` is valid until its upcall ends; later
  /// functions get the request that gives the reply.
  [[nodiscard]] virtual std::unique_ptr<InterceptedUpcall> begin(orb::ServerRequest& request) = 0;

 protected:
  ~UpcallHooks() = default;
};

/// Set the hooks of the ORB's adapters. Without adapters they do nothing.
PERIGEE_INTERNAL_API void set_upcall_hooks(orb::OrbCore& core, UpcallHooks* hooks) noexcept;
PERIGEE_INTERNAL_API void set_adapter_hooks(orb::OrbCore& core, AdapterHooks* hooks) noexcept;

}  // namespace perigee::poa
