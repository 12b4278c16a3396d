// Embedded descriptions that are cut off or changed. embedded_description tests whole descriptions.
#include "compat/two_orbs.h"
#include <perigee/repository.h>
#include <perigee/repository/embedded.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace perigee::test {

namespace {

/// `interface I { readonly attribute long n; };`
const std::vector<std::uint8_t> octets = {
    2,                // definitions
    5, 0, 1, 'I', 0,  // an interface in the repository, with the usual id
    2, 1, 1, 'n', 0,  // an attribute in the first definition
    1, 0,             // the interface is defined, and has no bases
    0, 3, 1, 0,   0,  // the attribute: primitive long, readonly, without exceptions
};

void load(const std::vector<std::uint8_t>& description) {
  const TwoOrbs orbs;
  const repository::EmbeddedServer server(orbs.server, {repository::Embedded{description}});
  const auto found = server.reference()->lookup_id("IDL:I/n:1.0");
  REQUIRE(found);
  CHECK(found->absolute_name() == "::I::n");
}

}  // namespace

TEST_CASE("an embedded description becomes definitions") { load(octets); }

TEST_CASE("an embedded description that ends too early, or has more octets, is refused") {
  for (std::size_t size = 0; size < octets.size(); ++size)
    CHECK_THROWS_AS(load({octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size)}),
                    CORBA::INITIALIZE);
  auto longer = octets;
  longer.push_back(0);
  CHECK_THROWS_AS(load(longer), CORBA::INITIALIZE);
}

TEST_CASE("an embedded description with wrong kinds, positions or lengths is refused") {
  for (const std::size_t position : {1u, 7u, 12u, 14u})
    for (const std::uint8_t wrong : {std::uint8_t{100}, std::uint8_t{127}}) {
      auto changed = octets;
      changed[position] = wrong;
      CHECK_THROWS_AS(load(changed), CORBA::INITIALIZE);
    }
}

}  // namespace perigee::test
