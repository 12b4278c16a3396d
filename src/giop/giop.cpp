// Makes the protocol and its readers.
#include "giop/protocol.h"
#include "giop/reader.h"
#include <perigee/giop/giop.h>

namespace perigee::giop {

std::unique_ptr<messaging::MessageReader> Giop::make_reader() const {
  return std::make_unique<Reader>(limits_);
}

std::string Giop::version_text(messaging::Version version) const {
  if (version == lite_version) return "GIOPlite";
  return Protocol::version_text(version);
}

std::unique_ptr<messaging::Protocol> make_giop(const messaging::Limits& limits) {
  return std::make_unique<Giop>(limits);
}

}  // namespace perigee::giop
