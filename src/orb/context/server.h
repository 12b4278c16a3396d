// The server engine as the ORB core sees it: acceptors, connections and threads are behind it.
// Implemented in server/; made by `make_server` and given to the core by the runtime.
#pragma once

#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>
#include <perigee/base/io_error.h>
#include <perigee/base/octets.h>
#include <perigee/iop/ior.h>
#include <perigee/iop/listen_points.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace perigee::engine {
class ConnectionRef;
class Home;
class Loop;
class Ticks;
}  // namespace perigee::engine
namespace perigee::event {
class Reactor;
}

namespace perigee::orb {

class OrbCore;
class ProtocolPreference;

enum class Completion : std::uint8_t { do_not_wait, wait };

/// Any thread. A pure client never starts it.
class PERIGEE_INTERNAL_API Server {
 public:
  virtual ~Server() = default;

  /// Opens the acceptors, once; later calls do nothing. A client that connects waits until
  /// `begin_accepting`.
  [[nodiscard]] virtual std::expected<void, IoError> start() = 0;
  /// Accepts connections from now on. With the strategy `reactive`, this happens only in `run` and
  /// `perform_work`. Starts the server if it has not been started. Before this call, there may be
  /// references to objects whose adapters do not exist yet. So a client that connects too early has
  /// to wait, and does not get OBJECT_NOT_EXIST.
  [[nodiscard]] virtual std::expected<void, IoError> begin_accepting() = 0;
  /// Blocks until `stop`. Several threads may call it.
  virtual void run() = 0;
  /// Runs the loop of the application until `done()` or the deadline. Returns at once where the
  /// server has threads of its own.
  virtual void run_until(function_ref<bool()> /*done*/, Deadline /*until*/) {}
  /// True: the loop of the application reads connections that were adopted, and no thread is in
  /// `run`. Then a thread that waits for an asynchronous call has to call `run_until_run`.
  [[nodiscard]] virtual bool needs_thread() noexcept { return false; }
  /// Like `run_until`, but also returns when another thread is in `run`, or when the loop has
  /// ended.
  virtual void run_until_run(function_ref<bool()> /*done*/, Deadline /*until*/) {}
  /// Stops accepting, drains the connections (docs/engine.md, "The end of a server") and makes
  /// `run` return. With Completion::wait, returns when all accepted requests have been answered;
  /// this holds for each call. A later call with Completion::do_not_wait cancels the deferred
  /// requests (see OrbCore::cancels).
  virtual void stop(Completion completion) noexcept = 0;

  /// Runs the tasks that were posted to the loops after their last turn. Call it after `stop`, when
  /// no thread runs a loop.
  virtual void finish_tasks() noexcept {}

  /// The result of a wait inside an upcall.
  enum class Nested : std::uint8_t {
    not_here,  ///< the calling thread serves no requests: block as usual
    readable,  ///< the wait is over; requests were served meanwhile
    too_deep,  ///< `nested_upcall_depth_max` upcalls wait already: NO_RESOURCES
    timed_out,
  };
  /// Called by a thread that has to wait for a reply. On a thread of a loop: serves requests until
  /// the handle is readable, has been closed by the peer, or the deadline has passed. Returns later
  /// if the upcall of such a request takes longer.
  [[nodiscard]] virtual Nested wait_readable(int /*fd*/, Deadline /*until*/) {
    return Nested::not_here;
  }
  /// Called by a thread that is in an upcall and is going to wait for a reply, before it sends the
  /// request; `end_wait` follows if true. False: `nested_upcall_depth_max` upcalls wait already,
  /// and no thread would serve meanwhile.
  [[nodiscard]] virtual bool begin_wait() noexcept { return true; }
  virtual void end_wait() noexcept {}

  /// Like `wait_readable`, until `done()` or the deadline. `done` is called after each turn.
  [[nodiscard]] virtual Nested serve_until(function_ref<bool()> /*done*/, Deadline /*until*/) {
    return Nested::not_here;
  }

  /// The loop that the calling thread serves, or the loop of the connection that it reads.
  /// Asynchronous calls that begin on this thread end on the threads of this loop. Null: there is
  /// none.
  [[nodiscard]] virtual engine::Loop* loop_of_this_thread() noexcept { return nullptr; }
  /// Whether the calling thread serves a loop of this server, or a connection as its dedicated
  /// reader.
  [[nodiscard]] bool serves_on_this_thread() noexcept { return loop_of_this_thread() != nullptr; }
  /// The switch of the supervisor's ticks, for connections of asynchronous calls on the loops of
  /// this server. Null: there is no supervisor.
  [[nodiscard]] virtual engine::Ticks* ticks() noexcept { return nullptr; }
  /// Lets the supervisor also watch the connections of `home`, which are on `loop`. Null ends this;
  /// pass null only after the service thread, which runs the supervisor, has ended.
  virtual void set_calls_home(const engine::Loop& /*loop*/, engine::Home* /*home*/) noexcept {}
  /// The loop that `run` and `perform_work` run on the caller's thread, if they do.
  [[nodiscard]] virtual event::Reactor* own_loop() noexcept { return nullptr; }

  /// Serves the requests that are ready, on the calling thread. Applications with an event loop of
  /// their own call it. Waits until the deadline if nothing is ready, or while another thread runs
  /// the loop. Returns false if it never ran the loop: the server has threads of its own, the
  /// deadline passed, or the loop has ended.
  virtual bool perform_work(Deadline /*until*/) { return false; }
  [[nodiscard]] virtual bool work_pending() { return false; }
  /// Becomes readable when there is work; -1 where `perform_work` does nothing.
  [[nodiscard]] virtual int work_handle() const noexcept { return -1; }

  /// A POA manager has changed its state: dispatches the held requests again. Any thread.
  virtual void resume_held() noexcept {}

  /// Listens at one more endpoint. All references that are made from now on contain its address.
  /// Returns the endpoint that they publish. Starts the server if it has not been started.
  [[nodiscard]] virtual std::expected<transport::Endpoint, IoError> listen(
      const transport::Endpoint& endpoint) = 0;
  /// Stops listening by protocols that the registry no longer has. References that are made from
  /// now on do not contain their endpoints. Connections go on. Any thread.
  virtual void close_removed() noexcept {}
  /// Makes a reference with one profile for each acceptor. If `preference` is not null, the
  /// reference has the profiles of the preferred protocols, in their order. Starts the server if it
  /// has not been started.
  [[nodiscard]] virtual std::expected<iop::Ior, IoError> make_ior(
      std::string type_id, OctetSpan object_key, const ProtocolPreference* preference) = 0;
  /// Serves a connection that a call has opened and offers to the peer. Null: it cannot be served.
  [[nodiscard]] virtual engine::ConnectionRef adopt(std::unique_ptr<transport::Transport> opened,
                                                    const messaging::MessagingProtocol& messages);
  /// The addresses of this scheme in references to objects of this server. Empty if it has not been
  /// started.
  [[nodiscard]] virtual std::vector<iop::ListenPoint> listen_points(
      std::string_view /*scheme*/) const {
    return {};
  }
  /// Datagrams that transports dropped before their messages were read.
  [[nodiscard]] virtual std::uint64_t datagrams_dropped() const noexcept { return 0; }
  /// Whether references to this endpoint lead to this server: decides about collocated calls.
  [[nodiscard]] virtual bool publishes(const transport::Endpoint& endpoint) const noexcept = 0;
};

}  // namespace perigee::orb
