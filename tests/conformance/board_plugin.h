// The plug-in of examples/protocol_plugin, linked with the test. It gives the parts that a loaded
// plug-in would give.
#pragma once

#include <perigee/transport/plugin.h>

#include <memory>
#include <utility>

extern "C" const perigee::transport::Plugin* perigee_protocol_plugin();

namespace perigee::test {

inline transport::ProtocolParts make_board_parts() {
  transport::ProtocolParts parts;
  perigee_protocol_plugin()->make_parts(parts);
  return parts;
}

inline std::unique_ptr<transport::ProtocolFactory> make_board_protocol() {
  return std::move(make_board_parts().transports.front());
}

}  // namespace perigee::test
