// References as text for people. Describes data only: resolves nothing, contacts nobody.
#pragma once

#include <perigee/base/octets.h>
#include <perigee/base/printable.h>
#include <perigee/iop/corbaloc.h>
#include <perigee/iop/ior.h>
#include <perigee/transport/registry.h>

#include <string>
#include <string_view>

namespace perigee::tool {

/// The whole reference: type, profiles, keys, components. What cannot be decoded is dumped and the
/// reason said; everything else is described all the same. Control characters are escaped.
/// `protocols` say what profiles mean whose tag is not known here; null: there are none.
std::string describe(const iop::Ior& ior, const transport::ProtocolRegistry* protocols = nullptr);
/// `name`: that of a corbaname, in the naming context that the reference leads to; empty: none.
std::string describe(const iop::Corbaloc& reference, std::string_view name = {});

/// Sixteen octets a line, hexadecimal and ASCII, each line after `indent`.
std::string hex_dump(OctetSpan octets, std::string_view indent);

}  // namespace perigee::tool
