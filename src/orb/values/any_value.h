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
using CopyValue = function_ref<counted_ptr<CORBA::ValueBase>(counted_ptr<CORBA::ValueBase> value)>;
/// Replaces each valuetype in the any by the value that `copy` gives. This includes values that are
/// passed as abstract interfaces. Null stays null. Values that the any keeps as octets stay as they
/// are: each extraction decodes them into new objects, which no other holder of the any shares.
void replace_values(CORBA::Any& any, CopyValue copy);

}  // namespace perigee::any
