// Shared by the tests that run over every family of octet streams: the families, an address of each
// to listen at (the system picks the port or name), and a connected pair of streams.
#pragma once

#include <perigee/ipc/families.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <utility>

namespace perigee::ipc::test {

struct OverV4 {
  using Family = Sock;
  static InetAddr fresh() { return InetAddr::loopback(); }
};
struct OverV6 {
  using Family = Sock;
  static InetAddr fresh() { return InetAddr::loopback_v6(); }
};
struct OverLocal {
  using Family = LSock;
  static UnixAddr fresh() { return {}; }
};
struct OverRing {
  using Family = Uring;
  static InetAddr fresh() { return InetAddr::loopback(); }
};

/// Whether this host supports the domain `Over`. Some containers have no IPv6, and many forbid
/// io_uring. Fails the test for any other error. uring_test.cpp checks the errors of a host without
/// rings.
template <typename Over>
bool is_here() {
  const auto acceptor = Over::Family::Acceptor::open(Over::fresh());
  if (acceptor) return true;
  const auto ring = uring::available();
  const bool is_known = acceptor.error() == std::errc::address_not_available ||
                        acceptor.error() == std::errc::address_family_not_supported ||
                        (!ring && acceptor.error() == ring.error());
  REQUIRE_MESSAGE(is_known, acceptor.error().message());
  return false;
}

template <StreamFamily Family>
struct Connection {
  typename Family::Stream client;
  typename Family::Stream server;
};

/// The options apply to the client.
template <typename Over, typename... Options>
Connection<typename Over::Family> connection_over(Options... options) {
  using Family = typename Over::Family;
  auto acceptor = Family::Acceptor::open(Over::fresh()).value();
  auto client = Family::Connector::connect(acceptor.local_address().value(), forever, options...);
  return {std::move(client.value()), acceptor.accept().value()};
}

/// Octets that reveal lost, repeated or swapped octets.
inline Octets sample(std::size_t size) {
  Octets result(size);
  for (std::size_t index = 0; index < size; ++index) {
    result[index] = static_cast<std::byte>(index * 7 + index / 251);
  }
  return result;
}

}  // namespace perigee::ipc::test
