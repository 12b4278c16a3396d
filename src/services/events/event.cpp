// Events are measured by encoding them: a peer may send a small message with a large value.
#include "services/events/event.h"

#include <perigee/cdr/buffer.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/exceptions.h>

namespace perigee::events {

std::size_t octets_of(const CORBA::Any& data) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder << data;
  if (!encoder.ok())
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "the event cannot be sent to consumers");
  return buffer.size();
}

}  // namespace perigee::events
