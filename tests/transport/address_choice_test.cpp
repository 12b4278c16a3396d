// Which addresses of a reference are tried, and in which order.
#include <perigee/transport/address_choice.h>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace perigee::transport;

namespace {

ProfileTarget profile(std::vector<ProfileEndpoint> endpoints) {
  ProfileTarget target;
  target.endpoints = std::move(endpoints);
  return target;
}

std::string text(const std::vector<AddressChoice>& choices) {
  std::string text;
  for (const auto& [index, place, use] : choices)
    text += std::to_string(index) + ' ' + to_string(place->endpoint) +
            (use == AddressUse::other_host    ? " elsewhere"
             : use == AddressUse::excluded    ? " excluded"
             : use == AddressUse::unprotected ? " unprotected"
                                              : "") +
            '\n';
  return text;
}

const ProfileEndpoint far{{"iiop", "h:1"}, Distance::network};
const ProfileEndpoint farther{{"iiop", "h:2"}, Distance::network};
const ProfileEndpoint near{{"uiop", "/a"}, Distance::same_host};
const ProfileEndpoint elsewhere{{"uiop", "/b"}, Distance::other_host};

const ProfileEndpoint secured{{"ssliop", "h:3"}, Distance::network, true};

}  // namespace

TEST_CASE("a protected address excludes plain addresses in a network, whatever their order") {
  const std::vector profiles{profile({far}), profile({secured, near})};
  CHECK(text(choose_addresses(profiles)) ==
        "1 uiop:///a\n1 ssliop://h:3\n0 iiop://h:1 unprotected\n");
  const auto plain_only = [](const std::string& scheme) {
    return scheme == "iiop" ? std::optional<std::size_t>(0) : std::nullopt;
  };
  CHECK(text(choose_addresses(profiles, plain_only)) ==
        "0 iiop://h:1\n1 ssliop://h:3 excluded\n1 uiop:///a excluded\n");
}

TEST_CASE("the nearest address is tried first; equally near ones keep the server's order") {
  const std::vector profiles{profile({farther, far}), profile({near})};
  CHECK(text(choose_addresses(profiles)) == "1 uiop:///a\n0 iiop://h:2\n0 iiop://h:1\n");
}

TEST_CASE("addresses of other hosts are left out, and listed last") {
  const std::vector profiles{profile({elsewhere}), profile({far})};
  CHECK(text(choose_addresses(profiles)) == "1 iiop://h:1\n0 uiop:///b elsewhere\n");
}

TEST_CASE("ranks of protocols come before distance; addresses without a rank are left out") {
  const std::vector profiles{profile({near, elsewhere}), profile({far})};
  const auto network_first = [](const std::string& scheme) {
    return std::optional<std::size_t>(scheme == "iiop" ? 0 : 1);
  };
  CHECK(text(choose_addresses(profiles, network_first)) ==
        "1 iiop://h:1\n0 uiop:///a\n0 uiop:///b elsewhere\n");
  const auto network_only = [](const std::string& scheme) {
    return scheme == "iiop" ? std::optional<std::size_t>(0) : std::nullopt;
  };
  CHECK(text(choose_addresses(profiles, network_only)) ==
        "1 iiop://h:1\n0 uiop:///a excluded\n0 uiop:///b elsewhere\n");
}

TEST_CASE("a reference without profiles has no addresses") { CHECK(choose_addresses({}).empty()); }
