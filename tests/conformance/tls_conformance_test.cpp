// The transport and protocol suites on TLS, after the handshake.
#include "conformance/transport_pair.h"
#include "support/test_certificates.h"
#include <perigee/ipc/io.h>
#include <perigee/transport/tcp.h>
#include <perigee/transport/tls.h>

#include <vector>

namespace perigee::test {
namespace {

// Made once: a certificate takes a millisecond.
const TestCertificates& certificates() {
  static const TestCertificates made;
  return made;
}

std::unique_ptr<transport::ProtocolFactory> make_protocol(const std::string& name) {
  return transport::make_tls_protocol(certificates().options(name), transport::make_tcp_protocol())
      .value();
}

struct Harness {
  std::unique_ptr<transport::ProtocolFactory> protocol = make_protocol("server");
  std::unique_ptr<transport::Acceptor> acceptor =
      protocol->listen({"ssliop", "127.0.0.1:0"}).value();

  TransportPair connect() {
    TransportPair pair = connect_pair(*protocol, *acceptor);
    // The server's tickets follow its handshake: a receive takes them without giving octets.
    std::byte octet{};
    (void)pair.client->receive({&octet, 1}, Wait::no);
    return pair;
  }
  void reset_by_client(TransportPair& pair) {
    const int fd = pair.client->readiness_fd();
    static_cast<void>(ipc::io::set_option(fd, ipc::io::OptionName::linger, 0));
    pair.client.reset();
  }
};

struct ProtocolHarness {
  std::unique_ptr<transport::ProtocolFactory> make_protocol() {
    return test::make_protocol("server");
  }
  transport::Endpoint fresh_endpoint() { return {"ssliop", "127.0.0.1:0"}; }
  std::vector<transport::Endpoint> bad_endpoints() {
    return {{"ssliop", "127.0.0.1:port"}, {"ssliop", "[::1"},   {"ssliop", "127.0.0.1:65536"},
            {"ssliop", "[]:1"},           {"ssliop", "::1:80"}, {"other", "127.0.0.1:1"}};
  }
};

}  // namespace
}  // namespace perigee::test

#include "conformance/protocol_suite.h"
#include "conformance/transport_suite.h"
