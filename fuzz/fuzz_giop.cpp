// Reads any octets as messages of GIOP and GIOPlite.
#include "messages.h"
#include <perigee/giop/giop.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto protocol = perigee::giop::make_giop(perigee::fuzz::small_limits);
  perigee::fuzz::try_messages(*protocol, data, size);
  return 0;
}
