// The transport and protocol suites on shared memory, after the rendezvous.
#include "conformance/transport_pair.h"
#include "support/temporary_folder.h"
#include <perigee/transport/local.h>
#include <perigee/transport/shared_memory.h>

#include <memory>
#include <string>
#include <vector>

namespace perigee::test {
namespace {

std::unique_ptr<transport::ProtocolFactory> make_protocol() {
  return transport::make_shared_memory_protocol(transport::make_local_protocol());
}

struct Harness {
  TemporaryFolder folder;
  std::unique_ptr<transport::ProtocolFactory> protocol = make_protocol();
  std::unique_ptr<transport::Acceptor> acceptor =
      protocol->listen({"shmiop", folder.file("socket")}).value();

  TransportPair connect() { return connect_pair(*protocol, *acceptor); }
  void reset_by_client(TransportPair& pair) { close_with_unread(pair); }
};

struct ProtocolHarness {
  TemporaryFolder folder;
  int count = 0;

  std::unique_ptr<transport::ProtocolFactory> make_protocol() { return test::make_protocol(); }
  transport::Endpoint fresh_endpoint() {
    return {"shmiop", folder.file("socket" + std::to_string(++count))};
  }
  std::vector<transport::Endpoint> bad_endpoints() {
    return {{"shmiop", "relative/path"},
            {"shmiop", "/" + std::string(107, 'x')},
            {"other", folder.file("socket")}};
  }
};

}  // namespace
}  // namespace perigee::test

#include "conformance/protocol_suite.h"
#include "conformance/transport_suite.h"
