// Represents operations and attributes by one type: the calls that an interface offers.
#pragma once

#include "idlc/frontend/model.h"
#include "idlc/implied/implied.h"

#include <string>
#include <vector>

namespace perigee::idlc {

/// An operation, or one half of an attribute in the form of an operation: `get_a`, `set_a`.
struct Call {
  std::string name;
  Half half = Half::operation;
  const Declaration* origin = nullptr;
  bool is_oneway = false;
  const Type* return_type = nullptr;
  std::vector<Parameter> parameters;
  std::vector<const Exception*> raises;
  std::vector<std::string> contexts;
};

/// The calls of the interface itself and of its abstract bases, except abstract bases that one of
/// its concrete bases inherits.
std::vector<Call> calls_of(const Interface& interface, const Type& void_type);

/// The bases that are not abstract. They have implied declarations of their own.
std::vector<const Interface*> concrete_bases(const Interface& interface);

}  // namespace perigee::idlc
