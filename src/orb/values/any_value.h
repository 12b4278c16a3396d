// Values of anys without their TypeCodes.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/typecode.h>
#include <perigee/orb/any.h>

namespace perigee::any {

/// A value that cannot be encoded fails the encoder.
PERIGEE_INTERNAL_API void encode_value(cdr::Encoder& encoder, const CORBA::Any& any);
/// Reads a value of the type into `any`, unless the decoder fails.
PERIGEE_INTERNAL_API void decode_value(cdr::Decoder& decoder, cdr::TypeRef type, CORBA::Any& any);

}  // namespace perigee::any
