// Endpoints as text, and the registry of protocols.
#include "support/octets.h"
#include <perigee/transport/registry.h>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::transport {
namespace {

using perigee::test::octets;

TEST_CASE("an endpoint can be written as text and read back") {
  for (const std::string text :
       {"iiop://host:1", "iiop://[::1]:2809", "uiop:///tmp/socket", "iiop://", "x-y.z+1://a://b"}) {
    CAPTURE(text);
    const auto endpoint = parse_endpoint(text);
    REQUIRE(endpoint.has_value());
    CHECK(to_string(*endpoint) == text);
  }
  CHECK(parse_endpoint("iiop://host:1").value() == Endpoint{"iiop", "host:1"});
  CHECK(parse_endpoint("x://a://b").value() == Endpoint{"x", "a://b"});
}

TEST_CASE("an untrusted endpoint is shown in one line, and cannot move the cursor") {
  CHECK(to_string({"uiop", "/a\nerror: \x1b[2J"}) == "uiop:///a\\x0aerror: \\x1b[2J");
}

TEST_CASE("text without a scheme is not an endpoint; the error has the text and the right form") {
  for (const std::string text :
       {"", "host:1", "://host:1", "IIOP://host:1", "1iop://host", "ii op://host", "iiop:/host"}) {
    CAPTURE(text);
    const auto endpoint = parse_endpoint(text);
    REQUIRE_FALSE(endpoint.has_value());
    CHECK(endpoint.error().kind == IoErrorKind::bad_address);
    CHECK(endpoint.error().endpoint == std::string(text) + " (<scheme>://<address> is needed)");
  }
}

/// A codec of profiles that contain only an address.
class FakeCodec final : public iop::ProfileCodec {
 public:
  explicit FakeCodec(std::uint32_t tag) : tag_(tag) {}
  [[nodiscard]] std::uint32_t tag() const noexcept override { return tag_; }
  [[nodiscard]] std::expected<iop::ProfileBody, cdr::Error> decode(
      const iop::TaggedProfile& profile, const iop::IorLimits&) const override {
    iop::ProfileBody body;
    for (const std::byte octet : profile.data) body.address += static_cast<char>(octet);
    return body;
  }
  [[nodiscard]] iop::TaggedProfile encode(const iop::ProfileBody&) const override {
    return {tag_, {}};
  }

 private:
  std::uint32_t tag_;
};

/// A protocol that only claims profiles of one tag, and may have a codec for the tag.
class FakeProtocol final : public ProtocolFactory {
 public:
  FakeProtocol(std::vector<std::string_view> schemes, std::uint32_t tag,
               std::vector<std::uint32_t> codec_tags)
      : schemes_(std::move(schemes)), tag_(tag), codec_tags_(std::move(codec_tags)) {}
  [[nodiscard]] std::string_view name() const noexcept override { return schemes_.front(); }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    return schemes_;
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector() override { return nullptr; }
  [[nodiscard]] messaging::Carrier carrier() const noexcept override { return offered; }
  messaging::Carrier offered;
  std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint&) override {
    return std::unexpected(IoError{IoErrorKind::unsupported});
  }
  [[nodiscard]] std::vector<std::unique_ptr<iop::ProfileCodec>> make_profile_codecs() override {
    std::vector<std::unique_ptr<iop::ProfileCodec>> codecs;
    for (const std::uint32_t tag : codec_tags_) codecs.push_back(std::make_unique<FakeCodec>(tag));
    return codecs;
  }
  [[nodiscard]] std::vector<ProfileEndpoint> claim(std::uint32_t tag,
                                                   const iop::ProfileBody& body) const override {
    if (tag != tag_) return {};
    return {{{std::string(schemes_[0]), body.address}}};
  }
  [[nodiscard]] iop::TaggedProfile make_profile(const Endpoint&,
                                                const ProfileSource&) const override {
    return {};
  }

 private:
  std::vector<std::string_view> schemes_;
  std::uint32_t tag_;
  std::vector<std::uint32_t> codec_tags_;
};

std::unique_ptr<ProtocolFactory> protocol(std::string_view scheme, std::string_view other,
                                          std::uint32_t tag) {
  return std::make_unique<FakeProtocol>(std::vector{scheme, other}, tag, std::vector{tag});
}
std::unique_ptr<ProtocolFactory> protocol_without_codec(std::string_view scheme,
                                                        std::uint32_t tag) {
  return std::make_unique<FakeProtocol>(std::vector{scheme}, tag, std::vector<std::uint32_t>{});
}

TEST_CASE("a registry finds a protocol by each of its schemes and no other") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(protocol("one", "uno", 1)).has_value());
  REQUIRE(registry.add(protocol("two", "due", 2)).has_value());
  CHECK(registry.find("one")->name() == "one");
  CHECK(registry.find("uno")->name() == "one");
  CHECK(registry.find("due")->name() == "two");
  CHECK(registry.find("three") == nullptr);
  CHECK(registry.connector("three") == nullptr);
}

TEST_CASE("a protocol with a registered scheme is refused, with all its schemes") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(protocol("one", "uno", 1)).has_value());
  const auto added = registry.add(protocol("two", "uno", 2));
  REQUIRE_FALSE(added.has_value());
  CHECK(added.error().kind == IoErrorKind::bad_plugin);
  CHECK(added.error().endpoint == "protocol two: the scheme uno is already that of protocol one");
  CHECK(registry.find("two") == nullptr);
  CHECK((registry.schemes() == std::vector<std::string>{"one", "uno"}));
}

TEST_CASE("restore finds a removed protocol by name or scheme; of two with the name, the newest") {
  ProtocolRegistry registry;
  CHECK(registry.restore("one") == false);
  REQUIRE(registry.add(protocol("one", "uno", 1)).has_value());
  CHECK_FALSE(registry.restore("uno").has_value());  // not removed
  ProtocolFactory* const older = registry.find("one");
  REQUIRE(registry.remove("uno"));
  CHECK(registry.codec(1) == nullptr);
  REQUIRE(registry.add(protocol("one", "uno", 1)).has_value());
  ProtocolFactory* const newer = registry.find("one");
  REQUIRE(registry.remove("one"));
  REQUIRE(registry.list().size() == 1);
  CHECK(registry.list()[0].is_removed);
  CHECK(registry.restore("uno") == true);
  CHECK(registry.find("one") == newer);
  CHECK(registry.find("one") != older);
  CHECK(registry.codec(1) != nullptr);
  CHECK_FALSE(registry.list()[0].is_removed);
}

TEST_CASE("a removed protocol is not restored if another protocol has taken its scheme") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(protocol("one", "uno", 1)).has_value());
  REQUIRE(registry.remove("one"));
  REQUIRE(registry.add(protocol("two", "uno", 2)).has_value());
  const auto back = registry.restore("one");
  REQUIRE_FALSE(back.has_value());
  CHECK(back.error().endpoint == "protocol one: the scheme uno is already that of protocol two");
  CHECK(registry.find("one") == nullptr);
}

TEST_CASE("a protocol with a codec for a registered tag is refused, with all its schemes") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(protocol("one", "uno", 1)).has_value());
  const auto again = registry.add(protocol("two", "due", 1));
  REQUIRE_FALSE(again.has_value());
  CHECK(again.error().kind == IoErrorKind::bad_plugin);
  CHECK(again.error().endpoint ==
        "protocol two: profiles with tag 1 are already read by protocol one");
  CHECK(registry.find("two") == nullptr);
  CHECK_FALSE(registry.add(protocol("three", "tre", iop::tag_internet_iop)).has_value());
}

TEST_CASE("a protocol with a duplicate, or without a scheme, is refused") {
  ProtocolRegistry registry;
  const auto failure = [&](std::vector<std::string_view> schemes, std::vector<std::uint32_t> tags) {
    const auto added = registry.add(std::make_unique<FakeProtocol>(schemes, 1, tags));
    REQUIRE_FALSE(added.has_value());
    return added.error().endpoint;
  };
  CHECK(failure({"one", "one"}, {1}) == "protocol one: the scheme one is listed twice");
  CHECK(failure({"one"}, {1, 2, 1}) == "protocol one reads profiles with tag 1 twice");
  CHECK(failure({"One"}, {1}) == "protocol One: the scheme 'One' is not a valid name");
  CHECK(registry.schemes().empty());
}

TEST_CASE("protocols that are added together are all registered, or none") {
  ProtocolRegistry registry;
  ProtocolFactories together;
  together.push_back(protocol("one", "uno", 1));
  together.push_back(protocol("two", "uno", 2));
  CHECK_FALSE(registry.add(std::move(together)).has_value());
  CHECK(registry.schemes().empty());
}

TEST_CASE("a transport that cannot carry the messages of its scheme is refused when it is added") {
  ProtocolRegistry registry;
  const auto failure = [&](const messaging::Carrier& offered) {
    auto factory = std::make_unique<FakeProtocol>(std::vector<std::string_view>{"one"}, 1,
                                                  std::vector<std::uint32_t>{1});
    factory->offered = offered;
    const auto added = registry.add(std::move(factory));
    REQUIRE_FALSE(added.has_value());
    CHECK(added.error().kind == IoErrorKind::unsupported);
    return added.error().endpoint;
  };
  CHECK(failure({.shape = messaging::Shape::datagrams}) ==
        "protocol one: one carries giop, but its transport does not carry streams of octets");
  CHECK(failure({.reliable = false}) ==
        "protocol one: one carries giop, but its transport does not deliver all octets that are "
        "sent");
  CHECK(failure({.ordered = false}) ==
        "protocol one: one carries giop, but its transport does not keep the order in which octets "
        "are sent");
  CHECK(failure({.flow = messaging::Flow::send_only}) ==
        "protocol one: one carries giop, but its transport does not move octets in both "
        "directions");
}

TEST_CASE("several protocols may claim a profile: their endpoints come in the protocols' order") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(protocol("one", "uno", 1)).has_value());
  REQUIRE(registry.add(protocol("two", "due", 2)).has_value());
  REQUIRE(registry.add(protocol_without_codec("three", 2)).has_value());
  const auto target = registry.claim({2, octets('a')});
  REQUIRE(target.has_value());
  CHECK((target->endpoints == std::vector<ProfileEndpoint>{{{"two", "a"}}, {{"three", "a"}}}));
}

TEST_CASE("a profile that no protocol reads or claims has no target") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(protocol("one", "uno", 1)).has_value());
  REQUIRE(registry.add(protocol_without_codec("two", 2)).has_value());
  CHECK_FALSE(registry.claim({2, {}}).has_value());
  CHECK_FALSE(registry.claim(iop::encode_profile({1, 2, "host", 1, {}, {}})).has_value());
}

TEST_CASE("protocols may be added while another thread looks protocols up") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(protocol("one", "uno", 1)).has_value());
  std::atomic<bool> stop{false};
  std::jthread reader([&] {
    while (!stop) {
      if (registry.find("one") == nullptr || !registry.claim({1, {}})) std::abort();
    }
  });
  std::vector<std::pair<std::string, std::string>> names;
  for (int number = 2; number < 200; ++number)
    names.emplace_back("p" + std::to_string(number), "q" + std::to_string(number));
  for (std::uint32_t tag = 2; tag < 200; ++tag)
    REQUIRE(registry.add(protocol(names[tag - 2].first, names[tag - 2].second, tag)).has_value());
  stop = true;
  CHECK(registry.find("p199") != nullptr);
}

}  // namespace
}  // namespace perigee::transport
