// Which types are valuetypes, and which types hold them.
#pragma once

#include "idlc/frontend/model.h"

#include <vector>

namespace perigee::idlc::cpp11 {

/// Whether the type is a valuetype, a boxed value or ValueBase. Implied exception holders are not.
bool is_value(const Type& type);
/// Whether values of the type contain such values. An any does not count: it marshals its contents
/// alone.
bool holds_values(const Type& type);
bool hold_values(const std::vector<Member>& members);

}  // namespace perigee::idlc::cpp11
