// The state machine of the inbox for messages that are not whole at the front; the header has the
// code for whole messages. The order of the checks is: the size of a frame, its header, its place
// among the pieces of a message, limits. Storage is taken only after all checks.
#include "engine/connection/inbox.h"

#include "engine/memory/sequence_cache.h"
#include <perigee/base/copy.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace perigee::engine {

using messaging::Frame;
using messaging::FramingError;
using messaging::IncomingMessage;
using messaging::MessageKind;

namespace {

/// Moving so many octets costs less than a system call.
constexpr std::size_t moved_size_max = 4096;
/// If the first piece of a message has this size, another large piece is likely.
constexpr std::size_t large_piece_size = 64 * 1024;
/// The largest part of an incomplete frame that is moved back from held_. At the end of the turn
/// the part would be detached again. For this size, both copies cost about as much as an event.
constexpr std::size_t moved_back_max = 16 * 1024;

bool is_request(MessageKind kind) noexcept {
  return kind == MessageKind::request || kind == MessageKind::locate_request;
}

}  // namespace

Inbox::Inbox(messaging::Session& session, std::shared_ptr<messaging::StorageSource> source,
             SequenceCache* sequences) noexcept
    : session_(session),
      source_(std::move(source)),
      sequences_(session.reads_landed() && !session.seals() ? sequences : nullptr),
      limits_(session.protocol().limits()) {}

Inbox::Inbox(messaging::Session& session, messaging::Role role) noexcept
    : session_(session),
      limits_(session.protocol().limits()),
      state_(State::datagrams),
      role_(role) {}

/// Called if octets of an incomplete message are at hand or in its storage, or if a large message
/// is likely.
ReceiveSpace Inbox::space_for_rest(MutableOctetSpan scratch) {
  if (remaining_ != 0) return space_of_storage(scratch);
  if (begin_ != end_) {
    large_piece_likely_ = 0;
    return rest_fits_in_place(scratch) ? ReceiveSpace{scratch.subspan(end_), {}}
                                       : move_leftover(scratch);
  }
  // Only the header of the next large piece is received here. The next system call receives the
  // other octets of the piece into its storage: it costs less than a copy of the scratch memory.
  // Whole messages that arrived meanwhile (end_ != 0) show that no large piece follows.
  const bool is_likely = end_ == 0;
  large_piece_likely_ = is_likely ? static_cast<std::uint8_t>(large_piece_likely_ - 1) : 0;
  data_ = scratch.data();
  begin_ = end_ = 0;
  capacity_ = scratch.size();
  return {is_likely ? scratch.first(std::min(scratch.size(), moved_size_max)) : scratch, {}};
}

/// If another piece follows, the same call also receives the first octets of that piece: its header
/// says where its other octets go.
ReceiveSpace Inbox::space_of_storage(MutableOctetSpan scratch) {
  const MutableOctetSpan space = current_.space(remaining_, source_);
  data_ = scratch.data();
  begin_ = end_ = 0;
  capacity_ =
      current_.more() && space.size() == remaining_ ? std::min(scratch.size(), moved_size_max) : 0;
  return {space, scratch.first(capacity_)};
}

/// A large part of a frame is not moved if there is room for its rest after it. A small part is
/// moved to the front, where one call can receive more octets.
bool Inbox::rest_fits_in_place(MutableOctetSpan scratch) const noexcept {
  return data_ == scratch.data() && capacity_ == scratch.size() && state_ == State::framed &&
         available() > moved_size_max && available() < frame_.total &&
         frame_.total <= capacity_ - begin_ && !is_large_piece();
}

/// The octets of a piece have to be in the storage of its message. So the rest of a large piece is
/// received there, although the scratch memory has room for it.
bool Inbox::is_large_piece() const noexcept {
  return frame_.status == Frame::Status::piece && frame_.total > large_piece_size;
}

/// The place for the rest of an incomplete frame, if its first octets are at hand. A frame that
/// arrives in small parts, each in a turn of its own, is received into its storage. Otherwise each
/// turn would copy the octets at hand twice.
ReceiveSpace Inbox::move_leftover(MutableOctetSpan scratch) {
  const bool framed = state_ == State::framed;
  const bool in_parts = data_ == held_.data() && available() > moved_back_max;
  const bool is_large = framed && (frame_.total > scratch.size() || is_large_piece() || in_parts);
  if (is_large && available() < frame_.total) {
    begin_storage();
    return space_of_storage(scratch);
  }
  const std::size_t count = available();
  // This happens only if messages were not taken, or earlier scratch memory was larger.
  if (count >= scratch.size()) return {extend_held(scratch.size()), {}};
  std::memmove(scratch.data(), front(), count);
  held_ = Octets();
  data_ = scratch.data();
  begin_ = 0;
  end_ = count;
  capacity_ = scratch.size();
  return {scratch.subspan(count), {}};
}

/// Moves the octets at hand to held_, with room for `count` octets after them, which is returned.
MutableOctetSpan Inbox::extend_held(std::size_t count) {
  const std::size_t leftover = available();
  Octets held(leftover + count);
  copy_octets(held.data(), front(), leftover);
  held_ = std::move(held);
  data_ = held_.data();
  begin_ = 0;
  end_ = leftover;
  capacity_ = held_.size();
  return MutableOctetSpan(held_).subspan(leftover);
}

/// Frees held_ when nothing is left in it: a connection may be idle for long before it asks for
/// space again. No message refers to held_.
void Inbox::free_held() noexcept {
  if (begin_ != end_ || held_.empty()) return;
  Octets().swap(held_);
  data_ = nullptr;
  begin_ = end_ = capacity_ = 0;
}

/// How many of the octets belong to the message in storage.
std::size_t Inbox::received_in_storage(std::size_t count) noexcept {
  const std::size_t own = std::min(count, remaining_);
  current_.filled(own);
  remaining_ -= own;
  return own;
}

void Inbox::detach() {
  if (begin_ == end_ || data_ == held_.data()) return;
  extend_held(0);
}

void Inbox::discard() noexcept {
  fail(messaging::FramingError::too_large);
  begin_ = end_ = capacity_ = remaining_ = 0;
  data_ = nullptr;
  large_piece_likely_ = 0;
  Octets().swap(held_);
  current_ = Assembly();
  partials_.clear();
}

messaging::Unfinished Inbox::unfinished() const noexcept {
  messaging::Unfinished unfinished{available(), held_.size(), remaining_, !partials_.empty()};
  if (state_ == State::filling) {
    unfinished.octets += current_.size();
    unfinished.memory += current_.memory();
    unfinished.more_follows = unfinished.more_follows || current_.more();
  } else if (state_ == State::framed && frame_.total > available()) {
    unfinished.left = frame_.total - available();
  }
  for (const Assembly& partial : partials_) {
    unfinished.octets += partial.size();
    unfinished.memory += partial.memory();
  }
  return unfinished;
}

InboxStatus Inbox::next_slowly(IncomingMessage& message) {
  if (state_ == State::datagrams) return next_datagram(message);
  if (remaining_ != 0) return InboxStatus::need_more;
  if (state_ == State::filling && end_storage(message)) return unseal(message);
  for (;;) {
    if (front_is_link()) return next_linked(message);
    if (!look_at_front() || available() < frame_.total) break;
    if (frame_.status == Frame::Status::message) {
      state_ = State::ready;
      deliver_view(frame_, message);
      if (frame_.kind == MessageKind::cancel_request) drop_cancelled(frame_);
      return unseal(message);
    }
    begin_storage();
    if (end_storage(message)) return unseal(message);
  }
  return state_ == State::failed ? InboxStatus::error : InboxStatus::need_more;
}

bool Inbox::front_is_link() const noexcept {
  return links_ != nullptr && state_ == State::ready && begin_ != end_ &&
         transport::Link::begins({front(), available()});
}

/// The front is a link, or the beginning of a link. Nothing is taken before the octets of the
/// message in front of the linked ones have arrived.
InboxStatus Inbox::next_linked(IncomingMessage& message) {
  transport::Link link;
  if (available() <= sizeof(link)) return InboxStatus::need_more;
  std::memcpy(&link, front(), sizeof(link));
  frame_ = session_.frame({front() + sizeof(link), available() - sizeof(link)});
  if (frame_.status == Frame::Status::need_more && frame_.total <= limits_.message_size_max)
    return InboxStatus::need_more;
  if (!accept_linked(link)) return InboxStatus::error;
  const std::size_t head_size = frame_.total - static_cast<std::size_t>(link.size);
  if (available() - sizeof(link) < head_size) return InboxStatus::need_more;
  transport::LinkedOctets linked = links_->follow(link);
  if (!linked.memory) {
    fail(FramingError::bad_header);
    return InboxStatus::error;
  }
  auto landed =
      std::make_unique<cdr::LandedSequence>(linked.octets, std::move(linked.memory), head_size);
  begin_ += sizeof(link);
  Frame head = frame_;
  head.total = head_size;
  deliver_view(head, message);
  message.landed = std::move(landed);
  return InboxStatus::message;
}

/// False, with an error: the message of the link is not acceptable. It must be a whole request or
/// reply.
bool Inbox::accept_linked(const transport::Link& link) noexcept {
  const bool is_message =
      frame_.status == Frame::Status::message && frame_.strip == 0 &&
      (frame_.kind == MessageKind::request || frame_.kind == MessageKind::reply);
  const bool fits = link.size != 0 && link.size < frame_.total &&
                    frame_.total - link.size <= transport::SequenceLinks::head_size_max &&
                    frame_.total - link.size >= frame_.header_size;
  if (frame_.total > limits_.message_size_max) {
    begin_ += sizeof(link);  // `show_refused` shows the message
    fail(exceed(MessageLimit::message_size, frame_.total, limits_.message_size_max));
  } else if (frame_.status == Frame::Status::bad) {
    fail(frame_.error);
  } else if (!is_message || !fits) {
    fail(FramingError::bad_header);
  }
  return state_ != State::failed;
}

/// The octets at hand are one datagram.
InboxStatus Inbox::next_datagram(IncomingMessage& message) {
  if (begin_ == end_) return InboxStatus::need_more;
  const Frame frame = session_.frame({front(), available()});
  const bool is_whole = frame.status == Frame::Status::message && frame.total == available() &&
                        frame.total <= limits_.message_size_max && frame.total > frame.strip;
  if (is_whole && is_expected(frame.kind)) {
    deliver_view(frame, message);
    if (!session_.seals() || !session_.unseal(message)) return InboxStatus::message;
  }
  ++dropped_;
  begin_ = end_;
  free_held();
  return InboxStatus::need_more;
}

/// CloseConnection and MessageError are unexpected: datagrams have no connection that could end.
bool Inbox::is_expected(MessageKind kind) const noexcept {
  switch (kind) {
    case MessageKind::request:
    case MessageKind::locate_request:
    case MessageKind::cancel_request:
      return role_ == messaging::Role::acceptor;
    case MessageKind::reply:
    case MessageKind::locate_reply:
      return role_ == messaging::Role::opener;
    case MessageKind::close_connection:
    case MessageKind::message_error:
      break;
  }
  return false;
}

InboxStatus Inbox::unseal(IncomingMessage& message) {
  if (!session_.seals()) return InboxStatus::message;
  const auto error = session_.unseal(message);
  if (!error) return InboxStatus::message;
  fail(*error);
  return InboxStatus::error;
}

void Inbox::fail(FramingError error) noexcept {
  error_ = error;
  state_ = State::failed;
}

/// Whether the frame at the front is known and checked.
bool Inbox::look_at_front() {
  if (state_ == State::framed) return true;
  if (state_ == State::failed || available() == 0) return false;
  frame_ = session_.frame({front(), available()});
  if (!accept_front()) return false;
  state_ = State::framed;
  return true;
}

/// False if the frame at the front is not known yet, or not acceptable.
bool Inbox::accept_front() noexcept {
  std::optional<FramingError> error;
  if (frame_.total > limits_.message_size_max)
    error = exceed(MessageLimit::message_size, frame_.total, limits_.message_size_max);
  else if (frame_.status == Frame::Status::bad)
    error = frame_.error;
  else if (frame_.status == Frame::Status::need_more)
    return false;
  else if (frame_.total < frame_.strip + (frame_.continuation ? 0u : 1u))
    error = FramingError::bad_header;  // the session is wrong: this would never end
  else if (frame_.status == Frame::Status::piece)
    error = frame_.continuation ? check_continuation() : check_first_piece();
  if (error) fail(*error);
  return !error;
}

std::optional<FramingError> Inbox::check_first_piece() noexcept {
  if (find_partial(frame_) != nullptr) return FramingError::bad_fragment;
  if (partials_.size() >= limits_.partial_messages_max)
    return exceed(MessageLimit::partial_messages, partials_.size() + 1,
                  limits_.partial_messages_max);
  return check_fit(frame_.total);
}

std::optional<FramingError> Inbox::check_continuation() noexcept {
  const Assembly* partial = find_partial(frame_);
  if (partial == nullptr || partial->first().order != frame_.order)
    return FramingError::bad_fragment;
  if (partial->fragments() >= limits_.fragments_max)
    return exceed(MessageLimit::fragments, partial->fragments() + 1U, limits_.fragments_max);
  // The octets of `piece_id` count, too: otherwise empty pieces would cost the peer nothing.
  const std::size_t payload =
      frame_.total - frame_.strip + (frame_.identified ? sizeof frame_.piece_id : 0);
  if (const std::uint64_t size = std::uint64_t{partial->size()} + payload;
      size > limits_.message_size_max)
    return exceed(MessageLimit::message_size, size, limits_.message_size_max);
  return check_fit(payload);
}

/// Whether all fragmented messages together may take `added` octets more.
std::optional<FramingError> Inbox::check_fit(std::size_t added) noexcept {
  std::uint64_t size = added;
  for (const Assembly& partial : partials_) size += partial.size();
  if (size <= limits_.partial_size_max) return std::nullopt;
  return exceed(MessageLimit::partial_size, size, limits_.partial_size_max);
}

/// A continuation without an identity is not shown: the header of its message may be in several
/// pieces.
bool Inbox::show_refused(IncomingMessage& message) const noexcept {
  if (exceeded_.limit == MessageLimit::none) return false;
  const bool framed =
      frame_.status == Frame::Status::message || frame_.status == Frame::Status::piece;
  const Assembly* const partial =
      framed && frame_.continuation && frame_.identified ? find_partial(frame_) : nullptr;
  if (!framed || (frame_.continuation && partial == nullptr)) return false;
  const Frame& first = partial != nullptr ? partial->first() : frame_;
  if (first.kind != MessageKind::request) return false;
  if (partial != nullptr)
    message.octets = partial->head();
  else if (available() > frame_.strip)
    message.octets = {front() + frame_.strip, available() - frame_.strip};
  message.kind = first.kind;
  message.version = first.version;
  message.order = first.order;
  message.header_size = first.header_size;
  return !message.octets.empty();
}

void Inbox::keep_detached(const Frame& frame, IncomingMessage& message) {
  message.keep();
  begin_ += frame.total;
  free_held();
}

/// Begins the storage of the frame at the front: moves the octets at hand to current_. The rest of
/// the frame will be received there.
void Inbox::begin_storage() {
  if (frame_.continuation) {
    current_ = take_partial(frame_);
    current_.begin_continuation(frame_);
  } else {
    current_ = Assembly(frame_);
  }
  const std::size_t at_hand = std::min(available(), frame_.total);
  remaining_ = frame_.total - at_hand;
  const OctetSpan octets(front() + frame_.strip, at_hand - frame_.strip);
  if (sequences_ != nullptr && !frame_.continuation) expect_sequence(octets);
  current_.append(octets, remaining_, source_);
  begin_ += at_hand;
  free_held();
  state_ = State::filling;
}

/// A large message is likely to end as an earlier one did. `at_hand` are its first octets.
void Inbox::expect_sequence(OctetSpan at_hand) {
  auto landed = sequences_->land({.octets = at_hand,
                                  .order = frame_.order,
                                  .header_size = frame_.header_size,
                                  .size = frame_.total - frame_.strip,
                                  .is_whole = !frame_.more,
                                  .size_max = limits_.message_size_max});
  if (landed) current_.land(std::move(landed), *sequences_);
}

/// Called when the frame in current_ has arrived. True: the frame completes a message, which is
/// returned in `message`.
bool Inbox::end_storage(IncomingMessage& message) {
  state_ = State::ready;
  large_piece_likely_ = current_.first().total >= large_piece_size ? 2 : 0;
  if (begin_ == end_) begin_ = end_ = 0;  // no octets have arrived after this frame
  if (current_.more()) {
    partials_.push_back(std::move(current_));
    return false;
  }
  current_.release(message, session_);
  if (message.kind == MessageKind::cancel_request) drop_cancelled(current_.first());
  return true;
}

/// A piece without an identity belongs to the only message in progress that has none.
const Assembly* Inbox::find_partial(const Frame& frame) const noexcept {
  const auto found = std::ranges::find_if(partials_, [&](const Assembly& partial) {
    const Frame& first = partial.first();
    return first.version == frame.version && first.identified == frame.identified &&
           (!frame.identified || first.piece_id == frame.piece_id);
  });
  return found == partials_.end() ? nullptr : &*found;
}

Assembly Inbox::take_partial(const Frame& frame) {
  const auto index = static_cast<std::size_t>(find_partial(frame) - partials_.data());
  Assembly partial = std::move(partials_[index]);
  partials_[index] = std::move(partials_.back());
  partials_.pop_back();
  return partial;
}

/// After the peer has cancelled a request, it sends no more fragments of this request (interop fact
/// 9 of docs/interop.md). A peer does not cancel its replies. Requests of GIOP 1.1 cannot be
/// matched.
void Inbox::drop_cancelled(const Frame& cancel) noexcept {
  if (!cancel.identified) return;
  std::erase_if(partials_, [&](const Assembly& partial) {
    const Frame& first = partial.first();
    return first.identified && first.piece_id == cancel.piece_id && is_request(first.kind);
  });
}

bool Inbox::has_part_of_reply(std::uint32_t request_id) const noexcept {
  return std::ranges::any_of(partials_, [request_id](const Assembly& partial) {
    const Frame& first = partial.first();
    const bool matches = !first.identified || first.piece_id == request_id;
    return first.kind == MessageKind::reply && matches;
  });
}

}  // namespace perigee::engine
