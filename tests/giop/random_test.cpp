// Random conversations: messages of all versions, fragmented and interleaved. They arrive in random
// pieces through random scratch spaces and must come out unchanged. PERIGEE_TEST_SEED repeats a
// run.
#include "giop/wire.h"
#include <perigee/giop/giop.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

namespace perigee::giop::test {
namespace {

using messaging::IncomingMessage;
using messaging::Version;
using perigee::test::Next;

std::uint32_t seed() {
  const char* given = std::getenv("PERIGEE_TEST_SEED");
  return given != nullptr ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 0))
                          : std::random_device()();
}

class Conversation {
 public:
  explicit Conversation(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }

  /// Returns the octets on the wire; `expected` gets their messages, in order of completion.
  Octets make(std::vector<std::string>& expected) {
    Wire wire;
    std::size_t to_begin = 1 + below(30);
    while (to_begin != 0 || !open_.empty()) {
      if (to_begin != 0 && (open_.empty() || below(3) == 0)) {
        --to_begin;
        begin(wire, expected);
      } else {
        continue_one(wire, expected);
      }
    }
    return wire.get();
  }

 private:
  struct Open {
    Version version;
    unsigned type;
    std::endian order;
    std::uint32_t id;
    Octets body;  // all octets after the id
    std::size_t sent = 0;
    [[nodiscard]] bool has_id() const { return version.minor == 2; }
  };

  std::size_t random_size() {
    static constexpr std::size_t scales[] = {16, 200, 3000, 20'000};
    return below(scales[below(4)]);
  }
  static Octets frame(const Open& open, unsigned type, OctetSpan payload, bool more) {
    const std::size_t size = payload.size() + (open.has_id() ? 4 : 0);
    Wire wire(open.order);
    wire.frame(open.version, type, static_cast<std::uint32_t>(size), more ? 2 : 0);
    if (open.has_id()) wire.ulong(open.id);
    return wire.octets({payload.begin(), payload.end()});
  }
  static std::string whole(const Open& open) {
    return hex(frame(open, open.type, open.body, false));
  }

  void begin(Wire& wire, std::vector<std::string>& expected) {
    Open open{all_versions[below(3)], 0, both_orders[below(2)], next_id_++, pattern(random_size())};
    const bool may_fragment = open.version.minor == 2 || (open.version.minor == 1 && !open_1_1());
    if (may_fragment && below(2) == 0) {
      static constexpr unsigned types[] = {0, 1, 3, 4};
      open.type = types[below(open.version.minor == 2 ? 4 : 2)];
      const OctetSpan payload = next_payload(open);
      wire.octets(frame(open, open.type, payload, true));
      open_.push_back(open);
      return;
    }
    static constexpr unsigned types[] = {0, 1, 3, 4, 5, 6};
    open.type = types[below(6)];
    wire.octets(frame(open, open.type, open.body, false));
    expected.push_back(whole(open));
  }

  [[nodiscard]] bool open_1_1() const {
    return std::ranges::any_of(open_, [](const Open& open) { return open.version.minor == 1; });
  }

  /// The payload of a piece that is not the last: a multiple of 8 octets, or none.
  OctetSpan next_payload(Open& open) {
    const std::size_t left = open.body.size() - open.sent;
    const std::size_t count = below(left + 1) & ~std::size_t{7};
    const OctetSpan payload = OctetSpan(open.body).subspan(open.sent, count);
    open.sent += count;
    return payload;
  }

  void continue_one(Wire& wire, std::vector<std::string>& expected) {
    const std::size_t index = below(open_.size());
    Open& open = open_[index];
    if (below(2) == 0) {
      const OctetSpan payload = next_payload(open);
      wire.octets(frame(open, 7, payload, true));
      return;
    }
    wire.octets(frame(open, 7, OctetSpan(open.body).subspan(open.sent), false));
    expected.push_back(whole(open));
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  std::mt19937 random_;
  std::uint32_t next_id_ = 0;
  std::vector<Open> open_;
};

/// Feeds `octets` in random pieces. Changes scratch spaces and takes messages at random times.
std::vector<std::string> received(Conversation& choose, OctetSpan octets) {
  const auto reader = make_reader(*giop);
  const std::size_t piece_max = std::size_t{1} << (1 + choose.below(15));
  Octets scratch(1024 + choose.below(8192));
  std::vector<std::string> messages;
  IncomingMessage message;
  while (!octets.empty()) {
    const MutableOctetSpan space = reader->receive_space(scratch);
    REQUIRE_FALSE(space.empty());
    const std::size_t count = std::min({1 + choose.below(piece_max), space.size(), octets.size()});
    std::copy_n(octets.begin(), count, space.begin());
    reader->received(count);
    octets = octets.subspan(count);
    const bool drain = octets.empty() || choose.below(4) != 0;
    while (drain && reader->next(message) == Next::message) {
      messages.push_back(hex(message.octets));
    }
    if (choose.below(3) != 0) continue;
    reader->detach();
    scratch = Octets(1024 + choose.below(8192), std::byte{0xdd});
  }
  CHECK_FALSE(reader->has_octets());
  return messages;
}

TEST_CASE("a random conversation in random pieces is decoded") {
  const std::uint32_t first = seed();
  for (std::uint32_t round = 0; round < 300; ++round) {
    CAPTURE(first);
    CAPTURE(round);
    Conversation conversation(first + round);
    std::vector<std::string> expected;
    const Octets octets = conversation.make(expected);
    REQUIRE(received(conversation, octets) == expected);
  }
}

}  // namespace
}  // namespace perigee::giop::test
