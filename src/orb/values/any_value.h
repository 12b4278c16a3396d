// Values of anys without their TypeCodes.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>
#include <perigee/cdr/typecode.h>
#include <perigee/orb/any.h>
#include <perigee/orb/value.h>

namespace perigee::any {

/// A value that cannot be encoded fails the encoder.
PERIGEE_INTERNAL_API void encode_value(cdr::Encoder& encoder, const CORBA::Any& any);
/// Reads a value of the type into `any`, unless the decoder fails.
PERIGEE_INTERNAL_API void decode_value(cdr::Decoder& decoder, cdr::TypeRef type, CORBA::Any& any);
/// If the any holds a valuetype that is not null, also as an abstract interface: puts the value
/// that `copy` gives in its place.
void replace_value(
    CORBA::Any& any,
    function_ref<counted_ptr<CORBA::ValueBase>(counted_ptr<CORBA::ValueBase> value)> copy);

}  // namespace perigee::any
