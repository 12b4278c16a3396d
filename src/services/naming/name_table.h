// The names of a store as tables for operators: one table for each context.
#pragma once

#include <perigee/orb/status_section.h>
#include <perigee/services/naming/options.h>
#include <perigee/services/naming/store.h>

namespace perigee::naming {

/// The bindings of the context that the last key in `query` names, without expired bindings. A key
/// is the number of a context: with names as keys, a path could exceed the size of a request. Only
/// contexts of this store can be opened. Any thread. A failure of the store, or a context that does
/// not exist, becomes the note of an empty table.
[[nodiscard]] orb::StatusTable table_of_names(Store& store, const Options& options,
                                              const orb::StatusQuery& query);

}  // namespace perigee::naming
