// Endpoints as text, and the registry of protocols.
#include "support/octets.h"
#include <perigee/transport/registry.h>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace perigee::transport {
namespace {

using perigee::test::octets;

TEST_CASE("an endpoint comes back from its text") {
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

TEST_CASE("an endpoint of a stranger's choice is shown in one line, and moves no cursor") {
  CHECK(to_string({"uiop", "/a\nerror: \x1b[2J"}) == "uiop:///a\\x0aerror: \\x1b[2J");
}

TEST_CASE("what has no scheme is no endpoint, and the error says what it was") {
  for (const std::string text :
       {"", "host:1", "://host:1", "IIOP://host:1", "1iop://host", "ii op://host", "iiop:/host"}) {
    CAPTURE(text);
    const auto endpoint = parse_endpoint(text);
    REQUIRE_FALSE(endpoint.has_value());
    CHECK(endpoint.error().kind == IoErrorKind::bad_address);
    CHECK(endpoint.error().endpoint == text);
  }
}

/// Profiles that are an address and nothing else.
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

/// A protocol that can do nothing but claim profiles of one tag, whose codec it may bring.
class FakeProtocol final : public ProtocolFactory {
 public:
  FakeProtocol(std::array<std::string_view, 2> schemes, std::uint32_t tag, bool brings_codec)
      : schemes_(schemes), tag_(tag), brings_codec_(brings_codec) {}
  [[nodiscard]] std::string_view name() const noexcept override { return schemes_[0]; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    return schemes_;
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector() override { return nullptr; }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint&) override {
    return std::unexpected(IoError{IoErrorKind::unsupported});
  }
  [[nodiscard]] std::vector<std::unique_ptr<iop::ProfileCodec>> make_profile_codecs() override {
    std::vector<std::unique_ptr<iop::ProfileCodec>> codecs;
    if (brings_codec_) codecs.push_back(std::make_unique<FakeCodec>(tag_));
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
  std::array<std::string_view, 2> schemes_;
  std::uint32_t tag_;
  bool brings_codec_;
};

std::unique_ptr<ProtocolFactory> protocol(std::string_view scheme, std::string_view other,
                                          std::uint32_t tag) {
  return std::make_unique<FakeProtocol>(std::array{scheme, other}, tag, true);
}
std::unique_ptr<ProtocolFactory> protocol_without_codec(std::string_view scheme,
                                                        std::uint32_t tag) {
  return std::make_unique<FakeProtocol>(std::array{scheme, scheme}, tag, false);
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

TEST_CASE("a scheme is registered once; the second protocol that has it is refused whole") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(protocol("one", "uno", 1)).has_value());
  const auto added = registry.add(protocol("two", "uno", 2));
  REQUIRE_FALSE(added.has_value());
  CHECK(added.error().kind == IoErrorKind::bad_address);
  CHECK(added.error().endpoint == "protocol two: the scheme uno is already that of protocol one");
  CHECK(registry.find("two") == nullptr);
  CHECK((registry.schemes() == std::vector<std::string>{"one", "uno"}));
}

TEST_CASE("a codec is registered once for each tag; the second that brings one is refused whole") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(protocol("one", "uno", 1)).has_value());
  const auto again = registry.add(protocol("two", "due", 1));
  REQUIRE_FALSE(again.has_value());
  CHECK(again.error().kind == IoErrorKind::bad_address);
  CHECK(again.error().endpoint ==
        "protocol two: profiles with tag 1 are already read by protocol one");
  CHECK(registry.find("two") == nullptr);
  CHECK_FALSE(registry.add(protocol("three", "tre", iop::tag_internet_iop)).has_value());
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

TEST_CASE("a profile that nobody reads or nobody claims leads nowhere") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(protocol("one", "uno", 1)).has_value());
  REQUIRE(registry.add(protocol_without_codec("two", 2)).has_value());
  CHECK_FALSE(registry.claim({2, {}}).has_value());
  CHECK_FALSE(registry.claim(iop::encode_profile({1, 2, "host", 1, {}, {}})).has_value());
}

TEST_CASE("protocols may be added while others look for theirs") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(protocol("one", "uno", 1)).has_value());
  std::atomic<bool> stop{false};
  std::jthread reader([&] {
    while (!stop) {
      if (registry.find("one") == nullptr || !registry.claim({1, {}})) std::abort();
    }
  });
  std::vector<std::string> names;
  for (int number = 2; number < 200; ++number) names.push_back("p" + std::to_string(number));
  for (std::uint32_t tag = 2; tag < 200; ++tag)
    REQUIRE(registry.add(protocol(names[tag - 2], names[tag - 2], tag)).has_value());
  stop = true;
  CHECK(registry.find("p199") != nullptr);
}

}  // namespace
}  // namespace perigee::transport
