// The faults of the tests' memory transport, on which other tests rely.
#include "support/memory_transport.h"

#include "conformance/transport_pair.h"
#include "support/octets.h"

#include <doctest/doctest.h>

#include <array>
#include <cerrno>

namespace perigee::test {
namespace {

TEST_CASE("octets arrive in pieces of the chosen size") {
  auto pair = make_memory_pair({.receive_size_max = 3});
  CHECK(send_all(*pair.first, octets(1, 2, 3, 4)).ok());
  std::array<std::byte, 10> space;
  CHECK(pair.second->receive(space, Wait::no).count == 3);
  CHECK(pair.second->receive(space, Wait::no).count == 1);
}

TEST_CASE("held octets arrive when the test releases them") {
  auto pair = make_memory_pair();
  pair.connection->hold(End::first);
  CHECK(send_all(*pair.first, octets(1, 2)).ok());
  CHECK(pair.connection->sent(End::first) == 2);
  std::array<std::byte, 10> space;
  CHECK(pair.second->receive(space, Wait::no).status == IoStatus::would_block);
  pair.connection->release(End::first);
  CHECK(pair.second->receive(space, Wait::no).count == 2);
}

TEST_CASE("a stream is cut at the chosen octet, with an end or with an error") {
  for (const int code : {0, ECONNRESET}) {
    auto pair = make_memory_pair({.cut_after = 3, .cut_code = code});
    CHECK(send_all(*pair.first, octets(1, 2, 3, 4, 5)).ok());
    std::array<std::byte, 10> space;
    CHECK(pair.second->receive(space, Wait::yes).count == 3);
    const auto result = pair.second->receive(space, Wait::yes);
    CHECK(result.status == (code == 0 ? IoStatus::end_of_stream : IoStatus::failed));
    CHECK(result.code == code);
  }
}

}  // namespace
}  // namespace perigee::test
