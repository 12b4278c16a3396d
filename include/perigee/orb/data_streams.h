// The streams through which custom valuetypes read and write their state. Included by generated
// client headers with custom valuetypes.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/abstract.h>
#include <perigee/orb/any.h>
#include <perigee/orb/sequences.h>
#include <perigee/orb/typecode.h>
#include <perigee/orb/value.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace CORBA {
inline namespace perigee_v1 {

/// The base of both streams. A stream is a value, but it cannot be marshalled.
class PERIGEE_API DataStream : public virtual ValueBase {
 public:
  [[nodiscard]] const perigee::value::Description& _description() const noexcept override;
  void _marshal(perigee::cdr::Encoder& encoder) const override;
  void _unmarshal(perigee::cdr::Decoder& decoder) override;
};

/// Writes the state of a custom valuetype. Usable only during the call of `marshal` that got it:
/// later functions raise BAD_INV_ORDER. If a value cannot be written, the call that sends it raises
/// the exception. Source: CORBA 3.0, 5.5.2.
class PERIGEE_API DataOutputStream final : public DataStream {
 public:
  using _ref_type = valuetype_reference<DataOutputStream>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/DataOutputStream:1.0";

  explicit DataOutputStream(perigee::cdr::Encoder& encoder) noexcept : encoder_(&encoder) {}

  void write_any(const Any& value);
  void write_boolean(bool value);
  void write_char(char value);
  void write_wchar(wchar_t value);
  void write_octet(std::uint8_t value);
  void write_short(std::int16_t value);
  void write_ushort(std::uint16_t value);
  void write_long(std::int32_t value);
  void write_ulong(std::uint32_t value);
  void write_longlong(std::int64_t value);
  void write_ulonglong(std::uint64_t value);
  void write_float(float value);
  void write_double(double value);
  void write_longdouble(long double value);
  void write_string(const std::string& value);
  void write_wstring(const std::wstring& value);
  void write_Object(const object_reference<Object>& value);
  void write_Abstract(const abstract_reference<AbstractBase>& value);
  void write_Value(const valuetype_reference<ValueBase>& value);
  void write_TypeCode(const object_reference<TypeCode>& value);

  /// @name `length` elements, from the element `offset` on, without a length in front. Raise
  /// BAD_PARAM if the sequence has fewer elements.
  /// @{
  void write_any_array(const AnySeq& values, std::uint32_t offset, std::uint32_t length);
  void write_boolean_array(const BooleanSeq& values, std::uint32_t offset, std::uint32_t length);
  void write_char_array(const CharSeq& values, std::uint32_t offset, std::uint32_t length);
  void write_wchar_array(const WCharSeq& values, std::uint32_t offset, std::uint32_t length);
  void write_octet_array(const OctetSeq& values, std::uint32_t offset, std::uint32_t length);
  void write_short_array(const ShortSeq& values, std::uint32_t offset, std::uint32_t length);
  void write_ushort_array(const UShortSeq& values, std::uint32_t offset, std::uint32_t length);
  void write_long_array(const LongSeq& values, std::uint32_t offset, std::uint32_t length);
  void write_ulong_array(const ULongSeq& values, std::uint32_t offset, std::uint32_t length);
  void write_longlong_array(const LongLongSeq& values, std::uint32_t offset, std::uint32_t length);
  void write_ulonglong_array(const ULongLongSeq& values, std::uint32_t offset,
                             std::uint32_t length);
  void write_float_array(const FloatSeq& values, std::uint32_t offset, std::uint32_t length);
  void write_double_array(const DoubleSeq& values, std::uint32_t offset, std::uint32_t length);
  /// @}

  /// Called when `marshal` has ended.
  void _close() noexcept { encoder_ = nullptr; }

 private:
  [[nodiscard]] perigee::cdr::Encoder& encoder();
  template <typename T>
  void write(const T& value);
  template <typename T>
  void write_array(const std::vector<T>& values, std::uint32_t offset, std::uint32_t length);

  perigee::cdr::Encoder* encoder_;
};

/// Reads the state of a custom valuetype. Usable only during the call of `unmarshal` that got it.
/// Raises MARSHAL if the state has ended or is malformed. State that `unmarshal` does not read is
/// skipped. Source: CORBA 3.0, 5.5.2.
class PERIGEE_API DataInputStream final : public DataStream {
 public:
  using _ref_type = valuetype_reference<DataInputStream>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/DataInputStream:1.0";

  explicit DataInputStream(perigee::cdr::Decoder& decoder) noexcept : decoder_(&decoder) {}

  Any read_any();
  bool read_boolean();
  char read_char();
  wchar_t read_wchar();
  std::uint8_t read_octet();
  std::int16_t read_short();
  std::uint16_t read_ushort();
  std::int32_t read_long();
  std::uint32_t read_ulong();
  std::int64_t read_longlong();
  std::uint64_t read_ulonglong();
  float read_float();
  double read_double();
  long double read_longdouble();
  std::string read_string();
  std::wstring read_wstring();
  object_reference<Object> read_Object();
  abstract_reference<AbstractBase> read_Abstract();
  valuetype_reference<ValueBase> read_Value();
  object_reference<TypeCode> read_TypeCode();

  /// @name Replace `length` elements, from the element `offset` on. The sequence grows if it has
  /// fewer elements.
  /// @{
  void read_any_array(AnySeq& values, std::uint32_t offset, std::uint32_t length);
  void read_boolean_array(BooleanSeq& values, std::uint32_t offset, std::uint32_t length);
  void read_char_array(CharSeq& values, std::uint32_t offset, std::uint32_t length);
  void read_wchar_array(WCharSeq& values, std::uint32_t offset, std::uint32_t length);
  void read_octet_array(OctetSeq& values, std::uint32_t offset, std::uint32_t length);
  void read_short_array(ShortSeq& values, std::uint32_t offset, std::uint32_t length);
  void read_ushort_array(UShortSeq& values, std::uint32_t offset, std::uint32_t length);
  void read_long_array(LongSeq& values, std::uint32_t offset, std::uint32_t length);
  void read_ulong_array(ULongSeq& values, std::uint32_t offset, std::uint32_t length);
  void read_longlong_array(LongLongSeq& values, std::uint32_t offset, std::uint32_t length);
  void read_ulonglong_array(ULongLongSeq& values, std::uint32_t offset, std::uint32_t length);
  void read_float_array(FloatSeq& values, std::uint32_t offset, std::uint32_t length);
  void read_double_array(DoubleSeq& values, std::uint32_t offset, std::uint32_t length);
  /// @}

  /// Called when `unmarshal` has ended.
  void _close() noexcept { decoder_ = nullptr; }

 private:
  [[nodiscard]] perigee::cdr::Decoder& decoder();
  void check() const;
  template <typename T>
  T read();
  template <typename T>
  void read_array(std::vector<T>& values, std::uint32_t offset, std::uint32_t length);

  perigee::cdr::Decoder* decoder_;
};

/// Base of custom valuetypes: the program writes and reads the state itself.
class PERIGEE_API CustomMarshal : public virtual ValueBase {
 public:
  using _ref_type = valuetype_reference<CustomMarshal>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/CustomMarshal:1.0";

  /// Writes the state. If it raises an exception, the value cannot be sent (MARSHAL).
  virtual void marshal(DataOutputStream::_ref_type os) = 0;
  /// Reads the state that `marshal` has written. Its exceptions become the exception of the call.
  virtual void unmarshal(DataInputStream::_ref_type is) = 0;

  void _marshal(perigee::cdr::Encoder& encoder) const override;

 protected:
  /// Generated code calls this function, which calls `unmarshal`. If the decoder has failed, it
  /// does nothing and returns false.
  bool _unmarshal_custom(perigee::cdr::Decoder& decoder);
};

}  // namespace perigee_v1
}  // namespace CORBA
