// The header that an application includes.
#pragma once

#include <perigee/orb/any_operators.h>
#include <perigee/orb/hash.h>
#include <perigee/orb/mapping.h>
#include <perigee/orb/orb.h>
#include <perigee/orb/sequences.h>
#include <perigee/orb/write.h>
#include <perigee/poa/poa.h>
#include <perigee/poa/servant.h>
#include <perigee/poa/tie.h>
#include <perigee/runtime/serve_until_signal.h>
