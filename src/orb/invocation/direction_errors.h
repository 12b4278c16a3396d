// What failures of a call in the engine mean to an invocation.
#pragma once

#include "engine/connection/started_call.h"
#include "orb/connection/invocation_error.h"

namespace perigee::orb {

[[nodiscard]] TransactResult transact_result_of(const engine::CallResult& result) noexcept;
/// The connection is of no use any more; another one may be.
[[nodiscard]] bool is_of_connection(FailureCause cause) noexcept;

}  // namespace perigee::orb
