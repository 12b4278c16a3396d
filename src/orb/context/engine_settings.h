// The settings of an ORB as its engine uses them.
#pragma once

#include "engine/loops/context.h"
#include "orb/context/settings.h"

namespace perigee::orb {

[[nodiscard]] engine::EngineSettings engine_settings_of(const Settings& settings);

}  // namespace perigee::orb
