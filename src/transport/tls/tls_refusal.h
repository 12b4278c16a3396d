// Why a handshake failed, in words. Private to transport/tls.
#pragma once

#include "transport/tls/openssl.h"
#include <perigee/transport/transport.h>

#include <string>

namespace perigee::transport::tls {

/// The reason of the last failure of this connection, from OpenSSL's list of errors, which it
/// empties, and from the check of the peer's certificate. `expected_name`: empty on a server.
Transport::Refusal refusal_of(SSL& connection, const std::string& expected_name);

}  // namespace perigee::transport::tls
