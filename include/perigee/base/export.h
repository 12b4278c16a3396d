// The export macros of libperigee.so and libperigee_server.so: everything is hidden unless marked.
#pragma once

/// For applications.
#define PERIGEE_API __attribute__((visibility("default")))
/// What libperigee_server uses of libperigee. Not for applications: it may change at any time.
#define PERIGEE_INTERNAL_API __attribute__((visibility("default")))
