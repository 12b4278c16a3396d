// The transport suite on the memory transport of the tests, which fulfils the whole contract.
#include "conformance/transport_pair.h"
#include "support/memory_transport.h"

#include <cerrno>

namespace perigee::test {
namespace {

struct Harness {
  std::shared_ptr<MemoryConnection> connection;

  TransportPair connect() {
    auto pair = make_memory_pair();
    connection = pair.connection;
    return {std::move(pair.first), std::move(pair.second)};
  }
  void reset_by_client(TransportPair&) { connection->reset(ECONNRESET); }
};

}  // namespace
}  // namespace perigee::test

#include "conformance/transport_suite.h"
