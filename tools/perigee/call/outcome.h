// The outcome of one call, as JSON.
#pragma once

#include "call/interfaces.h"
#include "call/json_writer.h"
#include <perigee/dynamic/request.h>

#include <nlohmann/json.hpp>

namespace perigee::tool {

/// The results of a request whose reply has come: an object with the `out` and `inout` parameters,
/// and the result as "_return". Throws JsonError.
[[nodiscard]] nlohmann::ordered_json results_of(const CORBA::Request& request,
                                                const OperationTypes& operation,
                                                JsonWriter& writer);

/// {"exception": repository id, "members": {…}}. Throws JsonError.
[[nodiscard]] nlohmann::ordered_json json_of(const CORBA::UnknownUserException& exception,
                                             JsonWriter& writer);
/// {"exception": repository id, "minor": …, "completed": …, "detail": …}.
[[nodiscard]] nlohmann::ordered_json json_of(const CORBA::SystemException& exception);

}  // namespace perigee::tool
