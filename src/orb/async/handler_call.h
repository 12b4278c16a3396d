// The call of a reply handler that is an object of a POA, mostly in another process.
#pragma once

#include "orb/async/async_engine.h"
#include "orb/async/kept_outcome.h"
#include <perigee/base/pool.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/ami.h>
#include <perigee/orb/async_stub.h>

#include <cstddef>
#include <memory>

namespace perigee::orb {

/// Passes the outcome of an asynchronous call on to a reply handler that is an object of a POA.
/// Calls the handler by another asynchronous call of the same loop, so that the loop does not wait.
/// Keeps a copy of the reply's body. Each try decodes this copy, and encodes the handler's
/// arguments in the version and code sets of the connection. Owned by itself until the handler's
/// call has ended.
///
/// Calls that start in order on one thread leave in order, if the loop has one connection to the
/// handler's process.
class HandlerCall final : public stub::CallObserver {
 public:
  /// Called by the observer of the call, while the outcome is valid. A handler's call that cannot
  /// be started, or that fails, is counted and logged.
  static void start(std::unique_ptr<stub::HandlerObject> handler,
                    const stub::CallOutcome& outcome) noexcept;

  static void* operator new(std::size_t size) { return pool::allocate(size); }
  static void operator delete(void* memory, std::size_t size) noexcept {
    pool::release(memory, size);
  }
  HandlerCall(std::unique_ptr<stub::HandlerObject> handler, const stub::CallOutcome& outcome);
  HandlerCall(const HandlerCall&) = delete;
  HandlerCall& operator=(const HandlerCall&) = delete;
  ~HandlerCall() = default;

  void ended(stub::CallOutcome& outcome) noexcept override;

 private:
  void send();
  [[nodiscard]] const stub::Operation* capture(cdr::Encoder* encoder) const;
  void encode(cdr::Encoder& encoder) const noexcept;

  const std::unique_ptr<stub::HandlerObject> handler_;
  const KeptOutcome outcome_;
  const stub::Operation* operation_ = nullptr;  // the handler's
  HandlerCallPlaces::Place place_;
};

}  // namespace perigee::orb
