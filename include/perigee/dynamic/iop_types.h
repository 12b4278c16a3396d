// The types of module IOP that interceptors use.
#pragma once

#include <perigee/orb/iop_types.h>
