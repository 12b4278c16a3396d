// Channel: sends with a deadline, and the messages that other threads queue meanwhile. The
// transport takes as many octets as the test allows; its time-outs pass when the test says so.
#include "engine/connection/channel.h"
#include "orb/fixture.h"

#include <doctest/doctest.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

namespace perigee::test {

using engine::Channel;
using engine::ReadStatus;
using engine::SendResult;
using engine::SendStatus;
using transport::Wait;

namespace {

class StallingTransport final : public transport::Transport {
 public:
  void allow(std::size_t octets) {
    const std::lock_guard lock(mutex_);
    allowance_ += octets;
    changed_.notify_all();
  }
  void let_time_pass() {
    const std::lock_guard lock(mutex_);
    time_is_over_ = true;
    changed_.notify_all();
  }
  void await_send(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sends_ >= count; });
  }
  void await_taken(std::size_t size) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return taken_.size() >= size; });
  }
  [[nodiscard]] Octets taken() {
    const std::lock_guard lock(mutex_);
    return taken_;
  }
  [[nodiscard]] bool interrupted() {
    const std::lock_guard lock(mutex_);
    return interrupted_;
  }

  IoResult send(std::span<const OctetSpan> segments, Wait wait) override {
    std::unique_lock lock(mutex_);
    ++sends_;
    changed_.notify_all();
    std::size_t count = 0;
    for (OctetSpan segment : segments)
      while (!segment.empty()) {
        const std::size_t part = std::min(segment.size(), allowance_);
        taken_.insert(taken_.end(), segment.begin(), segment.begin() + std::ptrdiff_t(part));
        allowance_ -= part;
        count += part;
        segment = segment.subspan(part);
        changed_.notify_all();
        if (segment.empty()) break;
        if (wait == Wait::no) return {count, count == 0 ? IoStatus::would_block : IoStatus::ok, 0};
        const bool limited = send_timeout_.count() != 0;
        if (limited && count != 0) return {count, IoStatus::ok, 0};
        changed_.wait(
            lock, [&] { return allowance_ != 0 || interrupted_ || (limited && time_is_over_); });
        if (interrupted_) return {count, IoStatus::failed, EPIPE};
        if (allowance_ == 0) return {count, IoStatus::timed_out, 0};
      }
    return {count, IoStatus::ok, 0};
  }
  IoResult receive(MutableOctetSpan, Wait) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return interrupted_; });
    return {0, IoStatus::end_of_stream, 0};
  }
  IoResult set_receive_timeout(std::chrono::microseconds) override { return {}; }
  IoResult set_send_timeout(std::chrono::microseconds timeout) override {
    const std::lock_guard lock(mutex_);
    send_timeout_ = timeout;
    return {};
  }
  void shutdown_send() noexcept override {}
  void interrupt() noexcept override {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    changed_.notify_all();
  }
  [[nodiscard]] int readiness_fd() const noexcept override { return -1; }
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }

 private:
  std::string peer_ = "test://stalling";
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t allowance_ = 0;
  std::size_t sends_ = 0;
  Octets taken_;
  bool time_is_over_ = false;
  bool interrupted_ = false;
  std::chrono::microseconds send_timeout_{0};
};

constexpr std::size_t everything = 1'000'000;

cdr::Buffer message_of(std::uint8_t value) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  giop_session().begin_request(encoder, {1, 2}, messaging::RequestHeader{.operation = "ping"},
                               messaging::Body::present);
  encoder.write_octets(Octets(200, std::byte{value}));
  giop_session().finish(encoder);
  return buffer;
}

Octets in_a_row(std::initializer_list<const cdr::Buffer*> messages) {
  Octets result;
  for (const cdr::Buffer* message : messages) {
    const Octets octets = message->flatten();
    result.insert(result.end(), octets.begin(), octets.end());
  }
  return result;
}

Deadline in(Duration time) { return Deadline::after(time, steady_clock().now()); }

struct Stalled {
  Stalled() : Stalled(std::make_unique<StallingTransport>()) {}
  explicit Stalled(std::unique_ptr<StallingTransport> owned)
      : transport(*owned), connection(std::move(owned), giop_protocol(), messaging::Role::opener) {}

  // The deadline is late enough for the send to begin before it, even if its thread is delayed.
  std::future<SendResult> send_limited(const cdr::Buffer& message) {
    return std::async(std::launch::async, [&] {
      return connection.send(message, Wait::yes, in(std::chrono::seconds(2)));
    });
  }
  StallingTransport& transport;
  Channel connection;
  const cdr::Buffer first = message_of(1);
  const cdr::Buffer second = message_of(2);
  const cdr::Buffer third = message_of(3);
};

}  // namespace

TEST_CASE("a deadline that passes before its message is sent does not affect other messages") {
  Stalled f;
  auto limited = f.send_limited(f.first);
  f.transport.await_send(1);
  const SendResult other = f.connection.send(f.second, Wait::yes);  // does not wait for the first
  CHECK(other.status == SendStatus::queued);
  f.transport.let_time_pass();
  CHECK(limited.get().status == SendStatus::timed_out);
  CHECK(f.connection.blocked_output());
  f.transport.allow(everything);
  CHECK(f.connection.flush());
  CHECK(f.connection.sent(other.position));
  CHECK(f.transport.taken() == in_a_row({&f.second}));
  CHECK_FALSE(f.connection.broken());
  CHECK(f.connection.idle_output());
}

TEST_CASE("a deadline that passes in the middle of its message shuts the connection down") {
  Stalled f;
  auto limited = f.send_limited(f.first);
  auto reader = std::async(std::launch::async, [&] {
    messaging::IncomingMessage message;
    return f.connection.read(message, Wait::yes);
  });
  f.transport.await_send(1);
  const SendResult other = f.connection.send(f.second, Wait::yes);
  f.transport.allow(10);
  f.transport.await_taken(10);
  f.transport.let_time_pass();
  CHECK(limited.get().status == SendStatus::failed);
  CHECK_FALSE(f.connection.accepted(other.position));
  CHECK(f.transport.interrupted());
  f.connection.close();  // a reader that was not interrupted must not block the test
  CHECK(reader.get() == ReadStatus::end_of_stream);
  CHECK(f.transport.taken().size() == 10);
}

TEST_CASE("a thread with a deadline waits for its own message only") {
  Stalled f;
  auto limited = f.send_limited(f.first);
  f.transport.await_send(1);
  const SendResult other = f.connection.send(f.second, Wait::yes);
  const std::size_t size = in_a_row({&f.first}).size();
  f.transport.allow(size + 10);
  CHECK(limited.get().status == SendStatus::sent);
  CHECK(f.connection.blocked_output());
  CHECK_FALSE(f.connection.sent(other.position));
  f.transport.let_time_pass();
  f.transport.allow(everything);
  CHECK(f.connection.flush());
  CHECK(f.connection.sent(other.position));
  CHECK(f.transport.taken() == in_a_row({&f.first, &f.second}));
  CHECK_FALSE(f.connection.broken());
}

TEST_CASE("a queued message whose send has begun stays, and is sent before later messages") {
  Stalled f;
  auto limited = f.send_limited(f.first);
  f.transport.await_send(1);
  const SendResult cut = f.connection.send(f.second, Wait::yes);
  f.transport.allow(in_a_row({&f.first}).size() + 10);
  CHECK(limited.get().status == SendStatus::sent);
  CHECK_FALSE(f.connection.withdraw(cut.position));
  CHECK(f.connection.send(f.third, Wait::yes).status == SendStatus::queued);
  f.transport.allow(everything);
  CHECK(f.connection.flush());
  CHECK(f.transport.taken() == in_a_row({&f.first, &f.second, &f.third}));
  CHECK(f.connection.idle_output());
}

TEST_CASE("a queued message is withdrawn if its deadline passes before its send begins") {
  Stalled f;
  auto limited = f.send_limited(f.first);
  f.transport.await_send(1);
  const SendResult late = f.connection.send(f.second, Wait::yes);
  CHECK_FALSE(f.connection.await_sent(late.position, in(std::chrono::milliseconds(1))));
  CHECK(f.connection.withdraw(late.position));
  f.transport.allow(everything);
  CHECK(limited.get().status == SendStatus::sent);
  CHECK(f.transport.taken() == in_a_row({&f.first}));
  CHECK(f.connection.idle_output());
}

TEST_CASE("the flusher of blocking callers sends what the transport did not take at once") {
  engine::OutputFlusher flusher;
  auto owned = std::make_unique<StallingTransport>();
  StallingTransport& transport = *owned;
  Channel connection(std::move(owned), giop_protocol(), messaging::Role::opener,
                     {.flusher = &flusher});
  const cdr::Buffer message = message_of(1);
  CHECK(connection.send(message, Wait::no).status == SendStatus::queued);
  const SendResult second = connection.send(message, Wait::yes);
  connection.finish_output();
  CHECK_FALSE(connection.output_ended());
  transport.allow(everything);
  CHECK(connection.await_sent(second.position, in(std::chrono::seconds(30))));
  connection.leave_flusher();
  CHECK(transport.taken() == in_a_row({&message, &message}));
}

}  // namespace perigee::test
