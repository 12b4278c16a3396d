// The component with the security mechanisms of a server, as CSIv2 defines it.
#pragma once

#include "support/octets.h"
#include <perigee/iop/ior.h>
#include <perigee/iop/security_mechanisms.h>

namespace perigee::test {

/// One mechanism: TLS at "vm", port 2812. Little-endian.
inline iop::TaggedComponent mechanism_of_tls() {
  return {iop::tag_security_mechanisms,
          octets(1, 0, 0, 0, 1, 0, 0, 0,                            // stateless, one mechanism
                 0, 0, 0, 0, 36, 0, 0, 0, 22, 0, 0, 0,              // its transport is TLS
                 1, 0, 102, 0, 38, 0, 0, 0, 1, 0, 0, 0,             // supports, requires, addresses
                 3, 0, 0, 0, 'v', 'm', 0, 0, 0xfc, 0x0a,            // host and port
                 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,          // no authentication of clients
                 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)};  // no attributes
}

}  // namespace perigee::test
