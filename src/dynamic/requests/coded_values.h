// The arguments and results of dynamic calls in CDR.
#pragma once

#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/typecode.h>
#include <perigee/dynamic/named_value.h>
#include <perigee/orb/typecode.h>

namespace perigee::dynamic {

/// The node of a TypeCode, and its owner. `type` is not nil.
[[nodiscard]] inline cdr::TypeRef type_ref(const CORBA::object_reference<CORBA::TypeCode>& type) {
  return {type->_node(), type->_owner()};
}
/// Whether the type is void: an operation with this return type has no result.
[[nodiscard]] bool is_void(const CORBA::object_reference<CORBA::TypeCode>& type);

/// Raises BAD_PARAM unless each item that is sent in the direction `flag` (ARG_IN or ARG_OUT) has a
/// value of its declared type.
void check_values(const CORBA::NVList& list, CORBA::Flags flag, CORBA::CompletionStatus completed);
/// Raises BAD_PARAM if an item that is received in the direction `flag` has no type.
void check_types(const CORBA::NVList& list, CORBA::Flags flag);

/// Encodes the items of that direction. A value that cannot be encoded fails the encoder. Call it
/// while a `value::Writing` of the encoder exists, so that the items may share values.
void encode_values(cdr::Encoder& encoder, const CORBA::NVList& list, CORBA::Flags flag);
/// Decodes the items of that direction, unless the decoder fails. Call it while a `value::Reading`
/// of the decoder exists.
void decode_values(cdr::Decoder& decoder, CORBA::NVList& list, CORBA::Flags flag);

}  // namespace perigee::dynamic
