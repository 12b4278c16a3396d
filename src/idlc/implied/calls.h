// Represents operations and attributes by one type: the calls that an interface offers.
#pragma once

#include "idlc/frontend/model.h"
#include "idlc/implied/implied.h"
#include "idlc/implied/names.h"

#include <cstdint>
#include <string>
#include <vector>

namespace perigee::idlc {

/// An operation, or one half of an attribute in the form of an operation: `get_a`, `set_a`.
struct Call {
  std::string name;
  Half half = Half::operation;
  const Declaration* origin = nullptr;
  bool is_oneway = false;
  bool is_joined = false;  // declared again: hides the declarations of concrete bases
  const Type* return_type = nullptr;
  std::vector<Parameter> parameters;
  std::vector<const Exception*> raises;
  std::vector<std::string> contexts;
};

/// For the names of the declarations that a call implies.
[[nodiscard]] inline TakenNames::Hides hides(const Call& call) {
  return call.is_joined ? TakenNames::Hides::inherited : TakenNames::Hides::nothing;
}

/// What to do with an abstract base that two concrete bases inherit independently. Each concrete
/// base has its own implied declarations for the calls of the abstract base.
enum class Joined : std::uint8_t {
  inherit,  ///< leave its calls to the concrete bases
  declare,  ///< declare its calls again, which hides the declarations of the concrete bases
};

/// The calls of the interface itself and of its abstract bases, except abstract bases that one of
/// its concrete bases inherits.
std::vector<Call> calls_of(const Interface& interface, const Type& void_type, Joined joined);

/// The bases that are not abstract. They have implied declarations of their own.
std::vector<const Interface*> concrete_bases(const Interface& interface);

}  // namespace perigee::idlc
