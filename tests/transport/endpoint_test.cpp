// Endpoints as text, and the registry of protocols.
#include <perigee/transport/registry.h>

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace perigee::transport {
namespace {

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

/// A protocol that can do nothing but claim profiles of one tag.
class FakeProtocol final : public ProtocolFactory {
 public:
  FakeProtocol(std::array<std::string_view, 2> schemes, std::uint32_t tag)
      : schemes_(schemes), tag_(tag) {}
  [[nodiscard]] std::string_view name() const noexcept override { return schemes_[0]; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    return schemes_;
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector() override { return nullptr; }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint&) override {
    return std::unexpected(IoError{IoErrorKind::unsupported});
  }
  [[nodiscard]] std::optional<ProfileTarget> claim(
      const iop::TaggedProfile& profile) const override {
    if (profile.tag != tag_) return std::nullopt;
    return ProfileTarget{.endpoints = {{std::string(schemes_[0]), ""}}};
  }
  [[nodiscard]] iop::TaggedProfile make_profile(const Endpoint&,
                                                const ProfileSource&) const override {
    return {};
  }

 private:
  std::array<std::string_view, 2> schemes_;
  std::uint32_t tag_;
};

std::unique_ptr<ProtocolFactory> protocol(std::string_view scheme, std::string_view other,
                                          std::uint32_t tag) {
  return std::make_unique<FakeProtocol>(std::array{scheme, other}, tag);
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
  CHECK(added.error().endpoint == "uno");
  CHECK(registry.find("two") == nullptr);
}

TEST_CASE("several protocols may claim a profile: the first registered wins") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(protocol("one", "uno", 1)).has_value());
  REQUIRE(registry.add(protocol("two", "due", 2)).has_value());
  REQUIRE(registry.add(protocol("three", "tre", 2)).has_value());
  CHECK(registry.claim({2, {}})->endpoints.front().scheme == "two");
  CHECK_FALSE(registry.claim({3, {}}).has_value());
}

}  // namespace
}  // namespace perigee::transport
