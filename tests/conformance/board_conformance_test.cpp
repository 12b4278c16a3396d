// The transport and protocol suites on the protocol of examples/protocol_plugin.
#include "conformance/board_plugin.h"
#include "conformance/transport_pair.h"
#include "support/temporary_folder.h"

#include <string>
#include <vector>

namespace perigee::test {
namespace {

struct Harness {
  TemporaryFolder folder;
  std::unique_ptr<transport::ProtocolFactory> protocol = make_board_protocol();
  std::unique_ptr<transport::Acceptor> acceptor =
      protocol->listen({"board", folder.file("notice")}).value();

  TransportPair connect() { return connect_pair(*protocol, *acceptor); }
  void reset_by_client(TransportPair& pair) { close_with_unread(pair); }
};

struct ProtocolHarness {
  TemporaryFolder folder;
  int endpoints = 0;

  std::unique_ptr<transport::ProtocolFactory> make_protocol() { return make_board_protocol(); }
  transport::Endpoint fresh_endpoint() {
    return {"board", folder.file("notice" + std::to_string(++endpoints))};
  }
  std::vector<transport::Endpoint> bad_endpoints() {
    return {{"board", ""},
            {"board", "relative/path"},
            {"board", "/folder/"},
            {"board", std::string("/a\0b", 4)},
            {"other", "/tmp/notice"}};
  }
};

}  // namespace
}  // namespace perigee::test

#include "conformance/protocol_suite.h"
#include "conformance/transport_suite.h"
