// Any value as text in the manner of JSON.
#pragma once

#include <perigee/dynamic/dynamic_any.h>

#include <ostream>

/// Writes the value of `dyn_any`, and moves its current position. References appear as "object" or
/// null, and values without a form in JSON by the name of their type.
void print(std::ostream& out, const DynamicAny::DynAny::_ref_type& dyn_any);
