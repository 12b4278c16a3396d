// Writes a value of any type as text, in a form like JSON.
#pragma once

#include <perigee/dynamic/dynamic_any.h>

#include <ostream>

/// Writes the value of `dyn_any`, and moves its current position. References appear as "object" or
/// null. For values without a form in JSON, the name of their type appears.
void print(std::ostream& out, const DynamicAny::DynAny::_ref_type& dyn_any);
