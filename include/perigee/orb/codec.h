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
#include <string>
#include <string_view>
#include <vector>

namespace IOP {
inline namespace perigee_v1 {

using EncodingFormat = std::int16_t;
inline constexpr EncodingFormat ENCODING_CDR_ENCAPS = 0;
/// A number in the OSF Character and Code Set Registry, such as 0x05010001 for UTF-8.
using CodeSetId = std::uint32_t;

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

/// A format, a version of GIOP, and the code sets of characters, as numbers in the OSF Character
/// and Code Set Registry. Source: CORBA 3.1, part 2, 16.8.2.
class Encoding_1_2 final {
 public:
  constexpr Encoding_1_2() noexcept = default;
  constexpr Encoding_1_2(EncodingFormat format, std::uint8_t major_version,
                         std::uint8_t minor_version, CodeSetId char_codeset,
                         CodeSetId wchar_codeset) noexcept
      : encoding_(format, major_version, minor_version),
        char_codeset_(char_codeset),
        wchar_codeset_(wchar_codeset) {}

  [[nodiscard]] constexpr EncodingFormat format() const noexcept { return encoding_.format(); }
  constexpr void format(EncodingFormat format) noexcept { encoding_.format(format); }
  [[nodiscard]] constexpr std::uint8_t major_version() const noexcept {
    return encoding_.major_version();
  }
  constexpr void major_version(std::uint8_t version) noexcept { encoding_.major_version(version); }
  [[nodiscard]] constexpr std::uint8_t minor_version() const noexcept {
    return encoding_.minor_version();
  }
  constexpr void minor_version(std::uint8_t version) noexcept { encoding_.minor_version(version); }
  [[nodiscard]] constexpr CodeSetId char_codeset() const noexcept { return char_codeset_; }
  constexpr void char_codeset(CodeSetId code_set) noexcept { char_codeset_ = code_set; }
  [[nodiscard]] constexpr CodeSetId wchar_codeset() const noexcept { return wchar_codeset_; }
  constexpr void wchar_codeset(CodeSetId code_set) noexcept { wchar_codeset_ = code_set; }

 private:
  Encoding encoding_;
  CodeSetId char_codeset_ = 0;
  CodeSetId wchar_codeset_ = 0;
};

/// Encodes and decodes values in one format. Strings are in UTF-8 and wide strings in UTF-16,
/// unless the codec was created with other code sets. Any thread.
///
/// The limits of values (docs/limits.md) also apply here: a value beyond them raises IMP_LIMIT.
class PERIGEE_API Codec : public CORBA::Object {
 public:
  using _ref_type = CORBA::object_reference<Codec>;
  static constexpr std::string_view _type_id = "IDL:omg.org/IOP/Codec:1.0";

  /// The format has no encoding for the type: a local interface, a native type, or wide characters
  /// in GIOP 1.0.
  PERIGEE_LOCAL_EXCEPTION(InvalidTypeForEncoding)
  /// The octets are not in the format.
  PERIGEE_LOCAL_EXCEPTION(FormatMismatch)
  /// The octets are not a value of the type.
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

/// Makes codecs. Any thread.
class PERIGEE_API CodecFactory : public CORBA::Object {
 public:
  using _ref_type = CORBA::object_reference<CodecFactory>;
  static constexpr std::string_view _type_id = "IDL:omg.org/IOP/CodecFactory:1.0";

  PERIGEE_LOCAL_EXCEPTION(UnknownEncoding)
  /// Perigee does not convert from or to the code set.
  class UnsupportedCodeset;

  ~CodecFactory() override;
  /// The factory supports encapsulations (ENCODING_CDR_ENCAPS) of GIOP 1.0, 1.1 and 1.2. Raises
  /// UnknownEncoding.
  [[nodiscard]] virtual CORBA::object_reference<Codec> create_codec(const Encoding& encoding) = 0;
  /// A codec that carries characters in these code sets. In GIOP 1.0, wide characters have no
  /// encoding, so the code set of wide characters does not matter. Raises UnknownEncoding and
  /// UnsupportedCodeset. Source: CORBA 3.1, part 2, 16.8.2.
  [[nodiscard]] virtual CORBA::object_reference<Codec> create_codec_with_codesets(
      const Encoding_1_2& encoding) = 0;

 protected:
  CodecFactory() = default;
};

class PERIGEE_API CodecFactory::UnsupportedCodeset final : public CORBA::UserException {
 public:
  UnsupportedCodeset() = default;
  explicit UnsupportedCodeset(CodeSetId codeset) noexcept : codeset_(codeset) {}
  ~UnsupportedCodeset() override;
  [[nodiscard]] CodeSetId codeset() const noexcept { return codeset_; }
  void codeset(CodeSetId codeset) noexcept { codeset_ = codeset; }
  [[nodiscard]] const char* _rep_id() const noexcept override;
  [[nodiscard]] const char* _name() const noexcept override;
  [[noreturn]] void _raise() const override;
  void _encode(perigee::cdr::Encoder& encoder) const override;

 protected:
  void _describe(std::string& text) const override;

 private:
  CodeSetId codeset_ = 0;
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
