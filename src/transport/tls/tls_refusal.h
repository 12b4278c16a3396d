// Why a handshake failed, in words. Private to transport/tls.
#pragma once

#include "transport/tls/openssl.h"
#include <perigee/transport/transport.h>

#include <string>

namespace perigee::transport::tls {

/// Makes the connection write the names of a server's certificate to `names` if the expected name
/// is not among them: OpenSSL forgets a certificate that it has refused.
void note_wrong_names(SSL& connection, std::string& names);

/// The reason of the last failure of this connection, from OpenSSL's list of errors and from the
/// check of the peer's certificate. Empties the list. `expected_name`: the server should have this
/// name. `names`: see `note_wrong_names`.
Transport::Refusal refusal_of(SSL& connection, const std::string& expected_name,
                              const std::string& names);

}  // namespace perigee::transport::tls
