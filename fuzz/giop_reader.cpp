// The state machine of the reader. The steps of a whole message are inlined into `next`. The reader
// checks the frame header, then the rules for pieces of a fragmented message, then limits. After
// these checks it allocates storage.
#include "giop_reader.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace perigee::fuzz {

using messaging::IncomingMessage;

namespace {

/// Moving at most this many octets costs less than a system call.
constexpr std::size_t moved_size_max = 4096;

/// The request id at the front of a 1.2 message or of a cancel request of any version.
std::uint32_t request_id_of(OctetSpan message, std::endian order) noexcept {
  return load_ulong(message.data() + frame_header_size, order);
}

}  // namespace

MutableOctetSpan Reader::receive_space(MutableOctetSpan scratch) {
  assert(scratch.size() >= 1024);
  if (remaining_ != 0) return current_.space(remaining_);
  if (begin_ != end_)
    return rest_fits_in_place(scratch) ? scratch.subspan(end_) : move_leftover(scratch);
  data_ = scratch.data();
  begin_ = end_ = 0;
  capacity_ = scratch.size();
  return scratch;
}

/// The received part of a large frame is not moved if there is room for the rest after it. A small
/// part is moved to the front, so that more octets can be received at once.
bool Reader::rest_fits_in_place(MutableOctetSpan scratch) const noexcept {
  return data_ == scratch.data() && capacity_ == scratch.size() && frame_known_ &&
         available() > moved_size_max && available() < frame_.total &&
         frame_.total <= capacity_ - begin_;
}

/// Finds room for the rest of an incomplete frame.
MutableOctetSpan Reader::move_leftover(MutableOctetSpan scratch) {
  if (frame_known_ && !error_ && frame_.total > scratch.size() &&
      available() >= identified_header_size && available() < frame_.total) {
    begin_storage();
    return current_.space(remaining_);
  }
  const std::size_t count = available();
  // This happens only if the caller did not take messages, or if the earlier scratch space was
  // larger.
  if (count >= scratch.size()) return extend_held(scratch.size());
  std::memmove(scratch.data(), front(), count);
  held_ = Octets();
  data_ = scratch.data();
  begin_ = 0;
  end_ = count;
  capacity_ = scratch.size();
  return scratch.subspan(count);
}

/// Moves the received octets to held_, and returns room for `count` octets after them.
MutableOctetSpan Reader::extend_held(std::size_t count) {
  Octets held(available() + count);
  const std::size_t leftover = available();
  std::memcpy(held.data(), front(), leftover);
  held_ = std::move(held);
  data_ = held_.data();
  begin_ = 0;
  end_ = leftover;
  capacity_ = held_.size();
  return MutableOctetSpan(held_).subspan(leftover);
}

/// Frees held_ when it is empty: the connection may be idle for a long time before it asks for
/// space again. No message refers to held_.
void Reader::free_held() noexcept {
  if (begin_ != end_ || held_.empty()) return;
  Octets().swap(held_);
  data_ = nullptr;
  begin_ = end_ = capacity_ = 0;
}

void Reader::received(std::size_t count) {
  if (remaining_ != 0) {
    assert(count <= remaining_);
    current_.filled(count);
    remaining_ -= count;
    return;
  }
  assert(count <= capacity_ - end_);
  end_ += count;
}

void Reader::detach_scratch() {
  if (begin_ == end_ || data_ == held_.data()) return;
  extend_held(0);
}

bool Reader::has_octets() const noexcept {
  return begin_ != end_ || is_filling_ || !partials_.empty();
}

Reader::Next Reader::next(IncomingMessage& message) {
  if (remaining_ != 0) return Next::need_more;
  if (is_filling_ && end_storage(message)) return Next::message;
  while (look_at_front() && available() >= frame_.total) {
    if (!frame_.is_piece()) [[likely]] {
      deliver_view(message);
      return Next::message;
    }
    begin_storage();
    if (end_storage(message)) return Next::message;
  }
  return error_ ? Next::error : Next::need_more;
}

/// Reads and checks the header of the frame at the front. False after an error, or if octets of the
/// header are missing.
[[gnu::always_inline]] inline bool Reader::look_at_front() {
  if (frame_known_) return true;
  if (error_ || available() < frame_header_size) return false;
  const auto frame = parse_frame_header(front(), limits_.message_size_max);
  if (!frame) {
    error_ = frame.error();
    return false;
  }
  frame_ = *frame;
  if (frame_.is_piece()) [[unlikely]] {
    const bool has_id = frame_.version.minor >= 2 && frame_.total >= identified_header_size;
    if (has_id && available() < identified_header_size) return false;
    error_ = check_piece();
    if (error_) return false;
  }
  frame_known_ = true;
  return true;
}

std::uint32_t Reader::piece_id() const noexcept {
  if (frame_.version.minor < 2) return 0;
  return request_id_of({front(), identified_header_size}, frame_.order);
}

// CORBA 3.0, 15.4.9; interop facts 7 and 8 of docs/interop.md.
std::optional<FramingError> Reader::check_piece() const noexcept {
  if (frame_.version.minor >= 2) {
    if (frame_.total < identified_header_size) return FramingError::bad_fragment;
    if (frame_.more_fragments && frame_.total % 8 != 0) return FramingError::bad_fragment;
  }
  return frame_.type == FrameType::fragment ? check_fragment() : check_first_piece();
}

std::optional<FramingError> Reader::check_first_piece() const noexcept {
  if (!can_be_fragmented(frame_.type, frame_.version)) return FramingError::bad_fragment;
  if (find_partial(frame_.version, piece_id()) != nullptr) return FramingError::bad_fragment;
  if (partials_.size() >= limits_.partial_messages_max) return FramingError::too_large;
  if (!fits(frame_.total)) return FramingError::too_large;
  return std::nullopt;
}

std::optional<FramingError> Reader::check_fragment() const noexcept {
  const Assembly* partial = find_partial(frame_.version, piece_id());
  if (partial == nullptr || partial->first().order != frame_.order)
    return FramingError::bad_fragment;
  if (partial->fragments() >= limits_.fragments_max) return FramingError::too_large;
  const std::size_t payload = frame_.total - frame_header_size;  // includes the id
  if (partial->size() + payload > limits_.message_size_max) return FramingError::too_large;
  if (!fits(payload)) return FramingError::too_large;
  return std::nullopt;
}

/// Whether all fragmented messages together may take `added` more octets.
bool Reader::fits(std::size_t added) const noexcept {
  std::uint64_t size = added;
  for (const Assembly& partial : partials_) size += partial.size();
  return size <= limits_.partial_size_max;
}

/// The hot path: returns a whole message as a view into the received octets. If these octets are in
/// held_, the message is copied: during the upcall, another thread may ask for space, which frees
/// held_.
[[gnu::always_inline]] inline void Reader::deliver_view(IncomingMessage& message) {
  message.kind = static_cast<MessageKind>(frame_.type);
  message.version = frame_.version;
  message.order = frame_.order;
  message.octets = {front(), frame_.total};
  message.header_size = frame_.header_size;
  message.storage.reset();
  message.piece_sizes.reset();
  const bool detached = data_ == held_.data();
  if (detached) message.keep();
  begin_ += frame_.total;
  if (detached) free_held();
  frame_known_ = false;
  if (message.kind == MessageKind::cancel_request && !partials_.empty()) drop_cancelled(message);
}

/// Moves the received part of the frame at the front to current_. The rest of the frame will follow
/// it.
void Reader::begin_storage() {
  std::size_t skipped = 0;
  if (frame_.type == FrameType::fragment) {
    current_ = take_partial(frame_.version, piece_id());
    current_.begin_fragment(frame_);
    skipped = frame_.version.minor >= 2 ? identified_header_size : frame_header_size;
  } else {
    current_ = Assembly(frame_, frame_.more_fragments ? piece_id() : 0);
  }
  const std::size_t at_hand = std::min(available(), frame_.total);
  remaining_ = frame_.total - at_hand;
  current_.append({front() + skipped, at_hand - skipped}, remaining_);
  begin_ += at_hand;
  free_held();
  frame_known_ = false;
  is_filling_ = true;
}

/// Called when the frame in current_ has arrived. True if it completes a message, which is
/// returned.
bool Reader::end_storage(IncomingMessage& message) {
  is_filling_ = false;
  if (current_.more()) {
    partials_.push_back(std::move(current_));
    return false;
  }
  current_.release(message);
  if (message.kind == MessageKind::cancel_request) drop_cancelled(message);
  return true;
}

/// In 1.1 there can be only one incomplete message, and its request id is unknown.
const Assembly* Reader::find_partial(Version version, std::uint32_t id) const noexcept {
  const auto found = std::ranges::find_if(partials_, [&](const Assembly& partial) {
    return partial.first().version == version && partial.request_id() == id;
  });
  return found == partials_.end() ? nullptr : &*found;
}

Assembly Reader::take_partial(Version version, std::uint32_t id) {
  const auto index = static_cast<std::size_t>(find_partial(version, id) - partials_.data());
  Assembly partial = std::move(partials_[index]);
  partials_[index] = std::move(partials_.back());
  partials_.pop_back();
  return partial;
}

/// Drops the fragments of a cancelled request: no more of them arrive after a cancel request
/// (interop fact 9 of docs/interop.md). A peer does not cancel replies, and requests of 1.1 cannot
/// be matched.
void Reader::drop_cancelled(const IncomingMessage& message) noexcept {
  if (message.octets.size() < identified_header_size) return;
  const std::uint32_t id = request_id_of(message.octets, message.order);
  std::erase_if(partials_, [&](const Assembly& partial) {
    const FrameType type = partial.first().type;
    return partial.first().version.minor >= 2 && partial.request_id() == id &&
           (type == FrameType::request || type == FrameType::locate_request);
  });
}

}  // namespace perigee::fuzz
