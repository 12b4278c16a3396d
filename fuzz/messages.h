// Random octets in random pieces through the reader of a messaging protocol and every parse
// function. The first octets of the input choose the sizes of pieces and scratch space; then the
// same octets whole must give the same.
#pragma once

#include <perigee/messaging/protocol.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace perigee::fuzz {

using Next = messaging::MessageReader::Next;

/// Small limits, so that inputs of some KiB reach them.
inline constexpr messaging::Limits small_limits{.message_size_max = 16 * 1024,
                                                .partial_size_max = 20 * 1024,
                                                .fragments_max = 16,
                                                .partial_messages_max = 4,
                                                .service_contexts_max = 8,
                                                .fragment_size = 1024};

inline void require(bool condition) {
  if (!condition) std::abort();
}

inline bool within(OctetSpan part, OctetSpan whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

/// All parse functions on one message, whatever its kind: views must stay inside it.
inline void parse_all(const messaging::Protocol& protocol,
                      const messaging::IncomingMessage& message) {
  messaging::ContextStorage contexts;
  if (const auto request = protocol.parse_request(message, contexts)) {
    require(within(request->header.object_key, message.octets));
    require(within(perigee::octets_of(request->header.operation), message.octets));
    for (const auto& context : request->header.contexts)
      require(within(context.data, message.octets));
    require(request->body.position() <= message.octets.size());
  }
  if (const auto reply = protocol.parse_reply(message, contexts)) {
    for (const auto& context : reply->header.contexts)
      require(within(context.data, message.octets));
    require(reply->body.position() <= message.octets.size());
  }
  if (const auto locate = protocol.parse_locate_request(message))
    require(within(locate->object_key, message.octets));
  static_cast<void>(protocol.parse_locate_reply(message));
  static_cast<void>(protocol.parse_cancel_request(message));
}

struct Outcome {
  std::vector<Octets> messages;
  bool failed = false;
  messaging::FramingError error = {};
  bool operator==(const Outcome&) const = default;
};

/// Feeds `octets` in pieces whose sizes come from `sizes`; detaches the scratch space now and then.
inline Outcome read(const messaging::Protocol& protocol, OctetSpan octets, OctetSpan sizes,
                    std::size_t scratch_size) {
  const auto reader = protocol.make_reader();
  Octets scratch(scratch_size);
  Outcome outcome;
  messaging::IncomingMessage message;
  for (std::size_t turn = 0; !octets.empty() && !outcome.failed; ++turn) {
    const MutableOctetSpan space = reader->receive_space(scratch);
    require(!space.empty());
    const auto size = sizes.empty() ? ~0u : std::to_integer<unsigned>(sizes[turn % sizes.size()]);
    const std::size_t count = std::min({octets.size(), space.size(), std::size_t{size} + 1});
    std::copy_n(octets.begin(), count, space.begin());
    reader->received(count);
    octets = octets.subspan(count);
    Next next;
    while ((next = reader->next(message)) == Next::message) {
      parse_all(protocol, message);
      outcome.messages.emplace_back(message.octets.begin(), message.octets.end());
    }
    outcome.failed = next == Next::error;
    if (outcome.failed) outcome.error = reader->error();
    if (size % 4 != 0) continue;
    reader->detach_scratch();
    scratch = Octets(scratch_size);
  }
  return outcome;
}

inline void try_messages(const messaging::Protocol& protocol, const std::uint8_t* data,
                         std::size_t size) {
  constexpr std::size_t sizes_count = 4;
  if (size < sizes_count) return;
  const OctetSpan input = std::as_bytes(std::span(data, size));
  const OctetSpan octets = input.subspan(sizes_count);
  const Outcome in_pieces = read(protocol, octets, input.first(sizes_count), 1024);
  require(in_pieces == read(protocol, octets, {}, 32 * 1024));
}

}  // namespace perigee::fuzz
