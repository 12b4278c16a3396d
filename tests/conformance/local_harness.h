// The harnesses of the transport and protocol suites on UNIX-domain sockets. `LocalNames`, which
// who includes this has declared, says where to listen.
#pragma once

#include "conformance/transport_pair.h"
#include <perigee/transport/local.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace perigee::test {
namespace {

struct Harness {
  LocalNames names;
  std::unique_ptr<transport::ProtocolFactory> protocol = transport::make_local_protocol();
  std::unique_ptr<transport::Acceptor> acceptor = protocol->listen({"uiop", names.fresh()}).value();

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
  LocalNames names;

  std::unique_ptr<transport::ProtocolFactory> make_protocol() {
    return transport::make_local_protocol();
  }
  transport::Endpoint fresh_endpoint() { return {"uiop", names.fresh()}; }
  std::vector<transport::Endpoint> bad_endpoints() {
    std::vector<transport::Endpoint> endpoints{{"uiop", ""}, {"other", names.fresh()}};
    for (const std::string& address : LocalNames::bad()) endpoints.push_back({"uiop", address});
    return endpoints;
  }
};

}  // namespace
}  // namespace perigee::test
