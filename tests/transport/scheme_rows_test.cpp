// Rows: schemes that pair a messaging protocol with a transport. Adding, finding, publishing and
// removing rows, and pairs that do not fit.
#include "support/memory_protocol.h"
#include <perigee/iop/components.h>
#include <perigee/transport/registry.h>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace perigee::transport {
namespace {

using messaging::Carrier;
using messaging::Needs;
using messaging::Use;

/// A messaging protocol that opens no sessions.
class FakeMessages final : public messaging::MessagingProtocol {
 public:
  FakeMessages(std::string name, const Needs& two_way, const Needs& oneway)
      : MessagingProtocol({}), name_(std::move(name)), two_way_(two_way), oneway_(oneway) {}
  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] Needs needs(Use use) const noexcept override {
    return use == Use::two_way ? two_way_ : oneway_;
  }
  [[nodiscard]] std::unique_ptr<messaging::Session> open(messaging::Role,
                                                         const Carrier&) const override {
    return nullptr;
  }

 private:
  const std::string name_;
  const Needs two_way_;
  const Needs oneway_;
};

MessagingMaker maker(std::string name, Needs two_way = {}, Needs oneway = {}) {
  return [=](const messaging::Limits&) {
    return std::make_unique<FakeMessages>(name, two_way, oneway);
  };
}

/// The memory transport of the tests, and messages "brief" with the scheme "brief-memory".
ProtocolParts plugin_parts() {
  ProtocolParts parts;
  parts.transports.push_back(test::make_memory_protocol(std::make_shared<test::MemoryHub>()));
  parts.messagings.push_back(maker("brief"));
  parts.schemes.push_back({"brief-memory", "brief", "memory"});
  return parts;
}

std::string failure_of(ProtocolRegistry& registry, SchemeRow row) {
  const auto added = registry.add_scheme(std::move(row));
  REQUIRE_FALSE(added.has_value());
  return added.error().endpoint;
}

TEST_CASE("a row makes a scheme with its messages and its transport's connections") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(plugin_parts()).has_value());
  REQUIRE(registry.messaging("brief-memory") != nullptr);
  CHECK(registry.messaging("brief-memory")->name() == "brief");
  CHECK(registry.messaging("memory") == nullptr);  // GIOP
  const auto acceptor = registry.find("brief-memory")->listen({"brief-memory", "here"});
  REQUIRE(acceptor.has_value());
  CHECK((*acceptor)->listening() == Endpoint{"brief-memory", "here"});
  const auto client = registry.connector("brief-memory")
                          ->connect({"brief-memory", "here"}, std::chrono::milliseconds(0));
  CHECK(client.has_value());
  CHECK((*acceptor)->accept(Wait::no).value() != nullptr);
}

TEST_CASE("errors of a pair's connections name the pair's own scheme") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(plugin_parts()).has_value());
  const auto client = registry.connector("brief-memory")
                          ->connect({"brief-memory", "nowhere"}, std::chrono::milliseconds(0));
  REQUIRE_FALSE(client.has_value());
  CHECK(client.error().endpoint.starts_with("brief-memory://nowhere"));
}

TEST_CASE("a profile of a pair leads to the pair, not to the transport's own scheme") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(plugin_parts()).has_value());
  REQUIRE(registry.add_scheme({"other-memory", "giop", "memory"}).has_value());
  const Octets key(8);
  const auto profile =
      registry.find("brief-memory")->make_profile({"brief-memory", "here"}, {1, 1, key, {}});
  const auto target = registry.claim(profile);
  REQUIRE(target.has_value());
  REQUIRE(target->endpoints.size() == 1);
  CHECK(target->endpoints[0].endpoint == Endpoint{"brief-memory", "here"});
  CHECK(target->minor == 1);
  CHECK(target->object_key.size() == 8);
  const auto own = registry.find("memory")->make_profile({"memory", "here"}, {1, 2, key, {}});
  REQUIRE(registry.claim(own)->endpoints.size() == 1);
  CHECK(registry.claim(own)->endpoints[0].endpoint.scheme == "memory");
}

TEST_CASE("the profile of a pair can be read and rewritten; a damaged profile has no target") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(plugin_parts()).has_value());
  const Octets key(8);
  const auto profile =
      registry.find("brief-memory")->make_profile({"brief-memory", "here"}, {1, 2, key, {}});
  const iop::ProfileCodec* const codec = registry.codec(profile.tag);
  REQUIRE(codec != nullptr);
  const auto body = codec->decode(profile, {});
  REQUIRE(body.has_value());
  CHECK(body->address == "here");
  CHECK(codec->encode(*body) == profile);
  for (std::size_t size = 0; size < profile.data.size(); ++size) {
    auto cut = profile;
    cut.data.resize(size);
    CHECK_FALSE(registry.claim(cut).has_value());
  }
  // A profile of a pair must not contain another profile of a pair.
  auto twice = *body;
  twice.components[0].data[7] = std::byte{0};
  CHECK(codec->encode(twice).data.empty());
}

TEST_CASE("a row with unknown parts, or a scheme in use, is refused") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(plugin_parts()).has_value());
  CHECK(failure_of(registry, {"x", "brief", "carrier"}) ==
        "scheme x: there is no transport carrier");
  CHECK(failure_of(registry, {"x", "long", "memory"}) ==
        "scheme x: there is no messaging protocol long");
  CHECK(failure_of(registry, {"X", "brief", "memory"}) == "scheme 'X': not a valid name");
  CHECK(failure_of(registry, {"memory", "brief", "memory"}) ==
        "protocol memory is registered already");
  CHECK_FALSE(registry.add_scheme({"brief-memory", "giop", "memory"}).has_value());
  auto again = plugin_parts();
  again.transports.clear();
  again.schemes.clear();
  CHECK(registry.add(std::move(again)).error().endpoint ==
        "the messaging protocol brief is registered already");
  CHECK(registry.schemes().size() == 2);
}

TEST_CASE("a pair that does not fit is refused, and the error names the missing property") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(plugin_parts()).has_value());
  ProtocolParts parts;
  parts.messagings.push_back(maker("spots", {.shape = messaging::Shape::datagrams},
                                   {.shape = messaging::Shape::datagrams}));
  parts.messagings.push_back(maker("news", {.shape = messaging::Shape::datagrams}, Needs{}));
  REQUIRE(registry.add(std::move(parts)).has_value());
  CHECK(failure_of(registry, {"a", "spots", "memory"}) ==
        "protocol a: a carries spots, but its transport does not keep datagrams apart");
  CHECK(failure_of(registry, {"a", "news", "memory"}) ==
        "protocol a: a carries news (oneways only), but its transport does not keep datagrams "
        "apart");
}

TEST_CASE("rows are removed with their transport, and return with it") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(plugin_parts()).has_value());
  REQUIRE(registry.add_scheme({"late", "brief", "memory"}).has_value());
  REQUIRE(registry.list().size() == 1);
  CHECK((registry.list()[0].schemes == std::vector<std::string>{"memory", "brief-memory", "late"}));
  REQUIRE(registry.remove("memory"));
  CHECK(registry.schemes().empty());
  CHECK(registry.messaging("late") == nullptr);
  REQUIRE(registry.list().size() == 1);
  CHECK(registry.list()[0].is_removed);
  CHECK(registry.list()[0].schemes.size() == 3);
  CHECK_FALSE(registry.add_scheme({"later", "brief", "memory"}).has_value());
  REQUIRE(registry.restore("memory").value());
  CHECK(registry.schemes().size() == 3);
  CHECK(registry.messaging("late")->name() == "brief");
}

TEST_CASE("a plug-in that was unloaded can be added again, with the same names") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(plugin_parts()).has_value());
  REQUIRE(registry.remove("memory"));
  REQUIRE(registry.add(plugin_parts()).has_value());
  CHECK(registry.messaging("brief-memory")->name() == "brief");
  CHECK(registry.schemes().size() == 2);
}

TEST_CASE("the scheme of a row is removed with its plug-in, or alone if it has no plug-in") {
  ProtocolRegistry registry;
  REQUIRE(registry.add(plugin_parts()).has_value());
  REQUIRE(registry.add_scheme({"late", "brief", "memory"}).has_value());
  REQUIRE(registry.remove("late"));
  CHECK((registry.schemes() == std::vector<std::string>{"memory", "brief-memory"}));
  CHECK(registry.restore("late").value());
  REQUIRE(registry.remove("brief-memory"));
  CHECK(registry.schemes().empty());
  CHECK(registry.restore("brief-memory").value());
  CHECK(registry.schemes().size() == 3);
}

}  // namespace
}  // namespace perigee::transport
