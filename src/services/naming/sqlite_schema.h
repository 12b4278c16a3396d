// The tables of a file of names.
#pragma once

#include "services/sqlite/schema.h"

namespace perigee::naming {

[[nodiscard]] const sqlite::Schema& schema_of_names() noexcept;

}  // namespace perigee::naming
