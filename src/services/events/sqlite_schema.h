// The tables of a file of events.
#pragma once

#include "services/sqlite/schema.h"

namespace perigee::events {

[[nodiscard]] const sqlite::Schema& schema_of_events() noexcept;

}  // namespace perigee::events
