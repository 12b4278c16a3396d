// CORBA::StringValue and CORBA::WStringValue: the boxed values that CORBA itself defines. Included
// by generated client headers that use them. They need no factory.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/typecode.h>
#include <perigee/orb/typecode.h>
#include <perigee/orb/value.h>

#include <string>
#include <string_view>
#include <utility>

namespace CORBA {
inline namespace perigee_v1 {

/// A string as a value: it can be null, and it can be shared. Source: CORBA 3.0, 4.4.4.
class PERIGEE_API StringValue final : public virtual ValueBase {
 public:
  using _ref_type = valuetype_reference<StringValue>;
  using _boxed_type = std::string;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/StringValue:1.0";

  StringValue();
  explicit StringValue(std::string text);
  ~StringValue() override;

  [[nodiscard]] const std::string& _value() const noexcept { return text_; }
  [[nodiscard]] std::string& _value() noexcept { return text_; }
  void _value(const std::string& text) { text_ = text; }
  void _value(std::string&& text) noexcept { text_ = std::move(text); }

  [[nodiscard]] const perigee::value::Description& _description() const noexcept override;
  void _marshal(perigee::cdr::Encoder& encoder) const override;
  void _unmarshal(perigee::cdr::Decoder& decoder) override;
  [[nodiscard]] valuetype_reference<ValueBase> _shallow_copy() const override;

 private:
  std::string text_;
};

/// The same for a wide string.
class PERIGEE_API WStringValue final : public virtual ValueBase {
 public:
  using _ref_type = valuetype_reference<WStringValue>;
  using _boxed_type = std::wstring;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/WStringValue:1.0";

  WStringValue();
  explicit WStringValue(std::wstring text);
  ~WStringValue() override;

  [[nodiscard]] const std::wstring& _value() const noexcept { return text_; }
  [[nodiscard]] std::wstring& _value() noexcept { return text_; }
  void _value(const std::wstring& text) { text_ = text; }
  void _value(std::wstring&& text) noexcept { text_ = std::move(text); }

  [[nodiscard]] const perigee::value::Description& _description() const noexcept override;
  void _marshal(perigee::cdr::Encoder& encoder) const override;
  void _unmarshal(perigee::cdr::Decoder& decoder) override;
  [[nodiscard]] valuetype_reference<ValueBase> _shallow_copy() const override;

 private:
  std::wstring text_;
};

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::any {

PERIGEE_API extern const cdr::TypeNode _type_StringValue;
PERIGEE_API extern const cdr::TypeNode _type_WStringValue;

template <typename T>
struct Traits;
template <>
struct Traits<CORBA::valuetype_reference<CORBA::StringValue>> {
  static constexpr const cdr::TypeNode& type = _type_StringValue;
};
template <>
struct Traits<CORBA::valuetype_reference<CORBA::WStringValue>> {
  static constexpr const cdr::TypeNode& type = _type_WStringValue;
};

}  // namespace perigee::any

namespace CORBA {
inline namespace perigee_v1 {
inline constexpr TypeCodeConstant _tc_StringValue{&perigee::any::_type_StringValue};
inline constexpr TypeCodeConstant _tc_WStringValue{&perigee::any::_type_WStringValue};
}  // namespace perigee_v1
}  // namespace CORBA

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::StringValue> : perigee::value::value_traits<CORBA::StringValue> {};
template <>
struct traits<CORBA::WStringValue> : perigee::value::value_traits<CORBA::WStringValue> {};
}  // namespace perigee_v1
}  // namespace IDL
