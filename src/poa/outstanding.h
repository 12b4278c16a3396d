// A deferred request, and the objects that must not be destroyed before its reply.
#pragma once

#include "orb/serving/server_interception.h"
#include "poa/adapter.h"
#include "poa/slot_table.h"
#include "poa/upcall.h"
#include <perigee/cdr/pinned.h>
#include <perigee/orb/iop_types.h>
#include <perigee/orb/server_request.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace perigee::stub {
class CallHandle;
}

namespace perigee::poa {

/// Any thread; `take` decides which thread replies. Allocated from the pool.
class Outstanding {
 public:
  /// Called in the upcall of the request.
  explicit Outstanding(orb::ServerRequest& request);
  Outstanding(const Outstanding&) = delete;
  Outstanding& operator=(const Outstanding&) = delete;

  /// True for the first caller only: it replies, and then calls `end`.
  [[nodiscard]] bool take() noexcept { return !taken_.exchange(true); }
  [[nodiscard]] bool taken() const noexcept { return taken_.load(); }
  /// Valid until `end`.
  [[nodiscard]] orb::ServerRequest& request() const noexcept { return *request_; }
  [[nodiscard]] bool expected() const noexcept { return expected_; }
  /// Ends the request: releases the request, and then the object.
  void end() noexcept;
  /// A token that is stopped when the client no longer waits for the reply. Never stopped if the
  /// request is over.
  [[nodiscard]] std::stop_token stop_token();
  /// See orb::Cancellation::share.
  void share_stop_token() noexcept;
  /// Cancels the call when the request is cancelled. Makes no token: see skeleton::cancel_with.
  void cancel_with(stub::CallHandle& call) noexcept;
  /// The time for which the client still waits. Empty if the request is over, or has no limit.
  [[nodiscard]] std::optional<std::chrono::microseconds> remaining_time();
  /// A service context of the request. Empty if there is none with this id, or the request is over.
  [[nodiscard]] std::optional<IOP::ServiceContext> context(IOP::ServiceId id);

  static void* operator new(std::size_t size);
  static void operator delete(void* memory, std::size_t size) noexcept;

 private:
  /// An object that is not in the table of active objects.
  struct Unlisted {
    AdapterVisit visit;  // destroyed after the object: the adapter waits until then
    ServedObject object;
  };

  /// Tells the adapter about a deferred reply of an object, and about the end of the request. A
  /// default-constructed DeferredReply tells nothing.
  class DeferredReply {
   public:
    DeferredReply() noexcept = default;
    explicit DeferredReply(const ServedObject& object)
        : adapter_(object.adapter.get()), id_(adapter_->begin_deferred(object)) {}
    DeferredReply(DeferredReply&& other) noexcept
        : adapter_(std::exchange(other.adapter_, nullptr)), id_(std::move(other.id_)) {}
    DeferredReply& operator=(DeferredReply&& other) noexcept {
      std::swap(adapter_, other.adapter_);
      std::swap(id_, other.id_);
      return *this;
    }
    ~DeferredReply() {
      if (adapter_ != nullptr) adapter_->end_deferred(id_);
    }

   private:
    Adapter* adapter_ = nullptr;  // the adapter of the pinned object
    std::string id_;
  };

  SlotTable<ActiveObject>::Pin pin_;
  DeferredReply deferred_reply_;
  std::optional<Unlisted> unlisted_;
  [[nodiscard]] std::shared_ptr<orb::OrbCore> keep_core() const noexcept;
  /// Raises TRANSIENT, COMPLETED_NO, if the budget of decoded values has no room for the contexts.
  void keep_contexts(orb::ServerRequest& request);

  std::unique_ptr<orb::ServerInterception> interception_;  // of the request
  bool expected_ = true;
  std::atomic<bool> taken_{false};
  std::optional<cdr::PinCharge> contexts_charge_;  // empty: no contexts are kept
  std::mutex mutex_;                               // guards the release of the members below
  IOP::ServiceContextList contexts_;             // of the request, without those of the ORB itself
  std::unique_ptr<orb::ServerRequest> request_;  // null once it is over
};

}  // namespace perigee::poa
