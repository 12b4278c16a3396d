// The part of the text of a system exception that a server sends to its client.
#pragma once

#include "orb/context/settings.h"
#include <perigee/base/export.h>
#include <perigee/orb/exceptions.h>

#include <cstdint>
#include <string_view>

namespace perigee::orb {

/// The beginning of the text of an UNKNOWN that replaces an exception of a servant.
inline constexpr std::string_view undeclared_exception =
    "the servant has thrown an exception that the operation does not declare";
/// The UNKNOWN that replaces an exception of a servant. `thrown`: what that exception says.
[[nodiscard]] PERIGEE_INTERNAL_API CORBA::UNKNOWN replaced_exception(
    std::uint32_t minor, std::string_view thrown) noexcept;

/// The part of `detail` that is sent.
[[nodiscard]] PERIGEE_INTERNAL_API std::string_view sent_part(std::string_view detail,
                                                              SentDetails which) noexcept;

}  // namespace perigee::orb
