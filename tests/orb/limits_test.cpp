// Limits of clients at their boundary.
#include "orb/client/endpoint_table.h"
#include "orb/fixture.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace perigee::test {

namespace {

constexpr std::uint32_t minor_forward_hops = CORBA::PERIGEE_VMCID | 1;

std::uint32_t bad_param_of(Fixture& fixture, const std::string& text) {
  return caught<CORBA::BAD_PARAM>([&] { (void)fixture.core().string_to_object(text); }).minor();
}

}  // namespace

TEST_CASE("a call follows as many location forwards as allowed, and one more raises TRANSIENT") {
  orb::Settings settings;
  settings.forward_hops_max = 2;
  Fixture fixture(settings);
  fixture.peer("a", fixture.forward_to(fixture.ior({"b"})));
  fixture.peer("b", fixture.forward_to(fixture.ior({"c"})));
  fixture.peer("c", reply_with_long(7));
  fixture.peer("before a", fixture.forward_to(fixture.ior({"a"})));
  CHECK(echo(fixture.object({"a"})) == 7);
  const auto exception = caught<CORBA::TRANSIENT>([&] { ping(fixture.object({"before a"})); });
  CHECK(exception.minor() == minor_forward_hops);
  CHECK(exception.completed() == CORBA::COMPLETED_NO);
}

TEST_CASE("endpoints beyond the limit are forgotten, but only if no reference uses them") {
  orb::Settings settings;
  settings.endpoints_max = 2;
  Fixture fixture(settings);
  const auto used = fixture.core().endpoints().find({"test", "used"}, {});
  const std::weak_ptr unused = fixture.core().endpoints().find({"test", "unused"}, {});
  CHECK_FALSE(unused.expired());
  (void)fixture.core().endpoints().find({"test", "used"}, {});
  CHECK_FALSE(unused.expired());
  const auto third = fixture.core().endpoints().find({"test", "third"}, {});
  CHECK(unused.expired());
  CHECK(fixture.core().endpoints().find({"test", "used"}, {}) == used);
}

TEST_CASE("unused endpoints are looked for when the number of endpoints has grown by an eighth") {
  orb::Settings settings;
  settings.endpoints_max = 16;
  Fixture fixture(settings);
  auto& endpoints = fixture.core().endpoints();
  const auto name = [](std::size_t number) {
    return transport::Endpoint{"test", std::to_string(number)};
  };
  std::vector<std::shared_ptr<orb::ClientEndpoint>> used;
  // The last `find` looks for unused endpoints, and finds none.
  for (std::size_t number = 0; number != 17; ++number)
    used.push_back(endpoints.find(name(number), {}));
  const std::weak_ptr unused = endpoints.find(name(17), {});
  used.push_back(endpoints.find(name(18), {}));
  CHECK_FALSE(unused.expired());
  used.push_back(endpoints.find(name(19), {}));
  CHECK(unused.expired());
}

TEST_CASE("a forward with more profiles than allowed raises IMP_LIMIT") {
  orb::Settings settings;
  settings.reference_limits.profiles_max = 2;
  Fixture fixture(settings);
  fixture.peer("two", fixture.forward_to(fixture.ior({"x", "y"})));
  fixture.peer("three", fixture.forward_to(fixture.ior({"x", "x", "y"})));
  fixture.peer("y", reply_with_long(7));
  CHECK(echo(fixture.object({"two"})) == 7);
  const auto exception = caught<CORBA::IMP_LIMIT>([&] { ping(fixture.object({"three"})); });
  CHECK(exception.completed() == CORBA::COMPLETED_NO);
}

TEST_CASE("IOR strings that are too long, or have too many profiles, raise BAD_PARAM") {
  Fixture writer;
  const std::string two = iop::to_ior_string(writer.ior({"x", "y"}));
  const std::string longer = iop::to_ior_string(writer.ior({"x", "y longer"}));
  const std::string three = iop::to_ior_string(writer.ior({"x", "y", "z"}));
  orb::Settings settings;
  settings.reference_limits.ior_string_size_max = two.size() - std::string_view("IOR:").size();
  Fixture with_short_strings(settings);
  CHECK(with_short_strings.core().string_to_object(two));
  CHECK(bad_param_of(with_short_strings, longer) == orb::omg_minor(10));
  settings.reference_limits = {.profiles_max = 2};
  Fixture with_two_profiles(settings);
  CHECK(with_two_profiles.core().string_to_object(two));
  CHECK(bad_param_of(with_two_profiles, three) == orb::omg_minor(9));
}

}  // namespace perigee::test
