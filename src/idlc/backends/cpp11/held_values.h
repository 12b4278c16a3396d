// Tells which types are valuetypes, and which types hold valuetypes.
#pragma once

#include "idlc/frontend/model.h"

#include <string_view>
#include <vector>

namespace perigee::idlc::cpp11 {

/// The second argument of a `Reading` for types that hold values in anys only.
inline constexpr std::string_view reading_of_anys = ", ::perigee::value::Reading::Landed::keep";

/// Whether the type is a valuetype, a boxed value or ValueBase. Implied exception holders are not.
bool is_value(const Type& type);
/// Whether the type is a reference to an abstract interface, which may hold a value.
bool is_abstract(const Type& type);
/// Whether values of the type contain such values. An any does not count: it encodes its contents
/// alone.
bool holds_values(const Type& type);
bool hold_values(const std::vector<Member>& members);
/// Whether a message with these types may hold several values, which may refer to each other. Each
/// any may hold a value. A valuetype holds several: its state may refer to itself.
bool may_share_values(const std::vector<const Type*>& types);
bool may_share_values(const std::vector<Member>& members);

}  // namespace perigee::idlc::cpp11
