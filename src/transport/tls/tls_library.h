// The exports of libperigee_tls, for the layer `runtime`, which loads the library by name.
#pragma once

#include <perigee/transport/plugin.h>
#include <perigee/transport/tls.h>

namespace perigee::transport::tls {

/// The object that libperigee_tls exports under `library_symbol`. The fields are checked in this
/// order.
struct TlsLibrary {
  const char* build;  ///< plugin_build
  const char* home;   ///< the address of plugin_home
  decltype(&make_tls_protocol) make;
};
inline constexpr char library_symbol[] = "perigee_tls_library";
inline constexpr char library_file[] = PERIGEE_TLS_FILE;

}  // namespace perigee::transport::tls
