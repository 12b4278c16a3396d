// Makes messages out of the octets that a connection receives: framing, large messages, fragments,
// limits. Asks the session of the connection which frame is at the front. Does no I/O.
#pragma once

#include "engine/connection/assembly.h"
#include "engine/connection/exceeded_limit.h"
#include <perigee/messaging/carrier.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/sequence_links.h>

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace perigee::engine {

class SequenceCache;

/// The result of asking an inbox for a message.
enum class InboxStatus : std::uint8_t { message, need_more, error };

/// The places for the next octets: `rest` is used when `first` is full. `rest` may be empty.
struct ReceiveSpace {
  MutableOctetSpan first;
  MutableOctetSpan rest;
};

/// The receiving side of one connection. Accessed by one thread at a time: the reading thread.
///
/// On a carrier of datagrams each receive brings one datagram, which must be one whole message that
/// this side expects. Other datagrams are dropped and counted. They are not errors, since their
/// sender may not be the peer.
///
/// Usage: call `receive_space`, put octets there, call `received`, then take messages with `next`
/// until it returns `need_more`. A message in scratch memory is valid until the next
/// `receive_space`.
///
/// The octets at hand are [begin_, end_) of data_, which is the caller's scratch memory or held_.
/// At the front of them is always the start of a frame. While a large frame is received (remaining_
/// != 0), the octets that arrive belong to current_, and those after it to data_.
///
/// Invariant: begin_ <= end_ <= capacity_, and remaining_ != 0 implies the state `filling` and
/// begin_ == end_. held_ is empty unless data_ is in it, and then begin_ != end_.
class Inbox {
 public:
  static constexpr std::size_t scratch_size_min = 1024;

  /// `session` and `sequences` outlive the inbox. Without a source, large messages are stored on
  /// the heap; without `sequences`, no part of them is received into a vector.
  explicit Inbox(messaging::Session& session,
                 std::shared_ptr<messaging::StorageSource> source = nullptr,
                 SequenceCache* sequences = nullptr) noexcept;
  /// From now on, messages may begin with a link. `links` outlives the inbox.
  void accept_links(transport::SequenceLinks& links) noexcept { links_ = &links; }
  /// The inbox of datagrams, on the side of the connection that `role` says.
  Inbox(messaging::Session& session, messaging::Role role) noexcept;

  /// The place for the next octets. In the middle of a large message this is the storage of the
  /// message, so that its rest is not copied. Otherwise it is `scratch`, which must have at least
  /// `scratch_size_min` octets. Octets that are left move to the front of the scratch memory, if
  /// they are not there already.
  [[nodiscard]] ReceiveSpace receive_space(MutableOctetSpan scratch) {
    assert(scratch.size() >= scratch_size_min);
    if (begin_ != end_ || remaining_ != 0 || large_piece_likely_ != 0) [[unlikely]]
      return space_for_rest(scratch);
    data_ = scratch.data();
    begin_ = end_ = 0;
    capacity_ = scratch.size();
    return {scratch, {}};
  }
  /// `count` octets were put into the last receive space.
  void received(std::size_t count) {
    if (remaining_ != 0) [[unlikely]]
      count -= received_in_storage(count);
    assert(count <= capacity_ - end_);
    end_ += count;
  }
  /// Takes the next whole message. After `error`, `error()` says why and no message will come.
  /// Always inline: the compiler's own choice depends on the sources that it compiles together.
  [[nodiscard, gnu::always_inline]] InboxStatus next(messaging::IncomingMessage& message) {
    if (state_ == State::ready && begin_ != end_) [[likely]] {
      const messaging::Frame frame = session_.frame({front(), available()});
      if (is_plain(frame)) [[likely]] {
        deliver_view(frame, message);
        return session_.seals() ? unseal(message) : InboxStatus::message;
      }
    }
    return next_slowly(message);
  }
  /// Whether octets beyond the last message taken are at hand (a whole message or a part of one;
  /// the fragments of a message in progress count).
  [[nodiscard]] bool has_octets() const noexcept {
    return begin_ != end_ || state_ == State::filling || !partials_.empty();
  }
  /// The octets that were received after the last message that was taken.
  [[nodiscard]] messaging::Unfinished unfinished() const noexcept;
  /// Moves octets that were not taken yet from the scratch memory to storage of the inbox. Must be
  /// called before the scratch memory serves another connection, and before another thread may read
  /// this connection. Messages made of detached octets have storage of their own.
  void detach();
  /// Drops all octets, and gives out no further message: for example after a failed allocation. The
  /// scratch memory may serve another connection from now on.
  void discard() noexcept;
  /// How many datagrams were dropped.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }
  [[nodiscard]] messaging::FramingError error() const noexcept {
    // No error: the inbox accepted the message, and the session refused its header.
    return error_.value_or(messaging::FramingError::bad_header);
  }
  /// The limit of this inbox that was exceeded, if any. Called after the error `too_large`.
  [[nodiscard]] const ExceededLimit& exceeded_limit() const noexcept { return exceeded_; }
  /// Called after such an error. Shows the octets at hand of the request that exceeds the limit.
  /// The message is not whole, and is valid until the next `receive_space`. False: the message is
  /// not a request, or its start is not at hand.
  [[nodiscard]] bool show_refused(messaging::IncomingMessage& message) const noexcept;
  /// Whether a part of the reply to this request has been received, but not all of its fragments.
  /// Where the pieces carry no request id, a piece of any reply counts.
  [[nodiscard]] bool has_part_of_reply(std::uint32_t request_id) const noexcept;

 private:
  enum class State : std::uint8_t {
    ready,      ///< nothing is known about the octets at the front
    framed,     ///< frame_ is the frame at the front, and checked
    filling,    ///< current_ receives a frame, or has a frame that `next` has not looked at yet
    failed,     ///< error_ says why
    datagrams,  ///< always, on a carrier of datagrams
  };

  [[nodiscard]] std::size_t available() const noexcept { return end_ - begin_; }
  [[nodiscard]] const std::byte* front() const noexcept { return data_ + begin_; }

  /// Whether the frame at the front is a whole message that has arrived and that belongs to no
  /// other message.
  [[nodiscard]] bool is_plain(const messaging::Frame& frame) const noexcept {
    return frame.status == messaging::Frame::Status::message && frame.total <= available() &&
           frame.total <= limits_.message_size_max && frame.total > frame.strip &&
           frame.kind != messaging::MessageKind::cancel_request;
  }
  /// The hot path: a whole message in the octets at hand. It is copied only if it was detached,
  /// because the next reading thread may free held_ during this upcall.
  void deliver_view(const messaging::Frame& frame, messaging::IncomingMessage& message) {
    message.kind = frame.kind;
    message.version = frame.version;
    message.order = frame.order;
    message.octets = {front() + frame.strip, frame.total - frame.strip};
    message.header_size = frame.header_size;
    message.storage.reset();
    message.piece_sizes.reset();
    message.landed.reset();
    if (data_ == held_.data()) [[unlikely]]
      return keep_detached(frame, message);
    begin_ += frame.total;
  }
  void keep_detached(const messaging::Frame& frame, messaging::IncomingMessage& message);

  [[nodiscard]] InboxStatus next_slowly(messaging::IncomingMessage& message);
  [[nodiscard]] InboxStatus next_datagram(messaging::IncomingMessage& message);
  [[nodiscard]] InboxStatus next_linked(messaging::IncomingMessage& message);
  [[nodiscard]] bool front_is_link() const noexcept;
  [[nodiscard]] bool accept_linked(const transport::Link& link) noexcept;
  [[nodiscard]] bool is_expected(messaging::MessageKind kind) const noexcept;
  [[nodiscard]] bool look_at_front();
  [[nodiscard]] bool accept_front() noexcept;
  void fail(messaging::FramingError error) noexcept;
  [[nodiscard]] std::optional<messaging::FramingError> check_first_piece() noexcept;
  [[nodiscard]] std::optional<messaging::FramingError> check_continuation() noexcept;
  [[nodiscard]] std::optional<messaging::FramingError> check_fit(std::size_t added) noexcept;
  messaging::FramingError exceed(MessageLimit limit, std::uint64_t size,
                                 std::uint64_t size_max) noexcept {
    exceeded_ = {limit, size, size_max};
    return messaging::FramingError::too_large;
  }

  void begin_storage();
  void expect_sequence(OctetSpan at_hand);
  [[nodiscard]] bool end_storage(messaging::IncomingMessage& message);
  [[nodiscard]] InboxStatus unseal(messaging::IncomingMessage& message);
  [[nodiscard]] const Assembly* find_partial(const messaging::Frame& frame) const noexcept;
  [[nodiscard]] Assembly take_partial(const messaging::Frame& frame);
  void drop_cancelled(const messaging::Frame& cancel) noexcept;

  [[nodiscard]] ReceiveSpace space_for_rest(MutableOctetSpan scratch);
  [[nodiscard]] std::size_t received_in_storage(std::size_t count) noexcept;
  [[nodiscard]] ReceiveSpace space_of_storage(MutableOctetSpan scratch);
  [[nodiscard]] bool rest_fits_in_place(MutableOctetSpan scratch) const noexcept;
  [[nodiscard]] bool is_large_piece() const noexcept;
  [[nodiscard]] ReceiveSpace move_leftover(MutableOctetSpan scratch);
  MutableOctetSpan extend_held(std::size_t count);
  void free_held() noexcept;

  messaging::Session& session_;
  const std::shared_ptr<messaging::StorageSource> source_;
  SequenceCache* const sequences_ = nullptr;
  transport::SequenceLinks* links_ = nullptr;  // null: the front is never a link
  const messaging::Limits& limits_;            // the limits of the session's protocol
  std::byte* data_ = nullptr;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t capacity_ = 0;
  std::size_t remaining_ = 0;  // octets still to come of the frame that current_ receives
  messaging::Frame frame_;     // used in the state `framed`
  State state_ = State::ready;
  messaging::Role role_ = messaging::Role::opener;  // used in the state `datagrams`
  // Another large piece is likely in this number of receives. The first one may find nothing. It is
  // 0 after a receive that brought octets.
  std::uint8_t large_piece_likely_ = 0;
  std::uint64_t dropped_ = 0;
  Octets held_;
  Assembly current_;
  std::vector<Assembly> partials_;
  std::optional<messaging::FramingError> error_;  // used in the state `failed`
  ExceededLimit exceeded_;                        // the same
};

}  // namespace perigee::engine
