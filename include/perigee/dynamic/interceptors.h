// Includes all headers of portable interceptors. See docs/interceptors.md.
#pragma once

#include <perigee/dynamic/client_interceptor.h>
#include <perigee/dynamic/interceptor.h>
#include <perigee/dynamic/iop_types.h>
#include <perigee/dynamic/ior_interceptor.h>
#include <perigee/dynamic/orb_initializer.h>
#include <perigee/dynamic/pi_current.h>
#include <perigee/dynamic/policy_factory.h>
#include <perigee/dynamic/request_info.h>
#include <perigee/dynamic/server_interceptor.h>
