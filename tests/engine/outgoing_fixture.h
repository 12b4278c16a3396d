// A transport whose sends are a function of the test, and messages that can be told apart.
#pragma once

#include "engine/connection/outgoing_queue.h"
#include <perigee/base/counted_ptr.h>
#include <perigee/cdr/pinned_memory.h>
#include <perigee/transport/transport.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace perigee::test {

using engine::Hold;
using engine::OutgoingCounts;
using engine::OutgoingLimits;
using engine::OutgoingQueue;
using engine::Progress;
using engine::Sent;
using engine::Ticket;
using transport::Wait;

/// Remembers the octets that it takes.
class SendingTransport final : public transport::Transport {
 public:
  SendingTransport() = default;
  explicit SendingTransport(const transport::Features& features) : Transport(features) {}

  /// Gives the result of `send`, with the number of octets that it takes. Empty: it takes all.
  std::function<IoResult(std::span<const OctetSpan> segments, Wait wait)> on_send;
  std::function<void()> on_end;
  std::function<void()> on_begin;  ///< called by `begin_direct`
  /// Gives the result of `finish`. Only for transports with the feature `finishes`.
  std::function<IoResult()> on_finish = [this]() -> IoResult {
    shutdown_send();
    return {};
  };
  Octets taken;
  Octets place;  ///< the memory in which messages are made
  int commit_error = 0;
  std::chrono::microseconds send_timeout{0};
  bool ended = false;
  bool interrupted = false;

  IoResult send(std::span<const OctetSpan> segments, Wait wait) override {
    const auto called = on_send;  // which may replace `on_send`
    const IoResult result = called ? called(segments, wait) : all_of(segments);
    std::size_t left = result.count;
    for (const OctetSpan segment : segments) {
      const OctetSpan part = segment.first(std::min(left, segment.size()));
      taken.insert(taken.end(), part.begin(), part.end());
      left -= part.size();
    }
    return result;
  }
  IoResult finish(Wait /*wait*/) override { return on_finish(); }
  MutableOctetSpan begin_direct(std::size_t hint) noexcept override {
    if (on_begin) on_begin();
    return hint <= place.size() ? MutableOctetSpan(place) : MutableOctetSpan();
  }
  IoResult commit(std::size_t count) noexcept override {
    if (commit_error != 0) return {0, IoStatus::failed, commit_error};
    taken.insert(taken.end(), place.begin(), place.begin() + std::ptrdiff_t(count));
    return {count, IoStatus::ok, 0};
  }
  [[nodiscard]] static IoResult all_of(std::span<const OctetSpan> segments) {
    std::size_t size = 0;
    for (const OctetSpan segment : segments) size += segment.size();
    return {size, IoStatus::ok, 0};
  }
  IoResult receive(MutableOctetSpan, Wait) override { return {0, IoStatus::end_of_stream, 0}; }
  IoResult set_receive_timeout(std::chrono::microseconds) override { return {}; }
  IoResult set_send_timeout(std::chrono::microseconds timeout) override {
    send_timeout = timeout;
    return {};
  }
  void shutdown_send() noexcept override {
    ended = true;
    if (on_end) on_end();
  }
  void interrupt() noexcept override { interrupted = true; }
  [[nodiscard]] int readiness_fd() const noexcept override { return -1; }
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }

 private:
  std::string peer_ = "test://sending";
};

/// A message: its number, its size, and octets that follow from its number.
inline Octets numbered_message(std::uint32_t number, std::size_t size) {
  Octets octets(std::max<std::size_t>(size, 8), static_cast<std::byte>(number * 7 + 1));
  const auto length = static_cast<std::uint32_t>(octets.size());
  std::memcpy(octets.data(), &number, sizeof number);
  std::memcpy(octets.data() + 4, &length, sizeof length);
  return octets;
}

struct ReceivedMessages {
  std::vector<std::uint32_t> numbers;
  std::size_t rest = 0;  ///< octets of the last message, if it was cut
  bool garbled = false;
};

/// Takes the messages apart again.
inline ReceivedMessages parse_messages(OctetSpan octets) {
  ReceivedMessages result;
  while (octets.size() >= 8) {
    std::uint32_t number = 0;
    std::uint32_t length = 0;
    std::memcpy(&number, octets.data(), sizeof number);
    std::memcpy(&length, octets.data() + 4, sizeof length);
    if (length < 8) result.garbled = true;
    if (length < 8 || length > octets.size()) break;
    for (const std::byte octet : octets.subspan(8, length - 8))
      if (octet != static_cast<std::byte>(number * 7 + 1)) result.garbled = true;
    result.numbers.push_back(number);
    octets = octets.subspan(length);
  }
  result.rest = octets.size();
  return result;
}

/// The octets as the one segment of a message.
class OneSegment {
 public:
  explicit OneSegment(const Octets& octets) : span_(octets) {}
  operator OutgoingQueue::Segments() const { return {&span_, 1}; }  // NOLINT

 private:
  OctetSpan span_;
};

/// Octets that several owners share. Each pointer to this object is one owner.
class SharedOctets final : public cdr::PinnedMemory {
 public:
  explicit SharedOctets(Octets shared) : octets(std::move(shared)) {}
  ~SharedOctets() override { std::ranges::fill(octets, std::byte{0xdd}); }
  SharedOctets(const SharedOctets&) = delete;
  SharedOctets& operator=(const SharedOctets&) = delete;

  Octets octets;
};

/// Lends a message, which stays as long as the lender or a queue needs it.
class OctetsLender final : public cdr::Lender {
 public:
  explicit OctetsLender(Octets message)
      : memory_(make_counted<SharedOctets>(std::move(message))), weak_(memory_) {}

  [[nodiscard]] OctetSpan octets() const noexcept override { return memory_->octets; }
  [[nodiscard]] counted_ptr<cdr::PinnedMemory> share() override {
    ++shares;
    return memory_;
  }
  /// From now on only queues keep the message.
  void drop() { memory_ = nullptr; }
  [[nodiscard]] bool is_kept() const { return weak_.lock() != nullptr; }

  int shares = 0;

 private:
  counted_ptr<SharedOctets> memory_;
  weak_counted_ptr<SharedOctets> weak_;
};

/// Advances by one microsecond each time that it is read.
class CreepingClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const noexcept override {
    return now_ += std::chrono::microseconds(1);
  }
  void advance(Duration duration) { now_ += duration; }

 private:
  mutable TimePoint now_ = TimePoint(std::chrono::hours(1));
};

}  // namespace perigee::test
