// Which operations and objects may be called through a bridge. A value.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/iop/ior.h>

#include <string>
#include <string_view>
#include <vector>

namespace perigee::bridge {

/// Lists of names of operations and of prefixes of object keys. A name that ends with '*' stands
/// for all operations whose names begin with the part before the '*'. An operation or object that
/// is both allowed and denied is denied. An empty `operations_allowed` or `objects_allowed` allows
/// everything that is not denied.
///
/// If a reply has forwarded an object to another server, the rules apply to the object key at that
/// server.
struct PERIGEE_API AccessRules {
  std::vector<std::string> operations_allowed;
  std::vector<std::string> operations_denied;
  std::vector<iop::ObjectKey> objects_allowed;
  std::vector<iop::ObjectKey> objects_denied;

  /// Any thread, as long as no thread changes the lists.
  [[nodiscard]] bool allows_operation(std::string_view operation) const noexcept;
  [[nodiscard]] bool allows_object(OctetSpan object_key) const noexcept;
};

}  // namespace perigee::bridge
