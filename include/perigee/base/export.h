// The export macros of the shared libraries: everything is hidden unless marked.
#pragma once

/// For applications.
#define PERIGEE_API __attribute__((visibility("default")))
/// For functions of libperigee and libperigee_server that Perigee's other libraries call
/// (libperigee_server, libperigee_tls, libperigee_bridge, libperigee_dynamic). Not for
/// applications: these functions may change at any time.
#define PERIGEE_INTERNAL_API __attribute__((visibility("default")))
/// Exports the type information of a class, but not its functions. Clang's sanitizers need the type
/// information in all these libraries.
#ifdef __clang__
#define PERIGEE_INTERNAL_TYPE __attribute__((type_visibility("default")))
#else
#define PERIGEE_INTERNAL_TYPE
#endif
