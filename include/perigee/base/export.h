// The export macros of libperigee.so and libperigee_server.so: everything is hidden unless marked.
#pragma once

/// For applications.
#define PERIGEE_API __attribute__((visibility("default")))
/// Marks the parts of libperigee that libperigee_server uses. Not for applications: these parts may
/// change at any time.
#define PERIGEE_INTERNAL_API __attribute__((visibility("default")))
/// The same for the type information of a class alone: clang's sanitizers need it in both
/// libraries.
#ifdef __clang__
#define PERIGEE_INTERNAL_TYPE __attribute__((type_visibility("default")))
#else
#define PERIGEE_INTERNAL_TYPE
#endif
