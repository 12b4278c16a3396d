// Two connections that call each other: loops, a handler that echoes, and calls that are awaited.
#pragma once

#include "engine/connection/connection.h"
#include "engine/loops/loop_threads.h"
#include "support/memory_transport.h"
#include <perigee/cdr/encoder.h>
#include <perigee/giop/giop.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace perigee::test {

using engine::CallEnd;
using engine::CallFailure;
using engine::Connection;
using engine::StartStatus;
using messaging::Role;

inline const messaging::MessagingProtocol& giop_messages() {
  static const auto protocol = giop::make_giop();
  return *protocol;
}

/// A request or a reply with a body of octets.
struct Messages {
  static const cdr::Buffer& request(cdr::Buffer& buffer, const messaging::Session& session,
                                    std::uint32_t id, const Octets& body, bool oneway = false) {
    buffer.clear();
    cdr::Encoder encoder(buffer);
    static const Octets key(3, std::byte{'k'});
    const auto response =
        oneway ? messaging::ResponseFlags::none : messaging::ResponseFlags::with_target;
    session.begin_request(
        encoder, {1, 2},
        {.request_id = id, .response = response, .object_key = key, .operation = "echo"},
        messaging::Body::present);
    encoder.write_octets(body);
    session.finish(encoder);
    return buffer;
  }
  static void reply(cdr::Buffer& buffer, const messaging::Session& session, std::uint32_t id,
                    OctetSpan body) {
    buffer.clear();
    cdr::Encoder encoder(buffer);
    session.begin_reply(encoder, {1, 2}, {.request_id = id}, messaging::Body::present);
    encoder.write_octets(body);
    session.finish(encoder);
  }
};

/// Answers each request with its own body. `on_request` runs before, and may call.
class Echo final : public engine::RequestHandler {
 public:
  std::function<void(engine::IncomingRequest&)> on_request;
  std::function<bool(engine::IncomingRequest&)> takes;  ///< true: parked or deferred, no reply now
  std::function<void()> on_full;
  std::function<void()> on_hold_point;
  std::atomic<int> requests{0};
  std::atomic<int> refused{0};
  std::atomic<int> malformed{0};

  void begin(Connection& /*connection*/) noexcept override {}
  void handle(engine::IncomingRequest& request) noexcept override {
    requests.fetch_add(1);
    const OctetSpan rest = request.parsed.body.read_octets(request.parsed.body.remaining());
    const Octets body(rest.begin(), rest.end());
    if (takes && takes(request)) return;
    if (on_request) on_request(request);
    if (request.response() == messaging::ResponseFlags::none) return;
    cdr::Buffer& reply = request.frame.reply;
    Messages::reply(reply, request.connection.session(), request.id(), body);
    request.connection.send(reply, request.frame);
  }
  void refuse(engine::IncomingRequest& request, engine::Refusal /*refusal*/) noexcept override {
    refused.fetch_add(1);
    cdr::Buffer& reply = request.frame.reply;
    reply.clear();
    cdr::Encoder encoder(reply);
    request.connection.session().begin_reply(
        encoder, {1, 2},
        {.request_id = request.id(), .status = messaging::ReplyStatus::system_exception},
        messaging::Body::empty);
    request.connection.session().finish(encoder);
    request.connection.send(reply, request.frame);
  }
  bool locate(Connection& connection, const messaging::IncomingMessage& message,
              engine::ThreadFrame& frame) noexcept override {
    const auto request = connection.session().parse_locate_request(message);
    if (!request) return false;
    frame.reply.clear();
    cdr::Encoder encoder(frame.reply);
    connection.session().begin_locate_reply(
        encoder, {1, 2},
        {.request_id = request->request_id, .status = messaging::LocateStatus::object_here});
    connection.session().finish(encoder);
    connection.send(frame.reply, frame);
    return true;
  }
  const void* hold_point(OctetSpan /*key*/) noexcept override {
    if (on_hold_point) on_hold_point();
    return nullptr;
  }
  void tell_full(Connection& /*connection*/) noexcept override {
    if (on_full) on_full();
  }
  bool cancels() const noexcept override { return false; }
  void count_malformed() noexcept override { malformed.fetch_add(1); }
};

/// A loop with its threads and its home. A single thread runs nested turns while it waits for a
/// reply. If several threads serve the loop, spare threads replace threads that wait.
class Side final : public engine::HomeOwner {
 public:
  static constexpr std::size_t parked_size_max = std::size_t{4} << 20;

  explicit Side(std::uint32_t thread_count = 2, std::size_t parked_size = parked_size_max)
      : parked(parked_size),
        timers_(thread_count == 1 ? nullptr : std::move(*event::make_reactor())),
        loop(steady_clock(),
             std::move(*event::make_reactor(
                 steady_clock(), {},
                 thread_count == 1 ? event::Threads::one : event::Threads::several)),
             timers_.get()),
        threads(loop, thread_count, spares_),
        home(context, handler, *this, loop, traffic) {
    loop.set_threads(threads);
    if (timers_) timer_thread_ = std::thread([this] { timers_->run(); });
    REQUIRE(threads.start());
  }
  ~Side() {
    home.for_each([](Connection& connection) { connection.cut(); });
    await_no_connection();
    loop.reactor().stop();
    threads.join();
    if (timers_) timers_->stop();
    if (timer_thread_.joinable()) timer_thread_.join();
  }

  Connection& connect(std::unique_ptr<transport::Transport> transport, Role role,
                      Connection::Reading reading = Connection::Reading::on_loop) {
    auto* const made =
        new Connection(home, {std::move(transport), &giop_messages()}, reading, role);
    made->agreement().bidirectional.store(true);
    if (reading == Connection::Reading::on_loop) {
      REQUIRE(made->start());
    } else {
      REQUIRE(made->start_dedicated());
      made->add_reference();
      dedicated_ = std::thread([made] {
        made->serve_dedicated();
        made->drop_reference();
      });
    }
    return *made;  // the test takes over the creator's reference
  }
  void await_no_connection() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return home.size() == 0; });
    lock.unlock();
    if (dedicated_.joinable()) dedicated_.join();
  }
  void connection_ended(engine::Place /*place*/) noexcept override {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  bool dedicate(Connection& /*connection*/) noexcept override {
    dedicates.fetch_add(1);
    return false;
  }
  bool may_dedicate() const noexcept override { return false; }

  std::atomic<int> dedicates{0};

  engine::EngineSettings settings;
  engine::RequestCount request_count{100'000};
  engine::ParkedOctets parked;
  engine::EngineContext context{steady_clock(), settings, request_count, parked};
  engine::TrafficLedger traffic;
  Echo handler;

 private:
  std::unique_ptr<event::Reactor> timers_;
  engine::SpareThreads spares_{64};
  std::thread timer_thread_;
  std::thread dedicated_;
  std::mutex mutex_;
  std::condition_variable changed_;

 public:
  engine::Loop loop;
  engine::LoopThreads threads;
  engine::Home home;
};

/// A call that remembers its end. Owned by the test.
class TestCall final : public engine::StartedCall {
 public:
  explicit TestCall(bool blocks = false) { may_block = blocks; }

  StartStatus start(Connection& connection, const Octets& body, Deadline deadline = {},
                    bool oneway = false) {
    expects_reply = !oneway;
    cdr::Buffer buffer;
    return connection.start_call(
        *this,
        [&](const messaging::Session& session, std::uint32_t number) {
          return &Messages::request(buffer, session, number, body, oneway);
        },
        deadline);
  }
  void ended(CallEnd& end) noexcept override {
    if (on_end) on_end(end);
    const std::lock_guard lock(mutex_);
    ++ends_;
    failure_ = end.failure;
    not_executed_ = end.not_executed();
    if (end.reply != nullptr) {
      const OctetSpan rest = end.reply->body.read_octets(end.reply->body.remaining());
      body_.assign(rest.begin(), rest.end());
      status_ = end.reply->header.status;
    }
    changed_.notify_all();
  }
  CallFailure await() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ends_ != 0; });
    CHECK(ends_ == 1);
    return failure_;
  }
  [[nodiscard]] const Octets& body() const { return body_; }
  [[nodiscard]] bool not_executed() const { return not_executed_; }
  [[nodiscard]] messaging::ReplyStatus status() const { return status_; }
  [[nodiscard]] int ends() {
    const std::lock_guard lock(mutex_);
    return ends_;
  }

  std::function<void(CallEnd&)> on_end;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int ends_ = 0;
  CallFailure failure_ = CallFailure::none;
  bool not_executed_ = false;
  messaging::ReplyStatus status_ = messaging::ReplyStatus::no_exception;
  Octets body_;
};

/// An opener and an acceptor on two sides.
struct BothWays {
  struct Plan {
    std::uint32_t opener_threads = 2;
    std::uint32_t acceptor_threads = 2;
    PipeFaults to_acceptor;
    PipeFaults to_opener;
    std::size_t opener_parked_size = Side::parked_size_max;
    Connection::Reading acceptor_reading = Connection::Reading::on_loop;
  };
  BothWays() : BothWays(Plan{}) {}
  explicit BothWays(const Plan& plan, const std::function<void(BothWays&)>& before = {})
      : opener_side(plan.opener_threads, plan.opener_parked_size),
        acceptor_side(plan.acceptor_threads) {
    if (before) before(*this);
    MemoryPair pair = make_memory_pair(plan.to_acceptor, plan.to_opener);
    memory = pair.connection;
    acceptor =
        &acceptor_side.connect(std::move(pair.second), Role::acceptor, plan.acceptor_reading);
    opener = &opener_side.connect(std::move(pair.first), Role::opener);
  }
  ~BothWays() {
    opener->check_invariants();
    acceptor->check_invariants();
    opener->drop_reference();
    acceptor->drop_reference();
  }

  Side opener_side;
  Side acceptor_side;
  std::shared_ptr<MemoryConnection> memory;
  Connection* opener = nullptr;
  Connection* acceptor = nullptr;
};

/// Takes the place of a request whose reply is sent later. Owned by the test.
class Later final : public engine::DeferredRequest {
 public:
  explicit Later(engine::IncomingRequest& request)
      : engine::DeferredRequest(request.id(), request.version(), request.response()),
        connection_(request.connection) {
    connection_.defer(request, *this);
  }
  void reply() {
    cdr::Buffer buffer;
    Messages::reply(buffer, connection_.session(), id(), {});
    connection_.send_deferred(buffer);
    connection_.end_deferred(*this);
  }
  void add_reference() noexcept override {}
  void drop_reference() noexcept override {}
  void stop() noexcept override {}

 private:
  Connection& connection_;
};

inline Octets octets_of(std::size_t size, int seed = 0) {
  Octets made(size);
  for (std::size_t index = 0; index < size; ++index)
    made[index] = static_cast<std::byte>(index * 7 + static_cast<std::size_t>(seed));
  return made;
}

}  // namespace perigee::test
