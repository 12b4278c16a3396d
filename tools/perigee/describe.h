// References as text for people. Describes data only: resolves no names and makes no connection.
#pragma once

#include <perigee/base/octets.h>
#include <perigee/base/printable.h>
#include <perigee/iop/corbaloc.h>
#include <perigee/iop/ior.h>
#include <perigee/transport/registry.h>

#include <string>
#include <string_view>

namespace perigee::tool {

/// The whole reference: type, profiles, keys, components. A part that cannot be decoded is dumped
/// with the reason; all other parts are still described. Control characters are escaped.
/// `protocols` read the profiles whose tags are not known here; null: no protocols.
std::string describe(const iop::Ior& ior, const transport::ProtocolRegistry* protocols = nullptr);
/// `name`: the name that a corbaname has after its `#`; empty: none.
std::string describe(const iop::Corbaloc& reference, std::string_view name = {});

/// Sixteen octets a line, in hexadecimal and ASCII. Each line begins with `indent`.
std::string hex_dump(OctetSpan octets, std::string_view indent);

}  // namespace perigee::tool
