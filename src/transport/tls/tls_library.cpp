// The symbol that the ORB looks for.
#include "transport/tls/tls_library.h"

extern "C" {
PERIGEE_API extern const perigee::transport::tls::TlsLibrary perigee_tls_library;
const perigee::transport::tls::TlsLibrary perigee_tls_library{
    perigee::transport::plugin_build, &perigee::transport::plugin_home,
    &perigee::transport::make_tls_protocol};
}
