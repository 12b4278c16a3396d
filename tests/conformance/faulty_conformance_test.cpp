// The transport suite on transports that split each transfer. Such transports fulfil the rest of
// the contract.
#include "conformance/transport_pair.h"
#include "support/memory_transport.h"
#include <perigee/transport/faults.h>

#include <cerrno>

namespace perigee::test {
namespace {

struct Harness {
  std::shared_ptr<MemoryConnection> connection;

  static std::unique_ptr<transport::Transport> split(std::unique_ptr<transport::Transport> inner) {
    using enum transport::FaultDirection;
    transport::FaultScript script;
    for (std::uint64_t octet = 1; octet < 100'000; octet += octet) {
      script.push_back({transport::FaultKind::split, sent, octet});
      script.push_back({transport::FaultKind::split, received, octet + 1});
    }
    return transport::inject_faults(std::move(inner), script);
  }
  TransportPair connect() {
    auto pair = make_memory_pair();
    connection = pair.connection;
    return {split(std::move(pair.first)), split(std::move(pair.second))};
  }
  void reset_by_client(TransportPair&) { connection->reset(ECONNRESET); }
};

}  // namespace
}  // namespace perigee::test

#include "conformance/transport_suite.h"
