// The hook of interceptors in the client's calls. The core only calls these interfaces; the
// interceptors and their rules are in the layer `dynamic`. An ORB without interceptors has none.
#pragma once

#include "orb/connection/invocation_error.h"
#include "orb/context/thread_slots.h"
#include "orb/references/mprofile.h"
#include <perigee/cdr/decoder.h>
#include <perigee/iop/ior.h>
#include <perigee/messaging/message.h>
#include <perigee/orb/stub.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string_view>

namespace perigee::orb {

class Reference;

/// The target of one try of a request.
struct InterceptedTry {
  const BindingRef& binding;        ///< of the effective target
  std::uint32_t profile_index = 0;  ///< of the effective profile
  messaging::ResponseFlags response = messaging::ResponseFlags::with_target;
};

/// How a call has ended. Valid during the call of `CallInterception::ended`.
struct InterceptedEnd {
  const InterceptedTry* last;    ///< the last try; null if no profile was chosen
  const InvocationError* error;  ///< null if there was a reply, or the oneway was sent
  messaging::ReplyStatus status;
  messaging::ResponseFlags response;
  const cdr::Decoder& body;  ///< at the results, or at the exception's repository id
  std::string_view server_text;
};

/// One call on its way through the interceptors. One thread at a time uses it. No function throws:
/// exceptions of interceptors become `Next::fail`.
class CallInterception {
 public:
  enum class Next : std::uint8_t {
    go_on,
    forward,  ///< the call starts again with the target `forward`
    fail,     ///< the call ends with the exception `thrown`
  };

  CallInterception() = default;
  CallInterception(const CallInterception&) = delete;
  CallInterception& operator=(const CallInterception&) = delete;
  virtual ~CallInterception() = default;

  /// Called before a try. If the last try has not ended, does nothing as long as only another
  /// profile of the same target is used. After `try_failed`, or with another target, ends the last
  /// try first.
  virtual Next send(const InterceptedTry& next) noexcept = 0;
  /// The last try was not executed. The ORB tries again if there is another target.
  virtual void try_failed() noexcept = 0;
  /// The last try was not executed, and the ORB tries again.
  virtual Next retry(const InterceptedTry& last) noexcept = 0;
  /// The reply to the last try is a location forward to `target`.
  virtual Next forwarded(const InterceptedTry& last, const iop::Ior& target) noexcept = 0;
  /// The call has ended. `fail` and `forward` repeat the result of an earlier function, if that
  /// result has ended the call.
  virtual Next ended(const InterceptedEnd& end) noexcept = 0;

  /// The service contexts of the request: `others`, then those of the interceptors. Valid until the
  /// next call of a function.
  [[nodiscard]] virtual std::span<const iop::ServiceContext> request_contexts(
      std::span<const iop::ServiceContext> others) = 0;
  /// Copies the service contexts of a reply.
  virtual void keep_reply_contexts(std::span<const iop::ServiceContext> contexts) noexcept = 0;

  [[nodiscard]] virtual std::exception_ptr thrown() const noexcept = 0;
  /// Moves the target out.
  [[nodiscard]] virtual iop::Ior take_forward() noexcept = 0;
};

/// The client's interceptors of one ORB. Any thread. Lives as long as the ORB.
class CallHooks {
 public:
  /// Called on the thread that makes the call. `operation` outlives the call. Null: no interceptor
  /// concerns the call.
  [[nodiscard]] virtual std::unique_ptr<CallInterception> begin(
      const counted_ptr<Reference>& target, const stub::Operation& operation) = 0;

 protected:
  ~CallHooks() = default;
};

}  // namespace perigee::orb
