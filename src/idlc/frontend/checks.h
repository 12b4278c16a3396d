// Rules about whole declarations, checked when one is complete.
#pragma once

#include "idlc/frontend/context.h"

namespace perigee::idlc {

/// No operation or attribute is inherited from two bases, local and abstract fit together.
void check_inheritance(Context& context, const Interface& interface, const ScopedName& written,
                       const Interface& base);
/// An operation or attribute of that name is not inherited already.
void check_not_inherited(Context& context, const Identifier& identifier);
/// A oneway operation has no result, no out parameters and no exceptions.
void check_oneway(Context& context, const Operation& operation, Location keyword);
/// The type may be contained by value: it is not a struct or union that is still being defined.
void check_complete(Context& context, const Type& type, Location location);
/// Labels are distinct; finds out whether the union has an implicit default.
void check_labels(Context& context, Union& declaration);
/// What was declared forward is defined somewhere.
void check_forwards(Context& context);

}  // namespace perigee::idlc
