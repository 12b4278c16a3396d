// References to abstract interfaces: a boolean, then an object reference or a value.
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/abstract.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/marshalling.h>
#include <perigee/orb/text.h>

namespace CORBA {
inline namespace perigee_v1 {

AbstractBase::AbstractBase() noexcept = default;
AbstractBase::AbstractBase(const AbstractBase&) noexcept = default;
AbstractBase::~AbstractBase() = default;

object_reference<Object> AbstractBase::_to_object() {
  if (auto* const local = dynamic_cast<LocalObject*>(this)) return local->_lock();
  const auto* const object = dynamic_cast<const Object*>(this);
  if (object == nullptr) return nullptr;
  return object_reference<Object>(perigee::make_counted<Object>(object->_reference()));
}

valuetype_reference<ValueBase> AbstractBase::_to_value() noexcept {
  auto* const value = dynamic_cast<ValueBase*>(this);
  return value == nullptr ? nullptr : value->_this_value();
}

std::string _text_of_abstract(const AbstractBase* held) {
  if (const auto* const value = dynamic_cast<const ValueBase*>(held)) return _text_of_value(value);
  return perigee::text::reference_text(dynamic_cast<const Object*>(held));
}

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::abstract {

const CORBA::Object& target_of(const CORBA::AbstractBase& held) {
  const auto* const object = dynamic_cast<const CORBA::Object*>(&held);
  if (object == nullptr) CORBA::_raise_nil_reference();
  return *object;
}

void encode(cdr::Encoder& encoder, const CORBA::AbstractBase* held) {
  const auto* const object = dynamic_cast<const CORBA::Object*>(held);
  encoder.write_boolean(object != nullptr);
  if (object != nullptr) return stub::encode_object(encoder, object);
  value::encode(encoder, dynamic_cast<const CORBA::ValueBase*>(held));
}

Decoded decode(cdr::Decoder& decoder, const value::Expected& expected) {
  const bool is_object = decoder.read_boolean();
  if (!decoder.ok()) return {};
  if (is_object) return {stub::decode_reference(decoder), nullptr};
  return {nullptr, value::decode(decoder, expected)};
}

}  // namespace perigee::abstract
