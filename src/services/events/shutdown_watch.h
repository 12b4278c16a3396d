// Ends requests that wait for an event, or for room in a queue: when the ORB is shut down, or when
// they have waited for too long.
#pragma once

#include <perigee/async/task.h>
#include <perigee/base/clock.h>
#include <perigee/orb/orb.h>

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

namespace perigee::events {

/// `ORB::shutdown(true)` waits for the requests in progress. While requests of the service wait, a
/// task checks four times a second whether the shutdown has begun, and then calls a function that
/// ends them. It also asks requests beyond their time limits to stop. Any thread.
class ShutdownWatch : public std::enable_shared_from_this<ShutdownWatch> {
 public:
  /// `clock` outlives the watch.
  ShutdownWatch(CORBA::object_reference<CORBA::ORB> orb, const Clock& clock,
                std::function<void()> end_requests);
  ShutdownWatch(const ShutdownWatch&) = delete;
  ShutdownWatch& operator=(const ShutdownWatch&) = delete;

 private:
  struct Request {
    TimePoint until;
    std::stop_source expiry;
  };

 public:
  /// One request that waits; made by the thread that serves it.
  class Waiting {
   public:
    explicit Waiting(std::shared_ptr<ShutdownWatch> watch, Duration time_max = Duration::max());
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    /// The token is asked to stop when the request has waited for `time_max`.
    [[nodiscard]] std::stop_token expiry() const { return request_->expiry.get_token(); }

   private:
    const std::shared_ptr<ShutdownWatch> watch_;
    std::list<Request>::iterator request_;
  };

 private:
  static task<void> run(std::shared_ptr<ShutdownWatch> self);
  [[nodiscard]] std::list<Request>::iterator add(Duration time_max);
  void start();
  /// Whether requests wait, so that the task has to go on.
  [[nodiscard]] bool goes_on();
  void end_late_requests();
  [[nodiscard]] bool shutdown_has_begun() const;

  const CORBA::object_reference<CORBA::ORB> orb_;
  const Clock& clock_;
  const std::function<void()> end_requests_;
  std::mutex mutex_;  // guards the members below
  std::list<Request> requests_;
  bool is_running_ = false;
};

}  // namespace perigee::events
