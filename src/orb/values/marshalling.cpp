// Turns errors of decoders into exceptions.
#include "orb/values/system_exceptions.h"
#include <perigee/orb/marshalling.h>

namespace perigee::stub {

void check_decoded(const cdr::Decoder& decoder) {
  if (decoder.ok()) return;
  orb::raise_decode_error(decoder.error(), orb::Sender::server, CORBA::COMPLETED_YES,
                          "decoding the reply");
}

}  // namespace perigee::stub
