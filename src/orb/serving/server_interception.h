// The hook of interceptors in the server's replies. The interceptors and their rules are in the
// layer `dynamic`. A request without interceptors has no ServerInterception.
#pragma once

#include <perigee/base/export.h>
#include <perigee/iop/ior.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/object.h>

#include <exception>
#include <span>

namespace perigee::orb {

class ServerRequest;

/// The reply that an interceptor wants instead of the present one; at most one member is set.
struct ServerReplacement {
  std::exception_ptr thrown;
  CORBA::object_reference<CORBA::Object> target;  ///< of a location forward
  explicit operator bool() const noexcept { return thrown != nullptr || target; }
};

/// One request on its way through the server's interceptors. One thread at a time uses it: the
/// thread of the upcall, then the thread that replies.
class ServerInterception {
 public:
  ServerInterception() = default;
  ServerInterception(const ServerInterception&) = delete;
  ServerInterception& operator=(const ServerInterception&) = delete;
  virtual ~ServerInterception() = default;

  /// Called before the results are encoded; for a oneway, when it was executed.
  [[nodiscard]] virtual ServerReplacement replying(ServerRequest& request) noexcept = 0;
  /// Called before an exception is encoded.
  [[nodiscard]] virtual ServerReplacement raising(ServerRequest& request,
                                                  const CORBA::Exception& exception) noexcept = 0;
  /// Called before a location forward is encoded.
  [[nodiscard]] virtual ServerReplacement forwarding(ServerRequest& request,
                                                     const CORBA::Object& target) noexcept = 0;
  /// Called when the request was parked: it is dispatched again later, with another
  /// ServerInterception.
  virtual void parked(ServerRequest& request) noexcept = 0;
  /// The service contexts of the reply: `others`, then those of the interceptors. Valid until the
  /// next call of a function.
  [[nodiscard]] virtual std::span<const iop::ServiceContext> reply_contexts(
      std::span<const iop::ServiceContext> others) = 0;
};

}  // namespace perigee::orb
