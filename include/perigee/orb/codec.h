// IOP::CodecFactory and IOP::Codec in the C++11 mapping: values as octets, for example for service
// contexts and tagged components. `resolve_initial_references("CodecFactory")`.
// Source: CORBA 3.0, 13.8.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/any.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/local_exception.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/typecode.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace IOP {
inline namespace perigee_v1 {

using EncodingFormat = std::int16_t;
inline constexpr EncodingFormat ENCODING_CDR_ENCAPS = 0;

/// A format, and the version of GIOP that it belongs to.
class Encoding final {
 public:
  constexpr Encoding() noexcept = default;
  constexpr Encoding(EncodingFormat format, std::uint8_t major_version,
                     std::uint8_t minor_version) noexcept
      : format_(format), major_version_(major_version), minor_version_(minor_version) {}

  [[nodiscard]] constexpr EncodingFormat format() const noexcept { return format_; }
  constexpr void format(EncodingFormat format) noexcept { format_ = format; }
  [[nodiscard]] constexpr std::uint8_t major_version() const noexcept { return major_version_; }
  constexpr void major_version(std::uint8_t version) noexcept { major_version_ = version; }
  [[nodiscard]] constexpr std::uint8_t minor_version() const noexcept { return minor_version_; }
  constexpr void minor_version(std::uint8_t version) noexcept { minor_version_ = version; }

 private:
  EncodingFormat format_ = ENCODING_CDR_ENCAPS;
  std::uint8_t major_version_ = 0;
  std::uint8_t minor_version_ = 0;
};

/// Encodes and decodes values in one format. Strings are in UTF-8, wide strings in UTF-16. Any
/// thread.
///
/// The limits of values (docs/limits.md) also apply here: a value beyond them raises IMP_LIMIT.
class PERIGEE_API Codec : public CORBA::Object {
 public:
  using _ref_type = CORBA::object_reference<Codec>;
  static constexpr std::string_view _type_id = "IDL:omg.org/IOP/Codec:1.0";

  /// The format has no encoding for the type: a local interface, a valuetype, or wide
  /// characters in GIOP 1.0.
  PERIGEE_LOCAL_EXCEPTION(InvalidTypeForEncoding)
  /// The octets are not in the format.
  PERIGEE_LOCAL_EXCEPTION(FormatMismatch)
  /// The octets are no value of the type.
  PERIGEE_LOCAL_EXCEPTION(TypeMismatch)

  ~Codec() override;
  /// The TypeCode and the value. Raises InvalidTypeForEncoding.
  [[nodiscard]] virtual std::vector<std::uint8_t> encode(const CORBA::Any& data) = 0;
  /// Raises FormatMismatch.
  [[nodiscard]] virtual CORBA::Any decode(const std::vector<std::uint8_t>& data) = 0;
  /// The value without its TypeCode. Raises InvalidTypeForEncoding.
  [[nodiscard]] virtual std::vector<std::uint8_t> encode_value(const CORBA::Any& data) = 0;
  /// Raises FormatMismatch, TypeMismatch, and BAD_PARAM for a nil TypeCode.
  [[nodiscard]] virtual CORBA::Any decode_value(
      const std::vector<std::uint8_t>& data,
      const CORBA::object_reference<CORBA::TypeCode>& type) = 0;

 protected:
  Codec() = default;
};

/// Any thread.
class PERIGEE_API CodecFactory : public CORBA::Object {
 public:
  using _ref_type = CORBA::object_reference<CodecFactory>;
  static constexpr std::string_view _type_id = "IDL:omg.org/IOP/CodecFactory:1.0";

  PERIGEE_LOCAL_EXCEPTION(UnknownEncoding)

  ~CodecFactory() override;
  /// The factory supports encapsulations (ENCODING_CDR_ENCAPS) of GIOP 1.0, 1.1 and 1.2. Raises
  /// UnknownEncoding.
  [[nodiscard]] virtual CORBA::object_reference<Codec> create_codec(const Encoding& encoding) = 0;

 protected:
  CodecFactory() = default;
};

}  // namespace perigee_v1
}  // namespace IOP

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<IOP::Codec> : perigee::stub::local_interface_traits<IOP::Codec> {};
template <>
struct traits<IOP::CodecFactory> : perigee::stub::local_interface_traits<IOP::CodecFactory> {};
}  // namespace perigee_v1
}  // namespace IDL
