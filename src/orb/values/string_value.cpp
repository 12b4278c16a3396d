// The boxed values that CORBA itself defines.
#include <perigee/cdr/operators.h>
#include <perigee/orb/string_value.h>

namespace perigee::any {

constinit const cdr::TypeNode _type_StringValue{.kind = cdr::TypeKind::tk_value_box,
                                                .id = CORBA::StringValue::_type_id,
                                                .name = "StringValue",
                                                .content = &cdr::string_node<>};
constinit const cdr::TypeNode _type_WStringValue{.kind = cdr::TypeKind::tk_value_box,
                                                 .id = CORBA::WStringValue::_type_id,
                                                 .name = "WStringValue",
                                                 .content = &cdr::wstring_node<>};

}  // namespace perigee::any

namespace CORBA {
inline namespace perigee_v1 {

namespace {

constexpr perigee::value::Description narrow_description{StringValue::_type_id};
constexpr perigee::value::Description wide_description{WStringValue::_type_id};

}  // namespace

StringValue::StringValue() = default;
StringValue::StringValue(std::string text) : text_(std::move(text)) {}
StringValue::~StringValue() = default;
const perigee::value::Description& StringValue::_description() const noexcept {
  return narrow_description;
}
void StringValue::_marshal(perigee::cdr::Encoder& encoder) const { encoder << text_; }
void StringValue::_unmarshal(perigee::cdr::Decoder& decoder) { decoder >> text_; }
valuetype_reference<ValueBase> StringValue::_shallow_copy() const {
  return valuetype_reference<ValueBase>(perigee::make_counted<StringValue>(text_));
}

WStringValue::WStringValue() = default;
WStringValue::WStringValue(std::wstring text) : text_(std::move(text)) {}
WStringValue::~WStringValue() = default;
const perigee::value::Description& WStringValue::_description() const noexcept {
  return wide_description;
}
void WStringValue::_marshal(perigee::cdr::Encoder& encoder) const { encoder << text_; }
void WStringValue::_unmarshal(perigee::cdr::Decoder& decoder) { decoder >> text_; }
valuetype_reference<ValueBase> WStringValue::_shallow_copy() const {
  return valuetype_reference<ValueBase>(perigee::make_counted<WStringValue>(text_));
}

}  // namespace perigee_v1
}  // namespace CORBA
