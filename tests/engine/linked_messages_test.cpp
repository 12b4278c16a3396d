// Messages that begin with a link: where their last octets are, and links that are wrong.
#include "engine/connection/inbox.h"
#include <perigee/cdr/borrowed.h>
#include <perigee/cdr/pinned_memory.h>
#include <perigee/giop/giop.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace perigee::engine::test {
namespace {

using messaging::FramingError;
using transport::Link;

/// Counts the links that are in use.
class Memory final : public cdr::PinnedMemory {
 public:
  explicit Memory(int& in_use) : in_use_(in_use) { ++in_use_; }
  ~Memory() override { --in_use_; }

 private:
  int& in_use_;
};

/// Links to octets of the test. A link with the offset 0 is correct.
class FakeLinks final : public transport::SequenceLinks {
 public:
  [[nodiscard]] std::optional<Link> lend(OctetSpan /*octets*/) noexcept override { return {}; }
  void note_queued(const Link& /*link*/, std::uint64_t /*position*/) noexcept override {}
  void take_back(const Link& /*link*/) noexcept override {}
  void take_back_queued(std::uint64_t /*position*/) noexcept override {}
  [[nodiscard]] transport::LinkedOctets follow(const Link& link) override {
    if (link.offset != 0 || link.size > octets.size()) return {};
    return {OctetSpan(octets).subspan(shift, static_cast<std::size_t>(link.size)),
            make_counted<Memory>(in_use)};
  }

  Octets octets = Octets(200'000, std::byte{7});
  std::size_t shift = 0;  ///< octets in front of linked ones
  int in_use = 0;
};

constexpr messaging::Limits limits{.message_size_max = 90'000};

/// The receiving side of a connection with links.
class Receiver {
 public:
  Receiver() { inbox_.accept_links(links); }

  /// A link, and the request that it belongs to, whose argument is a sequence of `count` octets.
  /// `before`: octets of a first argument, which are not linked.
  Octets request(std::size_t count, std::size_t before = 0, messaging::Version version = {1, 2}) {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer, std::endian::native);
    const Octets key(20);
    session_->begin_request(encoder, version,
                            {.request_id = 7, .object_key = key, .operation = "f"},
                            messaging::Body::present);
    const std::vector<std::uint8_t> first(before);
    encoder << first;
    encoder.write_length(count);
    const std::size_t head = buffer.own_size();
    buffer.borrow(OctetSpan(links.octets).first(count));
    session_->finish(encoder);
    link = Link{};
    link.generation = 1;
    link.size = count;
    const OctetSpan of_link = std::as_bytes(std::span(&link, 1));
    Octets octets(of_link.begin(), of_link.end());
    const OctetSpan own = buffer.own_octets().first(head);
    octets.insert(octets.end(), own.begin(), own.end());
    return octets;
  }
  /// Feeds the octets, at most `at_once` in one receive.
  InboxStatus receive(OctetSpan octets, std::size_t at_once = 100'000) {
    InboxStatus status = InboxStatus::need_more;
    while (!octets.empty() && status == InboxStatus::need_more) {
      const ReceiveSpace space = inbox_.receive_space(scratch_);
      const std::size_t count = std::min({space.first.size(), octets.size(), at_once});
      std::copy_n(octets.begin(), count, space.first.begin());
      inbox_.received(count);
      octets = octets.subspan(count);
      status = inbox_.next(message);
    }
    return status;
  }
  /// The error of a request whose link was changed.
  template <typename Change>
  FramingError error_of(Change&& change, std::size_t count = 50'000) {
    Octets octets = request(count);
    change(link);
    std::memcpy(octets.data(), &link, sizeof(link));
    REQUIRE(receive(octets) == InboxStatus::error);
    CHECK(links.in_use == 0);
    return inbox_.error();
  }
  [[nodiscard]] cdr::Decoder body() {
    auto request = session_->parse_request(message, contexts_);
    REQUIRE(request);
    return request->body;
  }
  /// The first fragment of another request.
  Octets fragment(std::uint32_t request_id, std::size_t size) {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer, std::endian::native);
    session_->begin_request(encoder, {1, 2}, {.request_id = request_id, .operation = "g"},
                            messaging::Body::present);
    encoder << std::vector<std::uint8_t>(size);
    session_->finish(encoder);
    Octets octets = buffer.flatten();
    octets[6] |= std::byte{2};  // more fragments follow
    return octets;
  }
  Inbox& inbox() { return inbox_; }

  FakeLinks links;
  Link link;
  messaging::IncomingMessage message;

 private:
  const std::unique_ptr<messaging::MessagingProtocol> protocol_ = giop::make_giop(limits);
  const std::unique_ptr<messaging::Session> session_ =
      protocol_->open(messaging::Role::acceptor, {});
  Inbox inbox_{*session_};
  Octets scratch_ = Octets(1024);
  messaging::ContextStorage contexts_;
};

const std::uint8_t* octets_of(const FakeLinks& links) {
  return reinterpret_cast<const std::uint8_t*>(links.octets.data());
}

}  // namespace

TEST_CASE("a borrowed argument that is linked is a view of the sender's memory") {
  for (const std::size_t at_once : {std::size_t{1}, std::size_t{13}, std::size_t{100'000}}) {
    CAPTURE(at_once);
    Receiver receiver;
    REQUIRE(receiver.receive(receiver.request(50'000), at_once) == InboxStatus::message);
    cdr::Decoder decoder = receiver.body();
    std::vector<std::uint8_t> first;
    cdr::BorrowedSequence<std::uint8_t> second;
    decoder >> first >> second;
    CHECK(decoder.ok());
    CHECK(decoder.remaining() == 0);
    const std::span<const std::uint8_t> view = second;
    CHECK(view.data() == octets_of(receiver.links));
    CHECK(view.size() == 50'000);
    CHECK(receiver.links.in_use == 1);
    receiver.message = {};
    CHECK(receiver.links.in_use == 0);
  }
}

TEST_CASE("a vector and a copied message have the linked octets") {
  Receiver receiver;
  REQUIRE(receiver.receive(receiver.request(50'000)) == InboxStatus::message);
  std::vector<std::uint8_t> first;
  std::vector<std::uint8_t> second;
  cdr::Decoder decoder = receiver.body();
  cdr::Decoder::Copied copied;
  cdr::Decoder copy = decoder.copy_into(copied);
  decoder >> first >> second;
  CHECK(decoder.ok());
  CHECK(second == std::vector<std::uint8_t>(50'000, 7));
  second.clear();
  copy >> first >> second;
  CHECK(copy.ok());
  CHECK(second == std::vector<std::uint8_t>(50'000, 7));
}

TEST_CASE("linked octets that are read as other values are copied first") {
  Receiver receiver;
  REQUIRE(receiver.receive(receiver.request(50'000)) == InboxStatus::message);
  cdr::Decoder decoder = receiver.body();
  std::vector<std::uint8_t> first;
  decoder >> first;
  CHECK(decoder.read<std::uint32_t>() == 50'000);
  CHECK(decoder.read<std::uint32_t>() == 0x07070707);
  CHECK(decoder.read_octets(49'996).size() == 49'996);
  CHECK(decoder.ok());
  (void)decoder.read<std::uint8_t>();
  CHECK_FALSE(decoder.ok());
}

// A vector whose memory lies 16 octets after the source, modulo 4096, gets a slow copy.
TEST_CASE("a vector gets linked octets from any address") {
  Receiver receiver;
  constexpr std::size_t size = 80'000;
  std::vector<std::uint8_t> second(size);
  const auto to = reinterpret_cast<std::uintptr_t>(second.data());
  const auto from = reinterpret_cast<std::uintptr_t>(receiver.links.octets.data());
  for (std::size_t distance = 0; distance < 40; ++distance) {
    CAPTURE(distance);
    receiver.links.shift = (to - distance - from) % 4096;
    REQUIRE(receiver.receive(receiver.request(size)) == InboxStatus::message);
    cdr::Decoder decoder = receiver.body();
    std::vector<std::uint8_t> first;
    decoder >> first >> second;
    CHECK(decoder.ok());
    CHECK(reinterpret_cast<std::uintptr_t>(second.data()) == to);
    CHECK(second == std::vector<std::uint8_t>(size, 7));
    std::ranges::fill(second, std::uint8_t{0});
  }
}

TEST_CASE("linked octets of a string are copied before they are checked") {
  Receiver receiver;
  receiver.links.octets.back() = std::byte{0};
  REQUIRE(receiver.receive(receiver.request(1000)) == InboxStatus::message);
  cdr::Decoder decoder = receiver.body();
  std::vector<std::uint8_t> first;
  decoder >> first;
  const std::string_view text = decoder.read_string_view();
  CHECK_FALSE(decoder.ok());  // the octets have no NUL
  CHECK(text.empty());
  const auto* const octets = receiver.message.landed->join(receiver.message.octets).data();
  CHECK(octets != receiver.links.octets.data());
}

TEST_CASE("a linked message may follow a fragment in the same receive") {
  Receiver receiver;
  Octets all = receiver.fragment(5, 100);
  const Octets linked = receiver.request(40'000);
  all.insert(all.end(), linked.begin(), linked.end());
  REQUIRE(receiver.receive(all) == InboxStatus::message);
  CHECK(receiver.message.landed != nullptr);
}

TEST_CASE("several linked messages and others arrive together") {
  Receiver receiver;
  Octets all;
  for (int round = 0; round < 3; ++round) {
    const Octets octets = receiver.request(40'000);
    all.insert(all.end(), octets.begin(), octets.end());
  }
  REQUIRE(receiver.receive(all) == InboxStatus::message);
  receiver.inbox().detach();
  CHECK(receiver.inbox().next(receiver.message) == InboxStatus::message);
  CHECK(receiver.message.size() == receiver.message.octets.size() + 40'000);
  CHECK(receiver.inbox().next(receiver.message) == InboxStatus::message);
  CHECK(receiver.links.in_use == 1);
  CHECK(receiver.inbox().next(receiver.message) == InboxStatus::need_more);
  CHECK_FALSE(receiver.inbox().has_octets());
}

TEST_CASE("a wrong link ends the connection before any memory is taken") {
  constexpr std::uint64_t highest = std::numeric_limits<std::uint64_t>::max();
  CHECK(Receiver().error_of([](Link& link) { link.offset = 1; }) == FramingError::bad_header);
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{49'000}, std::uint64_t{50'090},
                                   std::uint64_t{90'000}, highest}) {
    CAPTURE(size);
    CHECK(Receiver().error_of([size](Link& link) { link.size = size; }) ==
          FramingError::bad_header);
  }
}

TEST_CASE("a linked message above the limit is refused, and its request can be shown") {
  Receiver receiver;
  CHECK(receiver.error_of([](Link&) {}, 90'001) == FramingError::too_large);
  CHECK(receiver.inbox().exceeded_limit().limit == MessageLimit::message_size);
  REQUIRE(receiver.inbox().show_refused(receiver.message));
  CHECK(receiver.message.octets.front() == std::byte{'G'});
}

TEST_CASE("too many octets in front of the linked ones, and a link without links, are errors") {
  Receiver receiver;
  CHECK(receiver.receive(receiver.request(50'000, 1000)) == InboxStatus::error);
  CHECK(receiver.inbox().error() == FramingError::bad_header);
  const auto protocol = giop::make_giop(limits);
  const auto session = protocol->open(messaging::Role::acceptor, {});
  Inbox plain(*session);
  Octets scratch(1024);
  const Octets octets = Receiver().request(50'000);
  std::ranges::copy(octets, plain.receive_space(scratch).first.begin());
  plain.received(octets.size());
  messaging::IncomingMessage message;
  CHECK(plain.next(message) == InboxStatus::error);
  CHECK(plain.error() == FramingError::bad_magic);
}

}  // namespace perigee::engine::test
