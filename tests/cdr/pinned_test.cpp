// Pinned values. If possible, a value shares the octets of its message. Otherwise it is copied
// once, and the budget is charged for the copy until the last owner is gone.
#include "support/octets.h"
#include <perigee/cdr/landed_sequence.h>
#include <perigee/cdr/pinned.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::cdr {
namespace {

constexpr std::uint64_t unlimited = ~std::uint64_t{0};
constexpr std::endian other_order =
    std::endian::native == std::endian::little ? std::endian::big : std::endian::little;

class PinBudget final : public DecodedBudget, public counted_from_this {
 public:
  explicit PinBudget(std::uint64_t limit) : limit_(limit) {}
  [[nodiscard]] bool try_charge(std::uint64_t octets) noexcept override {
    if (octets > limit_ - charged) return false;
    charged += octets;
    return true;
  }
  void release(std::uint64_t octets) noexcept override { charged -= octets; }
  [[nodiscard]] counted_ptr<DecodedBudget> share() noexcept override { return counted(*this); }

  std::uint64_t charged = 0;

 private:
  const std::uint64_t limit_;
};

class OrbOfPins final : public Environment {
 public:
  explicit OrbOfPins(DecodedBudget& budget) { decoded_budget_ = &budget; }
};

/// A message whose octets pinned values may share. Counts the shares.
class Message final : public PinSource {
 public:
  enum class Sharing : std::uint8_t { allowed, forbidden };

  template <typename... Values>
  static Message of(std::endian order, Sharing sharing, const Values&... values) {
    Buffer buffer;
    Encoder encoder(buffer, order);
    ((encoder << values), ...);
    return {buffer.flatten(), order, sharing};
  }

  [[nodiscard]] counted_ptr<PinnedMemory> share(Decoder&, OctetSpan) override {
    if (sharing_ == Sharing::forbidden) return nullptr;
    ++shares;
    return make_counted<PinnedMemory>();
  }
  [[nodiscard]] Decoder decoder(Environment* environment = nullptr) const noexcept {
    Decoder made(octets, order);
    made.set_environment(environment);
    return made;
  }
  [[nodiscard]] bool contains(OctetSpan part) const noexcept {
    return part.data() >= octets.data() &&
           part.data() + part.size() <= octets.data() + octets.size();
  }

  const Octets octets;
  const std::endian order;
  int shares = 0;

 private:
  Message(Octets octets_in, std::endian order_in, Sharing sharing)
      : octets(std::move(octets_in)), order(order_in), sharing_(sharing) {}
  const Sharing sharing_;
};

const std::vector<double> numbers = {1, 2.5, -3};

template <typename T>
bool equals(const pinned<T>& pin, const std::vector<T>& expected) {
  return std::ranges::equal(pin, expected);
}

TEST_CASE("a pinned sequence in the native byte order is a view into the message") {
  Message message = Message::of(std::endian::native, Message::Sharing::allowed, numbers);
  Decoder decoder = message.decoder();
  pinned<double> values;
  decoder >> pinned_from(message, values);
  CHECK(decoder.ok());
  CHECK(equals(values, numbers));
  CHECK(message.contains(std::as_bytes(values.span())));
  CHECK(message.shares == 1);
  CHECK(decoder.remaining() == 0);
}

TEST_CASE("a pinned sequence in the other byte order is converted in memory of its own") {
  Message message = Message::of(other_order, Message::Sharing::allowed, numbers);
  Decoder decoder = message.decoder();
  pinned<double> values;
  decoder >> pinned_from(message, values);
  CHECK(equals(values, numbers));
  CHECK_FALSE(message.contains(std::as_bytes(values.span())));
  CHECK(message.shares == 0);
}

TEST_CASE("a pinned sequence that is not aligned in memory is copied") {
  const Message aligned = Message::of(std::endian::native, Message::Sharing::allowed, numbers);
  Octets moved(aligned.octets.size() + 1);
  std::ranges::copy(aligned.octets, moved.begin() + 1);
  Message source = Message::of(std::endian::native, Message::Sharing::allowed, numbers);
  Decoder decoder(OctetSpan(moved).subspan(1), std::endian::native);
  pinned<double> values;
  decoder >> pinned_from(source, values);
  CHECK(equals(values, numbers));
  CHECK(source.shares == 0);
}

TEST_CASE("octets and texts that the message does not share are copied") {
  const std::vector<std::uint8_t> octets = {1, 2, 3};
  Message message =
      Message::of(std::endian::native, Message::Sharing::forbidden, octets, std::string("a text"));
  Decoder decoder = message.decoder();
  pinned<std::uint8_t> data;
  pinned<char> text;
  decoder >> pinned_from(message, data) >> pinned_from(message, text);
  CHECK(equals(data, octets));
  CHECK(std::string_view(text) == "a text");
  CHECK_FALSE(message.contains(std::as_bytes(data.span())));
  CHECK_FALSE(message.contains(std::as_bytes(text.span())));
}

TEST_CASE("a pinned text shares the message, unless it must be converted") {
  for (const CharSet set : {CharSet::utf_8, CharSet::iso_8859_1}) {
    CodeSets code_sets;
    code_sets.chars = set;
    Buffer buffer;
    Encoder encoder(buffer);
    encoder.set_code_sets(code_sets);
    encoder << std::string("caf\xc3\xa9");
    Message message = Message::of(std::endian::native, Message::Sharing::allowed);
    const Octets wire = buffer.flatten();
    Decoder decoder(wire, std::endian::native);
    decoder.set_code_sets(code_sets);
    pinned<char> text;
    decoder >> pinned_from(message, text);
    CHECK(std::string_view(text) == "caf\xc3\xa9");
    CHECK(message.shares == (code_sets.converts() ? 0 : 1));
  }
}

TEST_CASE("the copies of a pinned value share its memory, also between threads") {
  const auto budget = make_counted<PinBudget>(unlimited);
  OrbOfPins orb(*budget);
  Message message = Message::of(std::endian::native, Message::Sharing::forbidden, numbers);
  Decoder decoder = message.decoder(&orb);
  pinned<double> values;
  decoder >> pinned_from(message, values);
  const std::uint64_t charged = budget->charged;
  CHECK(charged >= numbers.size() * sizeof(double));
  pinned<double> copy = values;
  CHECK(copy.data() == values.data());
  pinned<double> moved = std::move(values);
  CHECK(values.empty());  // NOLINT(bugprone-use-after-move): moved-from objects are empty
  CHECK(values.data() == nullptr);
  moved = pinned<double>();
  CHECK(budget->charged == charged);
  std::thread([last = std::move(copy)]() { CHECK(equals(last, numbers)); }).join();
  CHECK(budget->charged == 0);
}

TEST_CASE("a pinned value keeps its budget alive") {
  auto budget = make_counted<PinBudget>(unlimited);
  const weak_counted_ptr<PinBudget> watched = budget;
  pinned<double> values;
  {
    OrbOfPins orb(*budget);
    Message message = Message::of(std::endian::native, Message::Sharing::forbidden, numbers);
    Decoder decoder = message.decoder(&orb);
    decoder >> pinned_from(message, values);
  }
  budget.reset();
  CHECK_FALSE(watched.expired());
  CHECK(equals(values, numbers));
  values = pinned<double>();
  CHECK(watched.expired());
}

TEST_CASE("decoding a pinned value fails if the budget has no room for it") {
  const auto budget = make_counted<PinBudget>(std::uint64_t{16});
  OrbOfPins orb(*budget);
  Message message = Message::of(std::endian::native, Message::Sharing::forbidden, numbers);
  Decoder decoder = message.decoder(&orb);
  pinned<double> values;
  decoder >> pinned_from(message, values);
  CHECK(decoder.error().kind == ErrorKind::memory_full);
  CHECK(values.empty());
  CHECK(budget->charged == 0);
}

TEST_CASE("a length that the message cannot hold fails before memory is taken") {
  const auto budget = make_counted<PinBudget>(unlimited);
  OrbOfPins orb(*budget);
  Message message =
      Message::of(std::endian::native, Message::Sharing::allowed, std::uint32_t{0xffffffff});
  Decoder decoder = message.decoder(&orb);
  pinned<double> values;
  decoder >> pinned_from(message, values);
  CHECK(decoder.error().kind == ErrorKind::bad_length);
  CHECK(budget->charged == 0);
  CHECK(values.empty());
}

TEST_CASE("a pinned value cut at any octet is an error, and empty") {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    Message message = Message::of(order, Message::Sharing::allowed, numbers, std::string("text"));
    for (std::size_t size = 0; size < message.octets.size(); ++size) {
      Decoder decoder(OctetSpan(message.octets).first(size), order);
      pinned<double> values;
      pinned<char> text;
      decoder >> pinned_from(message, values) >> pinned_from(message, text);
      CHECK_FALSE(decoder.ok());
      CHECK(text.empty());
    }
  }
}

TEST_CASE("a pinned sequence that crosses two pieces of a message is copied into one block") {
  const std::vector<std::uint8_t> octets = {1, 2, 3, 4, 5, 6, 7, 8};
  Message message = Message::of(std::endian::native, Message::Sharing::allowed, octets);
  const std::vector<std::size_t> pieces = {8, message.octets.size() - 8};
  Decoder decoder = message.decoder();
  decoder.set_pieces(pieces.data());
  pinned<std::uint8_t> data;
  decoder >> pinned_from(message, data);
  CHECK(decoder.ok());
  CHECK(equals(data, octets));
}

TEST_CASE("an empty sequence takes no memory and shares nothing") {
  const auto budget = make_counted<PinBudget>(std::uint64_t{0});
  OrbOfPins orb(*budget);
  Message message = Message::of(std::endian::native, Message::Sharing::allowed,
                                std::vector<double>(), std::string());
  Decoder decoder = message.decoder(&orb);
  pinned<double> values;
  pinned<char> text;
  decoder >> pinned_from(message, values) >> pinned_from(message, text);
  CHECK(decoder.ok());
  CHECK(values.empty());
  CHECK(text.empty());
  CHECK(message.shares == 0);
}

TEST_CASE("a pinned sequence takes the vector that it was received into, in both byte orders") {
  for (const std::endian order : {std::endian::native, other_order}) {
    const auto budget = make_counted<PinBudget>(unlimited);
    OrbOfPins orb(*budget);
    std::vector<double> received = numbers;
    if (order == other_order)
      for (double& value : received) value = reverse_octets(value);
    const double* const place = received.data();
    LandedSequence landed(std::move(received), {}, 8);
    Message head =
        Message::of(order, Message::Sharing::allowed, std::uint32_t{3}, std::uint32_t{0});
    Decoder decoder = head.decoder();
    decoder.set_environment(&orb);
    decoder.set_landed(landed);
    pinned<double> values;
    decoder >> pinned_from(head, values);
    CHECK(decoder.ok());
    CHECK(values.data() == place);
    CHECK(equals(values, numbers));
    CHECK(budget->charged >= landed.memory());
    values = pinned<double>();
    CHECK(budget->charged == 0);
  }
}

}  // namespace
}  // namespace perigee::cdr
