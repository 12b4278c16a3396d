// The transport and protocol suites on TCP.
#include "conformance/transport_pair.h"
#include <perigee/ipc/io.h>
#include <perigee/transport/tcp.h>

#include <vector>

namespace perigee::test {
namespace {

struct Harness {
  std::unique_ptr<transport::ProtocolFactory> protocol = transport::make_tcp_protocol();
  std::unique_ptr<transport::Acceptor> acceptor = protocol->listen({"iiop", "127.0.0.1:0"}).value();

  TransportPair connect() { return connect_pair(*protocol, *acceptor); }
  void reset_by_client(TransportPair& pair) {
    const int fd = pair.client->readiness_fd();
    static_cast<void>(ipc::io::set_option(fd, ipc::io::OptionName::linger, 0));
    pair.client.reset();
  }
};

struct ProtocolHarness {
  std::unique_ptr<transport::ProtocolFactory> make_protocol() {
    return transport::make_tcp_protocol();
  }
  transport::Endpoint fresh_endpoint() { return {"iiop", "127.0.0.1:0"}; }
  std::vector<transport::Endpoint> bad_endpoints() {
    return {{"iiop", "127.0.0.1:port"}, {"iiop", "[::1"},   {"iiop", "127.0.0.1:65536"},
            {"iiop", "[]:1"},           {"iiop", "::1:80"}, {"other", "127.0.0.1:1"}};
  }
};

}  // namespace
}  // namespace perigee::test

#include "conformance/protocol_suite.h"
#include "conformance/transport_suite.h"
