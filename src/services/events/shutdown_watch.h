// Ends requests that wait for an event, or for room in a queue, when the ORB is shut down.
#pragma once

#include <perigee/async/task.h>
#include <perigee/orb/orb.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

namespace perigee::events {

/// `ORB::shutdown(true)` waits for the requests in progress. While requests of the service wait, a
/// task looks four times a second whether the shutdown has begun, and then calls a function that
/// ends them. Any thread.
class ShutdownWatch : public std::enable_shared_from_this<ShutdownWatch> {
 public:
  ShutdownWatch(CORBA::object_reference<CORBA::ORB> orb, std::function<void()> end_requests);
  ShutdownWatch(const ShutdownWatch&) = delete;
  ShutdownWatch& operator=(const ShutdownWatch&) = delete;

  /// One request that waits; made by the thread that serves it.
  class Waiting {
   public:
    explicit Waiting(std::shared_ptr<ShutdownWatch> watch);
    ~Waiting() { --watch_->waiting_; }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    const std::shared_ptr<ShutdownWatch> watch_;
  };

 private:
  static task<void> run(std::shared_ptr<ShutdownWatch> self);
  /// True: requests wait, and this task goes on.
  [[nodiscard]] bool goes_on() noexcept;
  [[nodiscard]] bool shutdown_has_begun() const;

  const CORBA::object_reference<CORBA::ORB> orb_;
  const std::function<void()> end_requests_;
  std::atomic<std::size_t> waiting_ = 0;
  std::atomic<bool> is_running_ = false;
};

}  // namespace perigee::events
