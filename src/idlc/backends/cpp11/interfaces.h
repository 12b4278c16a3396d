// Writes interfaces on the client's side: the class in the header, its stubs in the source.
#pragma once

#include "idlc/backends/cpp11/callables.h"
#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

namespace perigee::idlc::cpp11 {

void declare_interface(Writer& writer, const Interface& interface);
/// A local interface whose implementations need not define its own operations. They return nothing.
void declare_optional_interface(Writer& writer, const Interface& interface);
/// The constructor, `_implements`, and a stub for each callable.
void define_interface(Writer& writer, const Interface& interface);

/// `IDL::traits` for an interface, even if it is only declared forward. Must be outside of all
/// namespaces.
void declare_traits(Writer& writer, const Interface& interface);
/// The functions of the traits that need the class: in the file that defines the interface.
void define_traits(Writer& writer, const Interface& interface);

/// The constants in a stub that describe the operation, `_operation_` (stubs.cpp).
void define_operation_constants(Writer& writer, const Callable& callable);
/// The stub of one operation (stubs.cpp).
void define_stub(Writer& writer, const Interface& interface, const Callable& callable);

}  // namespace perigee::idlc::cpp11
