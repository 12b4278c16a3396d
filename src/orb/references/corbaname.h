// corbaname URLs: where a naming context is, and a name in it. Makes no calls.
// Source: CORBA 3.0, 13.6.10.5; Naming Service 1.3, 2.4 and 2.5.3.
#pragma once

#include <perigee/base/export.h>
#include <perigee/iop/corbaloc.h>

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::orb {

/// CosNaming::NameComponent, without needing the naming service's IDL.
struct NameComponent {
  std::string id;
  std::string kind;
  friend bool operator==(const NameComponent&, const NameComponent&) = default;
};

struct Corbaname {
  std::string corbaloc;             ///< of the naming context
  std::vector<NameComponent> name;  ///< empty: the URL denotes the context itself
};

/// "corbaname:<addresses>[/<key>][#<name>]". Without a key, the key is NameService. The name has
/// the naming service's form "id.kind/id.kind", percent-escaped.
PERIGEE_API std::expected<Corbaname, iop::ReferenceError> parse_corbaname(std::string_view url);

/// The naming service's form of names: '/' between components, '.' before the kind, '\' escapes.
PERIGEE_API std::expected<std::vector<NameComponent>, iop::ReferenceError> parse_name(
    std::string_view text);

}  // namespace perigee::orb
