// A certificate as text. Private to transport/tls.
#pragma once

#include "transport/tls/openssl.h"
#include <perigee/base/peer.h>

namespace perigee::transport::tls {

/// The parts of a certificate; `is_verified` is false. A name with a NUL is left out: programs that
/// read it as a C string would see another name.
PeerCertificate describe(const X509& certificate);

}  // namespace perigee::transport::tls
