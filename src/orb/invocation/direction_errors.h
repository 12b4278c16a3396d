// Translates failures of a call over an engine connection into errors of an invocation.
#pragma once

#include "engine/connection/started_call.h"
#include "orb/connection/invocation_error.h"

namespace perigee::orb {

[[nodiscard]] TransactResult transact_result_of(const engine::CallResult& result) noexcept;
/// True if the connection cannot be used any longer, but another connection may work.
[[nodiscard]] bool is_of_connection(FailureCause cause) noexcept;

}  // namespace perigee::orb
