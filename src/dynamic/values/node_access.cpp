// insert_… and get_…: values without components, and whole sequences and arrays of basic types.
#include "dynamic/values/node.h"
#include "orb/values/any_value.h"
#include <perigee/cdr/operators.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>

#include <concepts>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace perigee::dynamic {

namespace {

using any::Access;
using cdr::TypeKind;
using cdr::TypeNode;
using enum cdr::TypeKind;
using DynamicAny::DynAny;

template <typename T>
constexpr TypeKind kind_of = any::Traits<T>::type.kind;

[[noreturn]] void mismatch(const TypeNode& type, TypeKind expected) {
  throw DynAny::TypeMismatch("a value of type '" + cdr::to_text(type) + "' is not of kind " +
                             std::string(cdr::_enumerator_name(expected)));
}

/// Whether T is the unsigned integer of a bitmask or bitset.
template <typename T>
bool is_bits(const TypeNode& type) {
  if constexpr (std::unsigned_integral<T> && !std::same_as<T, bool>) {
    if (type.kind != tk_bitmask && type.kind != tk_bitset) return false;
    return type.bound <= 8 * sizeof(T) && (sizeof(T) == 1 || type.bound > 4 * sizeof(T));
  } else {
    return false;
  }
}

}  // namespace

// ---- which value an operation is about ---------------------------------------------------------

Node& Node::target() {
  check();
  if (!may_have_components()) return *this;
  if (position() < 0) throw InvalidValue("the current position is -1");
  return component(static_cast<std::size_t>(position()));
}

Node& Node::target(TypeKind kind) {
  Node& node = target();
  if (node.plain().kind != kind) mismatch(*node.type_.node, kind);
  return node;
}

template <typename Accepts>
Node& Node::self_or_component(Accepts accepts) {
  check();
  if (accepts(*this)) return *this;
  Node& node = target();
  if (accepts(node)) return node;
  throw TypeMismatch("the operation has no meaning for values of type '" +
                     cdr::to_text(*node.type_.node) + "'");
}

bool Node::has_elements_of(TypeKind kind) const noexcept {
  const bool has_elements = plain().kind == tk_sequence || plain().kind == tk_array;
  return has_elements && cdr::unaliased(*plain().content).kind == kind;
}

// ---- basic types -------------------------------------------------------------------------------

template <typename T>
void Node::insert_basic(T value) {
  Node& node = target();
  const TypeNode& type = node.plain();
  if (is_bits<T>(type)) {
    if (type.bound < 64 && static_cast<std::uint64_t>(value) >> type.bound != 0)
      throw InvalidValue("the value has bits that '" + cdr::to_text(type) + "' does not have");
    return node.store(
        make_value(node.type_, references(), [value](cdr::Encoder& encoder) { encoder << value; }));
  }
  if (type.kind != kind_of<T>) mismatch(*node.type_.node, kind_of<T>);
  CORBA::Any any;
  Access::set(any, *node.type_.node, nullptr, node.type_.owner);
  Access::set_basic(any, value);
  node.store(std::move(any));
}

template <typename T>
T Node::get_basic() {
  Node& node = target();
  if (is_bits<T>(node.plain())) return read_one<T>(node.value(), references());
  if (node.plain().kind != kind_of<T>) mismatch(*node.type_.node, kind_of<T>);
  return Access::basic<T>(node.value());
}

template <typename T>
void Node::insert_elements(const std::vector<T>& values) {
  Node& node = self_or_component([](const Node& each) { return each.has_elements_of(kind_of<T>); });
  const TypeNode& type = node.plain();
  const bool is_sequence = type.kind == tk_sequence;
  const bool fits =
      is_sequence ? type.bound == 0 || values.size() <= type.bound : values.size() == type.bound;
  if (!fits) throw InvalidValue("'" + cdr::to_text(type) + "' cannot have so many elements");
  node.set_value(make_value(node.type_, references(), [&](cdr::Encoder& encoder) {
    if (is_sequence) encoder.write_length(values.size());
    for (const T value : values) encoder << value;
  }));
}

template <typename T>
std::vector<T> Node::get_elements_of() {
  Node& node = self_or_component([](const Node& each) { return each.has_elements_of(kind_of<T>); });
  std::vector<T> values;
  read_value(node.value(), references(), [&](cdr::Decoder& decoder) {
    const std::uint32_t count =
        node.plain().kind == tk_sequence ? decoder.read<std::uint32_t>() : node.plain().bound;
    if (count > decoder.remaining()) return decoder.fail(cdr::ErrorKind::bad_length);
    values.reserve(count);
    for (std::uint32_t index = 0; index != count && decoder.ok(); ++index) {
      T value{};
      decoder >> value;
      values.push_back(value);
    }
  });
  return values;
}

#define PERIGEE_DYN_DEFINE(NAME, T)                                                       \
  void Node::insert_##NAME(T value) { insert_basic<T>(value); }                           \
  T Node::get_##NAME() { return get_basic<T>(); }                                         \
  void Node::insert_##NAME##_seq(const std::vector<T>& value) { insert_elements(value); } \
  std::vector<T> Node::get_##NAME##_seq() { return get_elements_of<T>(); }
PERIGEE_DYN_BASIC_TYPES(PERIGEE_DYN_DEFINE)
#undef PERIGEE_DYN_DEFINE

void Node::insert_int8(std::int8_t value) { insert_basic(value); }
std::int8_t Node::get_int8() { return get_basic<std::int8_t>(); }

// ---- other types without components ------------------------------------------------------------

template <typename Text>
void Node::insert_text(const Text& text, TypeKind kind) {
  Node& node = target(kind);
  if (node.plain().bound != 0 && text.size() > node.plain().bound)
    throw InvalidValue("the text is longer than the bound " + std::to_string(node.plain().bound));
  if (text.find(typename Text::value_type{}) != Text::npos)
    throw InvalidValue("the text has a NUL inside");
  CORBA::Any any;
  Access::set(any, *node.type_.node, std::make_shared<any::Value<Text>>(text), node.type_.owner);
  node.store(std::move(any));
}

template <typename T>
T Node::get_content(TypeKind kind) {
  Node& node = target(kind);
  return read_one<T>(node.value(), references());
}

void Node::insert_string(const std::string& value) { insert_text(value, tk_string); }
void Node::insert_wstring(const std::wstring& value) { insert_text(value, tk_wstring); }
std::string Node::get_string() { return get_content<std::string>(tk_string); }
std::wstring Node::get_wstring() { return get_content<std::wstring>(tk_wstring); }

void Node::insert_reference(const CORBA::object_reference<CORBA::Object>& value) {
  Node& node = target();
  if (node.plain().kind != tk_objref && node.plain().kind != tk_local_interface)
    mismatch(*node.type_.node, tk_objref);
  node.store(reference_value(node.type_, value));
}

CORBA::object_reference<CORBA::Object> Node::get_reference() {
  Node& node = target();
  CORBA::object_reference<CORBA::Object> object;
  if (!any::extract_object(node.value(), object)) mismatch(*node.type_.node, tk_objref);
  return object;
}

void Node::insert_typecode(const CORBA::object_reference<CORBA::TypeCode>& value) {
  Node& node = target(tk_TypeCode);
  if (!value) throw InvalidValue("a nil TypeCode");
  CORBA::Any any;
  Access::set(any, *node.type_.node,
              std::make_shared<any::Value<CORBA::object_reference<CORBA::TypeCode>>>(value),
              node.type_.owner);
  node.store(std::move(any));
}

CORBA::object_reference<CORBA::TypeCode> Node::get_typecode() {
  return get_content<CORBA::object_reference<CORBA::TypeCode>>(tk_TypeCode);
}

void Node::insert_any(const CORBA::Any& value) {
  Node& node = target(tk_any);
  CORBA::Any any;
  Access::set(any, *node.type_.node, std::make_shared<any::Value<CORBA::Any>>(value),
              node.type_.owner);
  node.store(std::move(any));
}

CORBA::Any Node::get_any() { return get_content<CORBA::Any>(tk_any); }

void Node::insert_dyn_any(const _ref_type& value) { insert_any(checked(value).to_any()); }

DynAny::_ref_type Node::get_dyn_any() {
  const CORBA::Any any = get_any();
  try {
    require_supported(Access::type(any));
  } catch (const CORBA::UserException& error) {
    throw InvalidValue(error.what());
  }
  return _ref_type(make(any, references()));
}

void Node::insert_val(const CORBA::valuetype_reference<CORBA::ValueBase>& value) {
  check();
  const auto accepts = [&value](const Node& each) {
    if (each.plain().kind == tk_abstract_interface)
      return !value || dynamic_cast<const CORBA::AbstractBase*>(value.get()) != nullptr;
    return is_valuetype(each.plain().kind) &&
           (!value || fit_of(*value, each.plain()) != Fit::unknown ||
            each.plain().id == CORBA::ValueBase::_type_id);
  };
  if (is_valuetype(plain().kind) && !accepts(*this) && position() < 0)
    throw TypeMismatch("the value is not of type '" + cdr::to_text(plain()) + "'");
  Node& node = self_or_component(accepts);
  if (node.plain().kind == tk_abstract_interface)
    return node.store(abstract_value(
        node.type_,
        any::AbstractReference(dynamic_counted_cast<CORBA::AbstractBase>(value._shared()))));
  node.set_value(kept_value(node.type_, value));
}

CORBA::valuetype_reference<CORBA::ValueBase> Node::get_val() {
  Node& node = self_or_component([](const Node& each) {
    return is_valuetype(each.plain().kind) || each.plain().kind == tk_abstract_interface;
  });
  if (node.plain().kind == tk_abstract_interface) return node.get_abstract()._to_value();
  CORBA::valuetype_reference<CORBA::ValueBase> value;
  (void)any::find_value(node.value(), value);
  return value;
}

void Node::insert_abstract(const CORBA::abstract_reference<CORBA::AbstractBase>& value) {
  Node& node = target(tk_abstract_interface);
  node.store(abstract_value(node.type_, value));
}

CORBA::abstract_reference<CORBA::AbstractBase> Node::get_abstract() {
  Node& node = target(tk_abstract_interface);
  any::AbstractReference reference;
  (void)any::find_abstract(node.value(), reference);
  return reference;
}

}  // namespace perigee::dynamic
