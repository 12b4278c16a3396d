// The time limits of connects, and the addresses to which calls connect.
#include "orb/fixture.h"
#include "orb/policies.h"
#include "orb/references/reference.h"
#include "support/fake_clock.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace perigee::test {

using std::chrono::milliseconds;

namespace {

orb::Settings connecting_within(milliseconds limit) {
  orb::Settings settings;
  settings.connect_timeout = limit;
  return settings;
}

/// Addresses that do not answer: each connection attempt uses its whole time-out.
class Silence {
 public:
  explicit Silence(orb::Settings settings = connecting_within(milliseconds(3000)))
      : fixture(std::move(settings), clock) {}

  void at(const std::string& address) {
    Script script;
    script.refuse = true;
    script.on_connect = [this, address] {
      const milliseconds limit(fixture.counts(address).connect_timeout_ms);
      waits.push_back(limit.count());
      clock.advance(limit);
    };
    fixture.protocol().add(address, std::move(script));
  }

  FakeClock clock;
  Fixture fixture;
  std::vector<std::int64_t> waits;
};

using Waits = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("the addresses of a call share the connect time-out equally") {
  Silence silence;
  for (const char* address : {"a", "b", "c"}) silence.at(address);
  const auto object = silence.fixture.object({"a", "b", "c"});
  CHECK_THROWS_AS(ping(object), CORBA::TRANSIENT);
  CHECK(silence.waits == Waits{1000, 1000, 1000});
}

TEST_CASE("an address that refuses leaves its share of the time to the next addresses") {
  Silence silence;
  silence.at("b");
  silence.fixture.peer("c", reply_with_long(1));
  CHECK(echo(silence.fixture.object({"refuses", "b", "c"})) == 1);
  CHECK(silence.waits == Waits{1500});
  CHECK(silence.fixture.counts("c").connect_timeout_ms == 1500);
}

TEST_CASE("the addresses of a call share the time limit of the call") {
  Silence silence;
  silence.at("a");
  silence.fixture.peer("b", reply_with_nothing());
  ping(limited(silence.fixture.object({"a", "b"}), silence.fixture.core(), milliseconds(800)));
  CHECK(silence.waits == Waits{400});
}

TEST_CASE("a call whose connect time-out has passed does not start again") {
  Silence silence;
  silence.fixture.peer("home", silence.fixture.forward_to(silence.fixture.ior({"a", "b"})));
  silence.at("a");
  silence.at("b");
  const auto object = silence.fixture.object({"home"});
  CHECK_THROWS_AS(ping(object), CORBA::TRANSIENT);
  CHECK(silence.waits == Waits{1500, 1500});
  CHECK(silence.fixture.counts("home").sends ==
        2);  // the second request came after the forward failed
}

TEST_CASE("without a time-out each address has the time-out of the system") {
  Silence silence(connecting_within(milliseconds(0)));
  for (const char* address : {"a", "b"}) silence.at(address);
  CHECK_THROWS_AS(ping(silence.fixture.object({"a", "b"})), CORBA::TRANSIENT);
  CHECK(silence.waits == Waits{0, 0});
}

TEST_CASE("an address that a reference names twice is tried once") {
  Silence silence;
  silence.at("a");
  const auto object = silence.fixture.object({"a", "a", "a"});
  CHECK_THROWS_AS(ping(object), CORBA::TRANSIENT);
  CHECK(silence.waits == Waits{3000});
  CHECK(object->_reference()->base()->targets.size() == 1);
}

TEST_CASE("the same address with another object key is another target") {
  Fixture fixture;
  iop::Ior ior = fixture.ior({"a"});
  ior.profiles.push_back(fixture.protocol().make_profile(
      {"test", "a"}, {1, 2, octets_of(std::string_view("other")), {}}));
  CHECK(fixture.core().make_object(ior)->_reference()->base()->targets.size() == 2);
}

}  // namespace perigee::test
