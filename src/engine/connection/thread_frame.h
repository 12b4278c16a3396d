// The memory with which a thread serves connections: for receiving, parsed headers and replies.
#pragma once

#include "engine/connection/read_role.h"
#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/buffer.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/transport.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace perigee::engine {

class Connection;

/// One level of a thread's stack of frames: a nested turn uses the next level. Used by its thread
/// only. Exception: another thread that takes over a lent read role may read `scratch` meanwhile.
struct ThreadFrame {
  MutableOctetSpan scratch;
  cdr::Buffer reply;
  messaging::ContextStorage contexts;

  Connection* connection = nullptr;    ///< whose message is being handled
  std::uint64_t parked_number = 0;     ///< of the message among the parked ones; 0: never parked
  bool parked_lent = false;            ///< other threads may take the next parked request
  std::uint64_t resumptions_seen = 0;  ///< before the upcall: see HoldQueue
  bool more_at_hand = false;           ///< more requests were received together with this one
  bool observes = false;               ///< the thread is in an observer: see StartedCall

  /// Wait::yes: a dedicated reader, which may wait for the client.
  transport::Wait wait = transport::Wait::no;
  /// For a dedicated reader, one bit for each of the last 64 requests: whether it was deferred.
  std::uint64_t deferrals = 0;

  /// On a loop with one thread, the read role is lent only for nested turns.
  enum class Lending : std::uint8_t { none, possible, lent };
  Lending lending = Lending::none;
  ReadRole::Lend lent_role;

 private:
  friend class FrameLevel;
  std::unique_ptr<std::byte[]> octets_;
  std::unique_ptr<ThreadFrame> inner_;
  ThreadFrame* outer_ = nullptr;
};

/// Takes the next frame of the calling thread for the lifetime of this object. Frames stay
/// allocated until the thread ends. False (operator bool): there was no memory.
class FrameLevel {
 public:
  explicit FrameLevel(std::size_t scratch_size) noexcept;
  ~FrameLevel();
  FrameLevel(const FrameLevel&) = delete;
  FrameLevel& operator=(const FrameLevel&) = delete;

  explicit operator bool() const noexcept { return frame_ != nullptr; }
  [[nodiscard]] ThreadFrame& operator*() const noexcept { return *frame_; }

  /// The frame that the calling thread uses now; null if there is none.
  [[nodiscard]] PERIGEE_INTERNAL_API static ThreadFrame* innermost() noexcept;
  /// How many frames the calling thread uses.
  [[nodiscard]] static std::size_t depth() noexcept;

 private:
  [[nodiscard]] static ThreadFrame* make(std::size_t scratch_size) noexcept;

  ThreadFrame* frame_ = nullptr;
};

}  // namespace perigee::engine
