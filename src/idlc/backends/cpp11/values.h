// Writes valuetypes and boxed values: the class of a value, its factory class, and the OBV class
// that keeps the state.
#pragma once

#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

namespace perigee::idlc::cpp11 {

/// The classes in the namespace of the declaration: the value and its factory.
void declare_value(Writer& writer, const ValueType& value);
void declare_value_box(Writer& writer, const ValueBox& box);
/// The OBV classes of the main file, after the namespaces of the other declarations.
void declare_obv_classes(Writer& writer, const Declarations& declarations);
void declare_value_traits(Writer& writer, const ValueType& value);
void declare_value_traits(Writer& writer, const ValueBox& box);

/// Declares the casts of a valuetype that no file defines, at the file level of the header. The
/// library or program that defines the valuetype has the casts.
void declare_casts(Writer& writer, const Forward& forward);
/// Defines the casts of the valuetypes that the main file defines, at the file level of the source.
void define_casts(Writer& writer, const Declarations& declarations);

/// Whether the main file declares valuetypes or boxed values.
bool declares_values(const Declarations& declarations);
/// For the source, in the namespace of the declaration.
void define_value(Writer& writer, const ValueType& value);
void define_value_box(Writer& writer, const ValueBox& box);

}  // namespace perigee::idlc::cpp11
