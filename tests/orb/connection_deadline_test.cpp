// Connection: sends with a deadline, and what becomes of the messages that others have queued. The
// transport takes what the test allows; its time-outs pass when the test says so.
#include "orb/connection/connection.h"
#include "orb/fixture.h"

#include <doctest/doctest.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

namespace perigee::test {

using orb::CallDeadline;
using orb::Connection;
using orb::ReadStatus;
using orb::SendResult;
using orb::SendStatus;
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

  IoResult send(std::span<const OctetSpan> segments, Wait) override {
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
  giop_protocol().begin_request(encoder, {1, 2}, messaging::RequestHeader{.operation = "ping"},
                                messaging::Body::present);
  encoder.write_octets(Octets(200, std::byte{value}));
  giop_protocol().finish(encoder);
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

struct Stalled {
  Stalled() : Stalled(std::make_unique<StallingTransport>()) {}
  explicit Stalled(std::unique_ptr<StallingTransport> owned)
      : transport(*owned), connection(std::move(owned), giop_protocol()) {}

  std::future<SendResult> send_limited(const cdr::Buffer& message) {
    return std::async(std::launch::async, [&] {
      const CallDeadline deadline(std::chrono::milliseconds(1));
      return connection.send(message, Wait::yes, orb::Drain::now, &deadline);
    });
  }
  // While another one's send stands still: the message is queued when this returns.
  std::future<SendResult> send_behind(const cdr::Buffer& message,
                                      const CallDeadline* deadline = nullptr) {
    const SendResult queued = connection.send(message, Wait::yes, orb::Drain::later, deadline);
    REQUIRE(queued.drain_owed);
    return std::async(std::launch::async, [this, queued, deadline] {
      return connection.drain_queue(queued, deadline);
    });
  }

  StallingTransport& transport;
  Connection connection;
  const cdr::Buffer first = message_of(1);
  const cdr::Buffer second = message_of(2);
  const cdr::Buffer third = message_of(3);
};

}  // namespace

TEST_CASE("a deadline that passes before its message leaves what others have queued to them") {
  Stalled f;
  auto limited = f.send_limited(f.first);
  f.transport.await_send(1);
  auto other = f.send_behind(f.second);
  f.transport.let_time_pass();
  CHECK(limited.get().status == SendStatus::timed_out);
  f.transport.allow(everything);
  CHECK(other.get().status == SendStatus::sent);
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
  auto other = f.send_behind(f.second);
  f.transport.allow(10);
  f.transport.await_taken(10);
  f.transport.let_time_pass();
  CHECK(limited.get().status == SendStatus::failed);
  CHECK(other.get().status == SendStatus::failed);
  CHECK(f.transport.interrupted());
  f.connection.close();  // a reader that nobody has told must not block the test
  CHECK(reader.get() == ReadStatus::end_of_stream);
  CHECK(f.transport.taken().size() == 10);
}

TEST_CASE("who has a deadline sends its own message only, the others send theirs") {
  Stalled f;
  auto limited = f.send_limited(f.first);
  f.transport.await_send(1);
  auto other = f.send_behind(f.second);
  const std::size_t size = in_a_row({&f.first}).size();
  f.transport.allow(size + 10);
  CHECK(limited.get().status == SendStatus::sent);
  f.transport.await_taken(size + 10);
  f.transport.let_time_pass();  // nobody's any longer
  f.transport.allow(everything);
  CHECK(other.get().status == SendStatus::sent);
  CHECK(f.transport.taken() == in_a_row({&f.first, &f.second}));
  CHECK_FALSE(f.connection.broken());
}

TEST_CASE("a queued message that a deadline cuts is finished by who sends next") {
  Stalled f;
  auto limited = f.send_limited(f.first);
  f.transport.await_send(1);
  const CallDeadline deadline(std::chrono::seconds(1));
  auto cut = f.send_behind(f.second, &deadline);
  const std::size_t size = in_a_row({&f.first}).size();
  f.transport.allow(size);
  CHECK(limited.get().status == SendStatus::sent);
  f.transport.await_send(2);
  f.transport.allow(10);
  f.transport.await_taken(size + 10);
  f.transport.let_time_pass();
  const SendResult result = cut.get();
  REQUIRE(result.status == SendStatus::queued);
  CHECK_FALSE(f.connection.withdraw(result.position));
  f.transport.allow(everything);
  CHECK(f.connection.send(f.third, Wait::yes).status == SendStatus::sent);
  CHECK(f.transport.taken() == in_a_row({&f.first, &f.second, &f.third}));
  CHECK(f.connection.idle_output());
}

}  // namespace perigee::test
