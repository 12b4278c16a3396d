// Operations and attributes as one kind of thing: what an interface can be asked for.
#pragma once

#include "idlc/frontend/model.h"
#include "idlc/implied/implied.h"

#include <string>
#include <vector>

namespace perigee::idlc {

/// An operation, or the half of an attribute as if it was one: `get_a`, `set_a`.
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

/// The interface's own, and those of abstract bases that none of its other bases has.
std::vector<Call> calls_of(const Interface& interface, const Type& void_type);

/// Bases that are not abstract: those that have implied declarations themselves.
std::vector<const Interface*> concrete_bases(const Interface& interface);

}  // namespace perigee::idlc
