// A message that is assembled in its own storage: a large message as it arrives, or a fragmented
// one. Decides how the storage grows; the reader decides when.
#pragma once

#include "giop_frame_header.h"
#include <perigee/messaging/message.h>

#include <memory>
#include <vector>

namespace perigee::fuzz {

/// Octets that have arrived of one message, without the headers of its fragments.
///
/// Invariant: size() <= capacity. While the message is incomplete, capacity <= max(first_capacity,
/// growth_factor * size()), and capacity <= the announced size (for a fragmented message,
/// max(announced size, 2 * size())). So the receiver allocates little until the sender has sent
/// many octets. Storage is not initialised: the system gives no memory for octets that have not
/// arrived.
class Assembly {
 public:
  static constexpr std::size_t first_capacity = 256 * 1024;
  static constexpr std::size_t growth_factor = 4;

  Assembly() noexcept = default;
  /// `first` is the header of the message, or of its first piece. `request_id` is 0 if it is
  /// unknown.
  Assembly(const FrameHeader& first, std::uint32_t request_id) noexcept
      : first_(first),
        request_id_(request_id),
        more_(first.more_fragments),
        is_fragmented_(first.more_fragments) {}

  [[nodiscard]] const FrameHeader& first() const noexcept { return first_; }
  [[nodiscard]] std::uint32_t request_id() const noexcept { return request_id_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t fragments() const noexcept { return fragments_; }
  /// Whether another fragment follows the present one.
  [[nodiscard]] bool more() const noexcept { return more_; }

  /// A fragment with this header follows.
  void begin_fragment(const FrameHeader& header);
  /// Appends a copy of `octets`. In the same piece, `announced` more octets follow.
  void append(OctetSpan octets, std::size_t announced);
  /// Room for some of the `announced` octets: at least one, or none if `announced` is 0.
  MutableOctetSpan space(std::size_t announced);
  /// The reader has put `count` octets into the last space.
  void filled(std::size_t count) noexcept { size_ += count; }

  /// Moves the message out, with a header as if it had not been in pieces. This object becomes
  /// empty.
  void release(messaging::IncomingMessage& message);

 private:
  void grow(std::size_t needed, std::size_t wanted);
  [[nodiscard]] std::unique_ptr<std::size_t[]> piece_sizes() const;

  std::unique_ptr<std::byte[]> storage_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::vector<std::size_t> cuts_;  // GIOP 1.1: where alignment starts anew
  FrameHeader first_;
  std::uint32_t request_id_ = 0;
  std::uint32_t fragments_ = 0;
  bool more_ = false;
  bool is_fragmented_ = false;
};

}  // namespace perigee::fuzz
