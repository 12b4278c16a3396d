// Receiving fragmented messages. Source: CORBA 3.0, 15.4.9; interop facts 7 to 9 of
// docs/interop.md.
#include "giop/wire.h"
#include <perigee/giop/giop.h>

#include <doctest/doctest.h>

#include <algorithm>

// clang-format off: each frame has one line.
namespace perigee::giop::test {
namespace {

using messaging::FramingError;
using messaging::Limits;
using messaging::MessageKind;
using messaging::Version;

constexpr unsigned more = 2;
constexpr unsigned request = 0, reply = 1, cancel = 2, locate_request = 3, locate_reply = 4,
                   fragment = 7;

/// The first piece of a 1.2 message: the id and `text`, which should have 8·n octets.
Octets first_1_2(unsigned type, std::uint32_t id, const std::string& text,
                 std::endian order = std::endian::little) {
  return Wire(order)
      .frame({1, 2}, type, static_cast<std::uint32_t>(4 + text.size()), more)
      .ulong(id).text(text).get();
}
Octets fragment_1_2(std::uint32_t id, const std::string& text, unsigned flags,
                    std::endian order = std::endian::little) {
  return Wire(order)
      .frame({1, 2}, fragment, static_cast<std::uint32_t>(4 + text.size()), flags)
      .ulong(id).text(text).get();
}
/// The message that the pieces make together.
std::string whole_1_2(unsigned type, std::uint32_t id, const std::string& text,
                      std::endian order = std::endian::little) {
  return hex(Wire(order)
                 .frame({1, 2}, type, static_cast<std::uint32_t>(4 + text.size()))
                 .ulong(id).text(text).get());
}
Octets piece_1_1(unsigned type, const std::string& text, unsigned flags) {
  return Wire().frame({1, 1}, type, static_cast<std::uint32_t>(text.size()), flags).text(text);
}
Octets small_reply(std::uint32_t id) {
  return Wire().frame({1, 2}, reply, 12).ulong(id).ulong(0).ulong(0);
}
Octets cancel_of(std::uint32_t id, std::endian order = std::endian::little) {
  return Wire(order).frame({1, 2}, cancel, 4).ulong(id);
}

ReadResult read(const messaging::MessagingProtocol& protocol, std::initializer_list<Octets> frames) {
  Wire wire;
  for (const Octets& frame : frames) wire.octets(frame);
  const ReadResult result = read_all(protocol, wire.get());
  for (std::size_t piece = 1; piece < 30; ++piece)
    REQUIRE(read_all(protocol, wire.get(), piece) == result);
  return result;
}
ReadResult read(std::initializer_list<Octets> frames) { return read(*giop, frames); }

void check_error(const ReadResult& result, FramingError error) {
  CHECK(result.failed);
  CHECK(result.error == error);
}

TEST_CASE("a 1.2 message in fragments equals the message in one piece") {
  for (const std::endian order : both_orders)
    for (const unsigned type : {request, reply, locate_request, locate_reply}) {
      const ReadResult result =
          read({first_1_2(type, 6, "01234567", order), fragment_1_2(6, "89abcdef", more, order),
                fragment_1_2(6, "gh", 0, order)});
      REQUIRE(result.messages.size() == 1);
      CHECK(result.messages[0].kind == static_cast<MessageKind>(type));
      CHECK(result.messages[0].octets == whole_1_2(type, 6, "0123456789abcdefgh", order));
      CHECK_FALSE(result.has_octets);
    }
}

TEST_CASE("the last fragment may be empty") {
  const ReadResult result = read({first_1_2(reply, 6, "01234567"), fragment_1_2(6, "", 0)});
  REQUIRE(result.messages.size() == 1);
  CHECK(result.messages[0].octets == whole_1_2(reply, 6, "01234567"));
}

TEST_CASE("an empty fragment in the middle is accepted") {
  const ReadResult result = read({first_1_2(reply, 6, "01234567"), fragment_1_2(6, "", more),
                                  fragment_1_2(6, "x", 0)});
  REQUIRE(result.messages.size() == 1);
  CHECK(result.messages[0].octets == whole_1_2(reply, 6, "01234567x"));
}

TEST_CASE("1.2 fragments may interleave with those of other messages and with whole messages") {
  const auto big = std::endian::big;
  const ReadResult result =
      read({first_1_2(request, 2, "aaaaaaaa"), first_1_2(reply, 3, "bbbbbbbb", big),
            fragment_1_2(2, "AAAAAAAA", more), small_reply(9), fragment_1_2(3, "BB", 0, big),
            first_1_2(locate_reply, 3, "cccccccc"), fragment_1_2(2, "!", 0),
            fragment_1_2(3, "C", 0)});
  REQUIRE(result.messages.size() == 4);
  CHECK(result.messages[0].octets == hex(small_reply(9)));
  CHECK(result.messages[1].octets == whole_1_2(reply, 3, "bbbbbbbbBB", big));
  CHECK(result.messages[2].octets == whole_1_2(request, 2, "aaaaaaaaAAAAAAAA!"));
  CHECK(result.messages[3].octets == whole_1_2(locate_reply, 3, "ccccccccC"));
  CHECK_FALSE(result.has_octets);
}

TEST_CASE("1.1 fragments carry no id; whole messages of any version may come between them") {
  const ReadResult result =
      read({piece_1_1(request, "12345", more), small_reply(9), piece_1_1(fragment, "6", more),
            piece_1_1(fragment, "789", 0)});
  REQUIRE(result.messages.size() == 2);
  CHECK(result.messages[1].version == Version{1, 1});
  CHECK(result.messages[1].octets == hex(piece_1_1(request, "123456789", 0)));
}

TEST_CASE("a 1.1 message reports where alignment restarts, if that changes the alignment") {
  const auto sizes_of = [](std::initializer_list<Octets> frames) {
    const auto reader = make_reader(*giop);
    Octets scratch(1024);
    messaging::IncomingMessage message;
    for (const Octets& frame : frames) {
      std::ranges::copy(frame, reader->receive_space(scratch).begin());
      reader->received(frame.size());
    }
    REQUIRE(reader->next(message) == perigee::test::Next::message);
    std::vector<std::size_t> sizes;
    for (std::size_t sum = 0; message.piece_sizes && sum < message.octets.size();)
      sum += sizes.emplace_back(message.piece_sizes[sizes.size()]);
    return sizes;
  };
  using Sizes = std::vector<std::size_t>;
  const std::string four = "1234";
  CHECK(sizes_of({piece_1_1(request, four, more), piece_1_1(fragment, four, more),
                  piece_1_1(fragment, four, 0)}) == Sizes{16, 8});
  CHECK(sizes_of({piece_1_1(request, four, more), piece_1_1(fragment, "", 0)}) == Sizes{16});
  CHECK(sizes_of({piece_1_1(request, four + four, more), piece_1_1(fragment, four, 0)}).empty());
  CHECK(sizes_of({first_1_2(request, 5, "12345678"), fragment_1_2(5, four, 0)}).empty());
}

TEST_CASE("a fragmented 1.1 message cannot interleave with another fragmented message") {
  check_error(read({piece_1_1(request, "1", more), piece_1_1(reply, "2", more)}),
              FramingError::bad_fragment);
}

TEST_CASE("a cancel request drops the fragments of its request and is delivered") {
  for (const std::endian order : both_orders) {
    const ReadResult result =
        read({first_1_2(request, 6, "01234567"), first_1_2(locate_request, 8, "01234567"),
              cancel_of(6, order), first_1_2(request, 6, "again..."), fragment_1_2(6, "", 0),
              cancel_of(8)});
    REQUIRE(result.messages.size() == 3);
    CHECK(result.messages[0].kind == MessageKind::cancel_request);
    CHECK(result.messages[1].octets == whole_1_2(request, 6, "again..."));
    CHECK(result.messages[2].kind == MessageKind::cancel_request);
    CHECK_FALSE(result.has_octets);
  }
}

TEST_CASE("fragments after the cancel request are ignored") {
  check_error(read({first_1_2(request, 6, "01234567"), cancel_of(6), fragment_1_2(6, "", 0)}),
              FramingError::bad_fragment);
}

TEST_CASE("a cancel request does not touch replies, other ids and 1.1 messages") {
  const ReadResult result =
      read({first_1_2(reply, 6, "01234567"), first_1_2(request, 8, "01234567"),
            piece_1_1(request, "123456789", more), cancel_of(6), cancel_of(10),
            fragment_1_2(6, "", 0), fragment_1_2(8, "", 0), piece_1_1(fragment, "", 0)});
  CHECK(result.messages.size() == 5);
}

TEST_CASE("a fragment out of order is an error") {
  const Octets begun = first_1_2(request, 6, "01234567");
  check_error(read({fragment_1_2(6, "x", 0)}), FramingError::bad_fragment);
  check_error(read({begun, fragment_1_2(7, "x", 0)}), FramingError::bad_fragment);
  check_error(read({begun, piece_1_1(fragment, "12345678", 0)}), FramingError::bad_fragment);
  check_error(read({begun, first_1_2(request, 6, "01234567")}), FramingError::bad_fragment);
  check_error(read({begun, fragment_1_2(6, "x", 0, std::endian::big)}),
              FramingError::bad_fragment);  // the payload would have two byte orders
}

TEST_CASE("a fragment flag on a kind that cannot be fragmented is an error") {
  for (const unsigned type : {2u, 5u, 6u})
    check_error(read({first_1_2(type, 6, "01234567")}), FramingError::bad_fragment);
  for (const unsigned type : {2u, 3u, 4u, 5u, 6u})
    check_error(read({piece_1_1(type, "12345678", more)}), FramingError::bad_fragment);
}

TEST_CASE("all pieces of 1.2 but the last have a multiple of 8 octets, and room for the id") {
  check_error(read({first_1_2(request, 6, "0123456")}), FramingError::bad_fragment);
  check_error(read({first_1_2(request, 6, "01234567"), fragment_1_2(6, "1", more)}),
              FramingError::bad_fragment);
  check_error(read({Wire().frame({1, 2}, request, 0, more)}), FramingError::bad_fragment);
  check_error(read({Wire().frame({1, 2}, request, 3, more).zeros(3)}), FramingError::bad_fragment);
  check_error(read({first_1_2(request, 6, "01234567"), Wire().frame({1, 2}, fragment, 3).zeros(3)}),
              FramingError::bad_fragment);
}

TEST_CASE("an error in the header of a large fragment is found before its octets come") {
  const Octets header = Wire().frame({1, 2}, fragment, 1 << 20).ulong(77);
  check_error(read({header}), FramingError::bad_fragment);
}

TEST_CASE("the number of fragments of a message is limited") {
  const auto three = open_giop({.fragments_max = 3});
  const Octets begun = first_1_2(request, 6, "01234567");
  const Octets another = fragment_1_2(6, "01234567", more);
  CHECK(read(*three, {begun, another, another, fragment_1_2(6, "", 0)}).messages.size() == 1);
  check_error(read(*three, {begun, another, another, another, fragment_1_2(6, "", 0)}),
              FramingError::too_large);
}

TEST_CASE("the number of fragmented messages in progress is limited") {
  const auto two = open_giop({.partial_messages_max = 2});
  const Octets one = first_1_2(request, 1, "01234567");
  const Octets another = first_1_2(reply, 2, "01234567");
  CHECK(read(*two, {one, another, fragment_1_2(1, "", 0), one, fragment_1_2(1, "", 0)})
            .messages.size() == 2);
  check_error(read(*two, {one, another, first_1_2(request, 3, "01234567")}),
              FramingError::too_large);
}

TEST_CASE("the size limits of one message and of all messages in progress apply to fragments") {
  const Octets begun = first_1_2(request, 1, std::string(48, 'a'));       // 64 octets
  const Octets next = fragment_1_2(1, std::string(32, 'b'), more);        // 32 more
  const auto one_limit = open_giop({.message_size_max = 128});
  CHECK(read(*one_limit, {begun, next, fragment_1_2(1, "", 0)}).messages.size() == 1);
  check_error(read(*one_limit, {begun, next, next}), FramingError::too_large);
  const auto all_limit = open_giop({.partial_size_max = 128});
  const Octets other = first_1_2(request, 2, std::string(48, 'a'));
  CHECK_FALSE(read(*all_limit, {begun, other}).failed);
  check_error(read(*all_limit, {begun, other, next}), FramingError::too_large);
  check_error(read(*all_limit, {begun, next, other}), FramingError::too_large);
}

TEST_CASE("fragments larger than the scratch space are read straight into the message") {
  const std::string large(100'000, 'x');
  const ReadResult result = read({first_1_2(request, 6, large), fragment_1_2(6, large, more),
                                  small_reply(7), fragment_1_2(6, large + "!", 0)});
  REQUIRE(result.messages.size() == 2);
  CHECK(result.messages[1].octets == whole_1_2(request, 6, large + large + large + "!"));
  CHECK_FALSE(result.has_octets);
}

/// Feeds frames whose first octets are already in the scratch space.
class LargeFragments {
 public:
  /// The space for the rest of the frame, when `count` octets of it are in the scratch space.
  MutableOctetSpan begin(const Octets& frame, std::size_t count) {
    std::copy_n(frame.begin(), count, reader_->receive_space(scratch_).data());
    reader_->received(count);
    CHECK(next() == perigee::test::Next::need_more);
    return reader_->receive_space(scratch_);
  }
  /// Whether the rest of the frame was received outside of the scratch space.
  bool passes_by_scratch(const Octets& frame, std::size_t count) {
    const MutableOctetSpan space = begin(frame, count);
    REQUIRE(space.size() >= frame.size() - count);
    std::copy(frame.begin() + static_cast<std::ptrdiff_t>(count), frame.end(), space.begin());
    reader_->received(frame.size() - count);
    return space.data() < scratch_.data() || space.data() > &scratch_.back();
  }
  perigee::test::Next next() { return reader_->next(message); }
  /// Puts the octets into one receive space.
  void receive(OctetSpan octets) {
    const MutableOctetSpan space = reader_->receive_space(scratch_);
    REQUIRE(space.size() >= octets.size());
    std::copy(octets.begin(), octets.end(), space.begin());
    reader_->received(octets.size());
  }
  engine::Inbox& inbox() { return reader_->inbox(); }
  [[nodiscard]] std::size_t scratch_size() const { return scratch_.size(); }
  std::size_t space_between_messages() { return reader_->receive_space(scratch_).size(); }

  messaging::IncomingMessage message;

 private:
  Octets scratch_ = Octets(256 * 1024);
  std::unique_ptr<perigee::test::MessageReader> reader_ = make_reader(*giop);
};

TEST_CASE("fragments above 64 KiB are read into the message, even if the scratch space has room") {
  const std::string large(100'000, 'x');
  SUBCASE("1.2") {
    LargeFragments fragments;
    CHECK(fragments.passes_by_scratch(first_1_2(request, 6, large), 20'000));
    CHECK(fragments.next() == perigee::test::Next::need_more);
    CHECK(fragments.passes_by_scratch(fragment_1_2(6, large + "!", 0), 1'000));
    REQUIRE(fragments.next() == perigee::test::Next::message);
    CHECK(hex(fragments.message.octets) == whole_1_2(request, 6, large + large + "!"));
  }
  SUBCASE("1.1") {
    LargeFragments fragments;
    CHECK(fragments.passes_by_scratch(piece_1_1(request, large, more), 13));
    CHECK(fragments.next() == perigee::test::Next::need_more);
    CHECK(fragments.passes_by_scratch(piece_1_1(fragment, large + "!", 0), 4096));
    REQUIRE(fragments.next() == perigee::test::Next::message);
    CHECK(hex(fragments.message.octets) == hex(piece_1_1(request, large + large + "!", 0)));
  }
}

TEST_CASE("fragments of 64 KiB and less are read into the scratch space") {
  const Octets small = first_1_2(request, 6, std::string(65'520, 'x'));
  REQUIRE(small.size() == 64 * 1024);
  CHECK_FALSE(LargeFragments().passes_by_scratch(small, 20'000));
}

TEST_CASE("a truncated large fragment allocates memory only for the octets that arrived") {
  const Octets first = first_1_2(request, 6, std::string(60'000'000, 'x'));
  LargeFragments fragments;
  CHECK(fragments.begin(first, 1'000).size() <= 256 * 1024);
  CHECK(fragments.inbox().unfinished().octets == 1'000);
  CHECK(fragments.inbox().unfinished().left == first.size() - 1'000);
  CHECK(fragments.next() == perigee::test::Next::need_more);
}

/// A message of one large and one small fragment.
void take_large_message(LargeFragments& fragments) {
  CHECK(fragments.passes_by_scratch(first_1_2(request, 6, std::string(100'000, 'x')), 20));
  CHECK(fragments.next() == perigee::test::Next::need_more);
  CHECK_FALSE(fragments.passes_by_scratch(fragment_1_2(6, "the end", 0), 13));
  REQUIRE(fragments.next() == perigee::test::Next::message);
  CHECK(fragments.next() == perigee::test::Next::need_more);
}

TEST_CASE("after a message of large fragments, two receives take at most 4096 octets") {
  LargeFragments fragments;
  take_large_message(fragments);
  CHECK(fragments.space_between_messages() == 4096);  // may find that nothing has arrived
  CHECK(fragments.space_between_messages() == 4096);
  CHECK(fragments.space_between_messages() == fragments.scratch_size());
}

TEST_CASE("after a small message, a receive takes more than 4096 octets again") {
  LargeFragments fragments;
  take_large_message(fragments);
  const Octets small = Wire().frame({1, 2}, request, 12).ulong(7).ulong(0).ulong(0);
  fragments.receive(small);
  REQUIRE(fragments.next() == perigee::test::Next::message);
  CHECK(fragments.next() == perigee::test::Next::need_more);
  CHECK(fragments.space_between_messages() == fragments.scratch_size());
}

TEST_CASE("after a part of a small message, a receive takes more than 4096 octets again") {
  LargeFragments fragments;
  take_large_message(fragments);
  const Octets small = Wire().frame({1, 2}, request, 12).ulong(7).ulong(0).ulong(0);
  fragments.receive(OctetSpan(small).first(5));
  CHECK(fragments.next() == perigee::test::Next::need_more);
  fragments.receive(OctetSpan(small).subspan(5));
  REQUIRE(fragments.next() == perigee::test::Next::message);
  CHECK(fragments.next() == perigee::test::Next::need_more);
  CHECK(fragments.space_between_messages() == fragments.scratch_size());
}

}  // namespace
}  // namespace perigee::giop::test
