// Random octets in random pieces through an inbox, a session and every parse function. The first
// octets of the input select the sizes of pieces and scratch space. The same octets in one piece
// must give the same result.
#pragma once

#include "engine/connection/inbox.h"
#include "engine/memory/sequence_cache.h"
#include "require.h"
#include <perigee/messaging/protocol.h>
#include <perigee/transport/sequence_links.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace perigee::fuzz {

/// Small limits, so that inputs of some KiB reach them.
inline constexpr messaging::Limits small_limits{.message_size_max = 16 * 1024,
                                                .partial_size_max = 20 * 1024,
                                                .fragments_max = 16,
                                                .partial_messages_max = 4,
                                                .service_contexts_max = 8,
                                                .fragment_size = 1024};

inline bool within(OctetSpan part, OctetSpan whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

/// All octets of a message in one span.
inline OctetSpan whole(const messaging::IncomingMessage& message) {
  return message.landed ? message.landed->join(message.octets) : message.octets;
}

inline bool within(OctetSpan part, const messaging::IncomingMessage& message) {
  return within(part, message.octets) || within(part, whole(message));
}

/// Calls all parse functions on one message of any kind. Views must stay inside the message.
inline void parse_all(const messaging::Session& session,
                      const messaging::IncomingMessage& message) {
  messaging::ContextStorage contexts;
  if (const auto request = session.parse_request(message, contexts)) {
    require(within(request->header.object_key, message));
    require(within(perigee::octets_of(request->header.operation), message));
    for (const auto& context : request->header.contexts) require(within(context.data, message));
    require(request->body.position() <= message.size());
  }
  if (const auto reply = session.parse_reply(message, contexts)) {
    for (const auto& context : reply->header.contexts) require(within(context.data, message));
    require(reply->body.position() <= message.size());
  }
  if (const auto locate = session.parse_locate_request(message))
    require(within(locate->object_key, message));
  static_cast<void>(session.parse_locate_reply(message));
  static_cast<void>(session.parse_cancel_request(message));
}

struct Outcome {
  std::vector<Octets> messages;
  std::vector<std::vector<std::size_t>> cuts;  ///< piece sizes: alignment starts anew
  bool failed = false;
  messaging::FramingError error = {};
  bool operator==(const Outcome&) const = default;

  void add(const messaging::IncomingMessage& message) {
    const OctetSpan octets = whole(message);
    messages.emplace_back(octets.begin(), octets.end());
    auto& sizes = cuts.emplace_back();
    if (!message.piece_sizes) return;
    for (std::size_t sum = 0, piece = 0; sum < message.octets.size(); ++piece) {
      sizes.push_back(message.piece_sizes[piece]);
      sum += message.piece_sizes[piece];
    }
  }
};

/// Copies octets into the spaces, in order. Returns the number of copied octets.
inline std::size_t fill(const engine::ReceiveSpace& space, OctetSpan octets) {
  const std::size_t first = std::min(space.first.size(), octets.size());
  const std::size_t rest = std::min(space.rest.size(), octets.size() - first);
  std::copy_n(octets.begin(), first, space.first.begin());
  std::copy_n(octets.begin() + static_cast<std::ptrdiff_t>(first), rest, space.rest.begin());
  return first + rest;
}

/// Feeds `octets` in pieces whose sizes come from `sizes`. Detaches the scratch space from time to
/// time. `sequences` has vectors for numbers at the end of messages. With `links`, messages may
/// begin with a link.
inline Outcome read(const messaging::MessagingProtocol& protocol, OctetSpan octets, OctetSpan sizes,
                    std::size_t scratch_size, engine::SequenceCache* sequences = nullptr,
                    transport::SequenceLinks* links = nullptr) {
  const auto session = protocol.open(messaging::Role::acceptor, {});
  engine::Inbox inbox(*session, nullptr, sequences);
  if (links != nullptr) inbox.accept_links(*links);
  Octets scratch(scratch_size);
  Outcome outcome;
  messaging::IncomingMessage message;
  for (std::size_t turn = 0; !octets.empty() && !outcome.failed; ++turn) {
    const engine::ReceiveSpace space = inbox.receive_space(scratch);
    require(!space.first.empty());
    const auto size = sizes.empty() ? ~0u : std::to_integer<unsigned>(sizes[turn % sizes.size()]);
    const std::size_t count =
        fill(space, octets.first(std::min(octets.size(), std::size_t{size} + 1)));
    inbox.received(count);
    octets = octets.subspan(count);
    engine::InboxStatus next;
    while ((next = inbox.next(message)) == engine::InboxStatus::message) {
      parse_all(*session, message);
      outcome.add(message);
    }
    outcome.failed = next == engine::InboxStatus::error;
    if (outcome.failed) outcome.error = inbox.error();
    if (size % 4 != 0) continue;
    inbox.detach();
    scratch = Octets(scratch_size);
  }
  return outcome;
}

constexpr std::size_t sizes_count = 4;

inline void try_messages(const messaging::MessagingProtocol& protocol, const std::uint8_t* data,
                         std::size_t size) {
  if (size < sizes_count) return;
  const OctetSpan input = std::as_bytes(std::span(data, size));
  const OctetSpan octets = input.subspan(sizes_count);
  const Outcome in_pieces = read(protocol, octets, input.first(sizes_count), 1024);
  require(in_pieces == read(protocol, octets, {}, 32 * 1024));
}

}  // namespace perigee::fuzz
