// The transport and protocol suites on UNIX-domain sockets: files, and abstract names.
#include "conformance/transport_pair.h"
#include "support/temporary_folder.h"
#include <perigee/transport/local.h>

#include <string>
#include <vector>

namespace perigee::test {
namespace {

struct Harness {
  TemporaryFolder folder;
  std::unique_ptr<transport::ProtocolFactory> protocol = transport::make_local_protocol();
  std::unique_ptr<transport::Acceptor> acceptor =
      protocol->listen({"uiop", folder.file("socket")}).value();

  TransportPair connect() {
    auto client =
        protocol->make_connector()->connect(acceptor->published(), std::chrono::milliseconds(0));
    auto server = acceptor->accept(Wait::yes);
    return {std::move(client.value()), std::move(server.value())};
  }
  // These sockets reset a connection whose closer has not read everything.
  void reset_by_client(TransportPair& pair) {
    static_cast<void>(send_all(*pair.server, pattern(1, 1)));
    pair.client.reset();
  }
};

struct ProtocolHarness {
  TemporaryFolder folder;
  int endpoints = 0;

  std::unique_ptr<transport::ProtocolFactory> make_protocol() {
    return transport::make_local_protocol();
  }
  transport::Endpoint fresh_endpoint() {
    return {"uiop", folder.file("socket" + std::to_string(++endpoints))};
  }
  std::vector<transport::Endpoint> bad_endpoints() {
    return {{"uiop", ""},
            {"uiop", "relative/path"},
            {"uiop", "@"},
            {"uiop", "/" + std::string(107, 'x')},
            {"uiop", std::string("/a\0b", 4)},
            {"other", "/tmp/socket"}};
  }
};

}  // namespace
}  // namespace perigee::test

#include "conformance/protocol_suite.h"
#include "conformance/transport_suite.h"
