// Connects to a host that has several addresses.
#pragma once

#include <perigee/ipc/inet_addr.h>

#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace perigee::bench {

/// The stream to the first of `addresses` that answers, in their order. `connect(address)` returns
/// an ipc::Result. Throws std::runtime_error if none answers: the text has each address with its
/// error.
template <typename Connect>
auto connect_to_first(std::span<const ipc::InetAddr> addresses, Connect connect) {
  std::string failures;
  for (const ipc::InetAddr& address : addresses) {
    auto connected = connect(address);
    if (connected) return std::move(*connected);
    failures += (failures.empty() ? "connect to " : "; connect to ") + to_string(address) + ": " +
                connected.error().message();
  }
  throw std::runtime_error(failures.empty() ? "connect: the host has no address" : failures);
}

}  // namespace perigee::bench
