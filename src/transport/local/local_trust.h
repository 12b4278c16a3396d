// What a client's trust allows. Private to transport/local.
#pragma once

#include <perigee/transport/local.h>

#include <cstdint>
#include <string>

namespace perigee::transport {

/// `address`: "/path" or "@name".
bool trusts_place(const LocalTrust& trust, const std::string& address);
bool trusts_user(const LocalTrust& trust, std::uint32_t user) noexcept;

}  // namespace perigee::transport
