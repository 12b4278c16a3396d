// A message that is put together in storage of its own: a large one as it arrives, or one in
// fragments. Knows how its storage grows; the reader knows when.
#pragma once

#include "giop_frame_header.h"
#include <perigee/messaging/message.h>

#include <memory>
#include <vector>

namespace perigee::fuzz {

/// Octets that have arrived of one message, without the headers of its fragments.
///
/// Invariant: size() <= capacity, and, while the message is incomplete,
/// capacity <= max(first_capacity, growth_factor * size()) and capacity <= what was announced
/// (or, for a fragmented message, max(that, 2 * size())). So a size field costs its sender
/// real octets. Storage is not initialised: the system gives no memory for what has not arrived.
class Assembly {
 public:
  static constexpr std::size_t first_capacity = 256 * 1024;
  static constexpr std::size_t growth_factor = 4;

  Assembly() noexcept = default;
  /// `first` is the header of the message, or of its first piece; `request_id` is 0 where unknown.
  Assembly(const FrameHeader& first, std::uint32_t request_id) noexcept
      : first_(first),
        request_id_(request_id),
        more_(first.more_fragments),
        is_fragmented_(first.more_fragments) {}

  [[nodiscard]] const FrameHeader& first() const noexcept { return first_; }
  [[nodiscard]] std::uint32_t request_id() const noexcept { return request_id_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t fragments() const noexcept { return fragments_; }
  /// Whether another fragment is to follow the last one begun.
  [[nodiscard]] bool more() const noexcept { return more_; }

  /// A fragment with this header follows.
  void begin_fragment(const FrameHeader& header);
  /// Appends a copy of `octets`, of which `announced` more are to come in the same piece.
  void append(OctetSpan octets, std::size_t announced);
  /// Room for some of the `announced` octets to come (at least one; none if none are).
  MutableOctetSpan space(std::size_t announced);
  /// `count` octets were put into the last space.
  void filled(std::size_t count) noexcept { size_ += count; }

  /// Gives the message away, its header as if it had never been in pieces. Leaves this empty.
  void release(messaging::IncomingMessage& message);

 private:
  void grow(std::size_t needed, std::size_t wanted);
  [[nodiscard]] std::unique_ptr<std::size_t[]> piece_sizes() const;

  std::unique_ptr<std::byte[]> storage_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::vector<std::size_t> cuts_;  // GIOP 1.1: where alignment counts anew
  FrameHeader first_;
  std::uint32_t request_id_ = 0;
  std::uint32_t fragments_ = 0;
  bool more_ = false;
  bool is_fragmented_ = false;
};

}  // namespace perigee::fuzz
