// The state of a poller's call: the call, and its reply until the program or a handler takes it.
#pragma once

#include "dynamic/polling/source.h"
#include "orb/async/kept_outcome.h"
#include <perigee/dynamic/polling.h>
#include <perigee/orb/async_stub.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

namespace perigee::polling {

/// Counts its owners: the poller and, until the call has ended, the ORB. Any thread.
class CallState final : public stub::CallObserver, public Source {
 public:
  CallState(const CORBA::Object& target, const stub::Operation& operation, HandlerType handler);

  void start(stub::Arguments arguments);
  void remove_owner() noexcept;
  /// Called when the program has dropped the poller. Cancels the call, unless a handler is to get
  /// the reply.
  void abandon() noexcept;

  [[nodiscard]] const CORBA::object_reference<CORBA::Object>& target() const noexcept {
    return target_;
  }
  [[nodiscard]] std::string_view operation() const noexcept { return operation_.name; }
  [[nodiscard]] CORBA::object_reference<Messaging::ReplyHandler> handler() const;
  void set_handler(CORBA::object_reference<Messaging::ReplyHandler> handler);
  [[nodiscard]] bool is_from_poller() const;
  [[nodiscard]] bool is_ready(std::uint32_t timeout);
  void poll(std::string_view operation, std::uint32_t timeout, stub::ResultDecoder decode);

  void ended(stub::CallOutcome& outcome) noexcept override;

  /// @name Source
  /// @{
  [[nodiscard]] Stage stage() const noexcept override { return stage_.load(); }
  [[nodiscard]] bool watch(std::weak_ptr<Watcher> watcher) override;
  void wait(function_ref<bool()> done, std::uint32_t timeout) const override;
  void wake_at_change() const noexcept override { handle_.wake_at_end(); }
  void wake() const noexcept override { handle_.wake_drivers(); }
  [[nodiscard]] const void* orb() const noexcept override;
  /// @}

 private:
  using Observer = std::unique_ptr<stub::ReplyObserver>;

  ~CallState() = default;
  [[nodiscard]] Observer observer_for(
      const CORBA::object_reference<Messaging::ReplyHandler>& handler) const;
  [[nodiscard]] bool needs_reply() const;
  [[nodiscard]] std::unique_ptr<orb::KeptOutcome> take(std::string_view operation,
                                                       std::uint32_t timeout);
  void await(std::uint32_t timeout) const;

  const CORBA::object_reference<CORBA::Object> target_;
  const stub::Operation& operation_;
  const HandlerType handler_type_;
  stub::CallHandle handle_;  // set before the poller exists
  std::atomic<std::uint32_t> owners_{2};
  std::atomic<Stage> stage_{Stage::waiting};  // changes under `mutex_`

  mutable std::mutex mutex_;  // guards the members below
  bool abandoned_ = false;
  Watchers watchers_;
  CORBA::object_reference<Messaging::ReplyHandler> handler_;
  Observer observer_;                        // of `handler_`, until it gets the reply
  std::unique_ptr<orb::KeptOutcome> reply_;  // in stage `ready`; null: no memory for it
  std::optional<bool> from_poller_;          // whether the last exception came from the poller
};

}  // namespace perigee::polling
