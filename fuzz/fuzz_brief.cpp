// Messages of examples/protocol_plugin with octets from the network.
#include "brief_messages.h"
#include "messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto protocol = board::make_brief_messages(perigee::fuzz::small_limits);
  perigee::fuzz::try_messages(*protocol, data, size);
  return 0;
}
