// What generated stubs (…C.cpp) call. Not for applications.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>
#include <perigee/cdr/borrowed.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/operators.h>
#include <perigee/cdr/run.h>
#include <perigee/cdr/text_run.h>
#include <perigee/orb/mapping.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace perigee::stub {

/// Equality of identifiers. The operators of std take compilers far longer, and each stub asks.
[[nodiscard]] inline bool same(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && a.compare(b) == 0;
}

/// A user exception that an operation may raise.
struct RaisedException {
  std::string_view repository_id;
  /// Decodes the members and throws the exception, or MARSHAL if they do not decode.
  void (*raise)(cdr::Decoder& decoder);
};

/// What the ORB must know of an operation; a constant in generated code.
struct Operation {
  enum class Kind : std::uint8_t { twoway, oneway };
  std::string_view name;  ///< as on the wire: "get_quote", "_get_price"
  Kind kind = Kind::twoway;
  std::span<const RaisedException> raises;
};

using ArgumentEncoder = function_ref<void(cdr::Encoder&)>;
using ResultDecoder = function_ref<void(cdr::Decoder&)>;

/// Calls an operation and waits for its reply (not for oneways). Blocks the calling thread.
///
/// `encode` writes the arguments (null: there are none), once per try; it must not throw but may
/// fail the encoder. `decode` reads results (null: there are none), at most once.
/// Raises the operation's user exceptions and CORBA system exceptions.
PERIGEE_API void invoke(const CORBA::Object& target, const Operation& operation,
                        ArgumentEncoder encode, ResultDecoder decode);

/// Raises MARSHAL (DATA_CONVERSION or INV_OBJREF for characters), COMPLETED_YES, if the decoder has
/// failed: for user exceptions' members.
PERIGEE_API void check_decoded(const cdr::Decoder& decoder);

/// The next value in `decoder`; a default one after an error. T has operator>>.
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

/// Object references in CDR. A local object fails the encoder; nil is the nil reference.
PERIGEE_API void encode_object(cdr::Encoder& encoder, const CORBA::Object* object);
/// The reference behind the next IOR; null for nil. Needs the decoder's environment.
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

/// Makes a stub without asking the object whether it supports T: IDL's types say so. T may be
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
