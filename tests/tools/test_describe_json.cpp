// References as JSON: nothing is lost, and hostile text does no harm.
#include "describe_json.h"
#include "support/octets.h"
#include <perigee/iop/components.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace perigee;
using nlohmann::json;

namespace {

json parsed(const iop::Ior& ior, const std::vector<tool::Choice>& choices = {}) {
  return json::parse(tool::to_json(ior, choices));
}

iop::IiopProfile example_profile() {
  iop::IiopProfile profile{.host = "example.org", .port = 2809, .object_key = test::octets('k', 0)};
  profile.components.push_back(iop::encode_orb_type(0x41545400));
  return profile;
}

}  // namespace

TEST_CASE("the parts of a profile have names, and all its octets are shown") {
  const iop::TaggedProfile encoded = iop::encode_profile(example_profile());
  const json profile = parsed({"IDL:A:1.0", {encoded}}).at("profiles").at(0);
  CHECK(profile.at("name") == "IIOP");
  CHECK(profile.at("version") == "1.2");
  CHECK(profile.at("address") == "example.org:2809");
  CHECK(profile.at("object_key") == "6b00");
  CHECK(profile.at("corbaloc") == "corbaloc:iiop:1.2@example.org:2809/k%00");
  CHECK(profile.at("data").get<std::string>().size() == 2 * encoded.data.size());
  const json& component = profile.at("components").at(0);
  CHECK(component.at("tag") == 0);
  CHECK(component.at("text") == "omniORB (0x41545400)");
}

TEST_CASE("foreign and invalid profiles are shown with their octets and the reason") {
  const json profiles =
      parsed({"", {{.tag = 4711, .data = test::octets(1, 0xff)}, {.tag = 0, .data = {}}}})
          .at("profiles");
  CHECK(profiles.at(0) == json{{"tag", 4711}, {"name", "unknown"}, {"data", "01ff"}});
  CHECK(profiles.at(1).contains("error"));
}

TEST_CASE("choices name their profile") {
  const json document = parsed({}, {{2, "iiop://h:1", true, "why"}, {1, {}, false, "why not"}});
  CHECK(document.at("choices").at(0).at("endpoint") == "iiop://h:1");
  CHECK(document.at("choices").at(0).at("tried") == true);
  CHECK(document.at("choices").at(1) ==
        json{{"profile", 1}, {"tried", false}, {"reason", "why not"}});
}

TEST_CASE("text that is not UTF-8 is escaped") {
  CHECK(parsed({"\xff\x1b", {}}).at("type_id") == "\\xff\\x1b");
}

TEST_CASE("a corbaloc is shown with its addresses") {
  const auto reference = iop::parse_corbaloc("corbaloc:iiop:1.1@h:1,:k:2/key");
  REQUIRE(reference);
  const json document = json::parse(tool::to_json(*reference));
  CHECK(document.at("addresses").at(0) ==
        json{{"scheme", "iiop"}, {"version", "1.1"}, {"address", "h:1"}});
  CHECK(document.at("object_key") == "6b6579");
}
