// The harnesses of the transport and protocol suites on UNIX-domain sockets. Before the #include, a
// file must declare `LocalNames`, which chooses the addresses of listeners.
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

  TransportPair connect() { return connect_pair(*protocol, *acceptor); }
  void reset_by_client(TransportPair& pair) { close_with_unread(pair); }
};

struct ProtocolHarness {
  LocalNames names;

  std::unique_ptr<transport::ProtocolFactory> make_protocol() {
    return transport::make_local_protocol();
  }
  transport::Endpoint fresh_endpoint() { return {"uiop", names.fresh()}; }
  std::vector<transport::Endpoint> bad_endpoints() {
    std::vector<transport::Endpoint> endpoints{{"other", names.fresh()}};
    for (const std::string& address : LocalNames::bad()) endpoints.push_back({"uiop", address});
    return endpoints;
  }
};

}  // namespace
}  // namespace perigee::test
