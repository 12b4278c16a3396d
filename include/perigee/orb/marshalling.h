// Object references and exceptions in CDR, for generated code. Not for applications.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/operators.h>
#include <perigee/orb/object.h>
#include <perigee/orb/traits.h>

#include <utility>

namespace perigee::stub {

/// Checks the decoding of results, or of a user exception's members. If it has failed, raises
/// MARSHAL, COMPLETED_YES. Instead of MARSHAL: DATA_CONVERSION for a bad character, INV_OBJREF for
/// wide characters without a code set, IMP_LIMIT or TRANSIENT for a value beyond a limit.
PERIGEE_API void check_decoded(const cdr::Decoder& decoder);

/// The next value in `decoder`, or a default value after an error. T has operator>>.
template <typename T>
T decode(cdr::Decoder& decoder) {
  T value{};
  decoder >> value;
  return value;
}

/// Decodes an exception's members and throws it. T has operator>>.
template <typename T>
[[noreturn]] void raise(cdr::Decoder& decoder) {
  T exception;
  decoder >> exception;
  check_decoded(decoder);
  throw exception;  // NOLINT(cert-err09-cpp): thrown by value
}

/// Encodes an object reference; null is the nil reference. A local object fails the encoder.
PERIGEE_API void encode_object(cdr::Encoder& encoder, const CORBA::Object* object);
/// Decodes the next IOR; null for nil. Needs the decoder's environment.
PERIGEE_API counted_ptr<orb::Reference> decode_reference(cdr::Decoder& decoder);

}  // namespace perigee::stub

namespace CORBA {
inline namespace perigee_v1 {

template <typename T>
perigee::cdr::Encoder& operator<<(perigee::cdr::Encoder& encoder,
                                  const object_reference<T>& object) {
  if constexpr (IDL::traits<T>::is_local::value) {
    encoder.fail(perigee::cdr::ErrorKind::local_object);
  } else {
    perigee::stub::encode_object(encoder, IDL::traits<T>::_object(object));
  }
  return encoder;
}

/// Makes a stub without a check that the object supports T, since the IDL type says so. T may be
/// incomplete: only declared forward.
template <typename T>
perigee::cdr::Decoder& operator>>(perigee::cdr::Decoder& decoder, object_reference<T>& object) {
  if constexpr (IDL::traits<T>::is_local::value) {
    decoder.fail(perigee::cdr::ErrorKind::local_object);
  } else {
    auto reference = perigee::stub::decode_reference(decoder);
    object = reference ? IDL::traits<T>::_stub(std::move(reference)) : nullptr;
  }
  return decoder;
}

}  // namespace perigee_v1
}  // namespace CORBA
