// The plug-in of examples/protocol_plugin, linked with the test: what it would bring if it were
// loaded.
#pragma once

#include <perigee/transport/plugin.h>

#include <memory>
#include <utility>

extern "C" const perigee::transport::Plugin* perigee_protocol_plugin();

namespace perigee::test {

inline std::unique_ptr<transport::ProtocolFactory> make_board_protocol() {
  transport::ProtocolFactories protocols;
  perigee_protocol_plugin()->make_protocols(protocols);
  return std::move(protocols.front());
}

}  // namespace perigee::test
