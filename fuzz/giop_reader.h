// An earlier implementation of GIOP framing. fuzz_inbox compares the results of the inbox with it.
#pragma once

#include "giop_assembly.h"
#include "giop_frame_header.h"
#include <perigee/messaging/protocol.h>

#include <optional>
#include <vector>

namespace perigee::fuzz {

/// The receiving side of one connection. Only the thread with the read token may use it.
///
/// The received octets are [begin_, end_) of data_, which is the caller's scratch space or held_.
/// They always begin with the header of a frame, or a part of it. While a large frame is read
/// (remaining_ != 0) the range is empty: all octets that arrive belong to current_.
///
/// Invariant: begin_ <= end_ <= capacity_, and remaining_ != 0 implies is_filling_ and
/// begin_ == end_. held_ is empty unless data_ is in it, and then begin_ != end_.
class Reader final {
 public:
  enum class Next : std::uint8_t { message, need_more, error };

  explicit Reader(const messaging::Limits& limits) noexcept : limits_(limits) {}

  MutableOctetSpan receive_space(MutableOctetSpan scratch);
  void received(std::size_t count);
  Next next(messaging::IncomingMessage& message);
  [[nodiscard]] bool has_octets() const noexcept;
  void detach_scratch();
  [[nodiscard]] FramingError error() const noexcept {
    return error_.value_or(FramingError::bad_header);  // a header that could not be parsed
  }

 private:
  [[nodiscard]] std::size_t available() const noexcept { return end_ - begin_; }
  [[nodiscard]] const std::byte* front() const noexcept { return data_ + begin_; }
  /// The request id after the header of a 1.2 piece; 0 in 1.1, where pieces have no id.
  [[nodiscard]] std::uint32_t piece_id() const noexcept;

  bool look_at_front();
  [[nodiscard]] std::optional<FramingError> check_piece() const noexcept;
  [[nodiscard]] std::optional<FramingError> check_first_piece() const noexcept;
  [[nodiscard]] std::optional<FramingError> check_fragment() const noexcept;
  [[nodiscard]] bool fits(std::size_t added) const noexcept;

  void deliver_view(messaging::IncomingMessage& message);
  void begin_storage();
  bool end_storage(messaging::IncomingMessage& message);
  [[nodiscard]] const Assembly* find_partial(Version version, std::uint32_t id) const noexcept;
  Assembly take_partial(Version version, std::uint32_t id);
  void drop_cancelled(const messaging::IncomingMessage& message) noexcept;

  [[nodiscard]] bool rest_fits_in_place(MutableOctetSpan scratch) const noexcept;
  MutableOctetSpan move_leftover(MutableOctetSpan scratch);
  MutableOctetSpan extend_held(std::size_t count);
  void free_held() noexcept;

  messaging::Limits limits_;
  std::byte* data_ = nullptr;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t capacity_ = 0;
  Octets held_;
  FrameHeader frame_;          // the frame at the front, if frame_known_
  bool frame_known_ = false;   // frame_ is parsed and checked
  bool is_filling_ = false;    // current_ has a frame that had not arrived as a whole
  std::size_t remaining_ = 0;  // octets of that frame that have not arrived
  Assembly current_;
  std::vector<Assembly> partials_;
  std::optional<FramingError> error_;
};

}  // namespace perigee::fuzz
