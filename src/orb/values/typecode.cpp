// CORBA::TypeCode: the operations of the standard on a type's node.
#include <perigee/cdr/typecode.h>
#include <perigee/orb/typecode.h>

#include <initializer_list>
#include <utility>

namespace CORBA {
inline namespace perigee_v1 {

using perigee::cdr::TypeKind;
using perigee::cdr::TypeMember;
using perigee::cdr::TypeNode;
using perigee::cdr::TypeRef;

namespace {

using enum TypeKind;

void require(const TypeNode& node, std::initializer_list<TypeKind> kinds) {
  for (const TypeKind kind : kinds)
    if (node.kind == kind) return;
  throw TypeCode::BadKind();
}

void require_name(const TypeNode& node) {
  require(node, {tk_objref, tk_struct, tk_union, tk_enum, tk_alias, tk_except, tk_value,
                 tk_value_box, tk_native, tk_abstract_interface, tk_local_interface, tk_component,
                 tk_home, tk_event, tk_bitmask, tk_bitset, tk_valued_enum, tk_recursive});
}

const TypeMember& member(const TypeNode& node, std::uint32_t index) {
  if (index >= node.members.size()) throw TypeCode::Bounds();
  return node.members[index];
}

object_reference<TypeCode> make(const TypeNode* node, std::shared_ptr<const void> owner) {
  return object_reference<TypeCode>(perigee::make_counted<TypeCode>(node, std::move(owner)));
}

const TypeNode& node_of(const object_reference<TypeCode>& type) { return *type->_node(); }

}  // namespace

bool TypeCode::equal(const _ref_type& other) const {
  return perigee::cdr::equal(*node_, node_of(other));
}

bool TypeCode::equivalent(const _ref_type& other) const {
  return perigee::cdr::equivalent(*node_, node_of(other));
}

TypeCode::_ref_type TypeCode::get_compact_typecode() const {
  TypeRef copy = perigee::cdr::compact_copy(*node_);
  return make(copy.node, std::move(copy.owner));
}

TCKind TypeCode::kind() const noexcept { return node_->kind; }

std::string TypeCode::id() const {
  require_name(*node_);
  return std::string(node_->id);
}

std::string TypeCode::name() const {
  require_name(*node_);
  return std::string(node_->name);
}

std::uint32_t TypeCode::member_count() const {
  require(*node_, {tk_struct, tk_union, tk_enum, tk_except, tk_value, tk_event, tk_bitmask,
                   tk_bitset, tk_valued_enum});
  return static_cast<std::uint32_t>(node_->members.size());
}

std::string TypeCode::member_name(std::uint32_t index) const {
  (void)member_count();  // for BadKind
  return std::string(member(*node_, index).name);
}

TypeCode::_ref_type TypeCode::member_type(std::uint32_t index) const {
  require(*node_, {tk_struct, tk_union, tk_except, tk_value, tk_event});
  return make(member(*node_, index).type, owner_);
}

TypeCode::_ref_type TypeCode::discriminator_type() const {
  require(*node_, {tk_union});
  return make(node_->content, owner_);
}

std::int32_t TypeCode::default_index() const {
  require(*node_, {tk_union});
  return node_->default_index;
}

std::uint32_t TypeCode::length() const {
  require(*node_, {tk_string, tk_wstring, tk_sequence, tk_array, tk_map});
  return node_->bound;
}

TypeCode::_ref_type TypeCode::content_type() const {
  require(*node_, {tk_sequence, tk_array, tk_value_box, tk_alias, tk_map});
  return make(node_->content, owner_);
}

TypeCode::_ref_type TypeCode::key_type() const {
  require(*node_, {tk_map});
  return make(node_->key, owner_);
}

std::uint16_t TypeCode::fixed_digits() const {
  require(*node_, {tk_fixed});
  return node_->digits;
}

std::int16_t TypeCode::fixed_scale() const {
  require(*node_, {tk_fixed});
  return node_->scale;
}

Visibility TypeCode::member_visibility(std::uint32_t index) const {
  require(*node_, {tk_value, tk_event});
  return static_cast<Visibility>(member(*node_, index).label);
}

ValueModifier TypeCode::type_modifier() const {
  require(*node_, {tk_value, tk_event});
  return node_->scale;
}

TypeCode::_ref_type TypeCode::concrete_base_type() const {
  require(*node_, {tk_value, tk_event});
  return node_->content == nullptr ? nullptr : make(node_->content, owner_);
}

std::string TypeCode::_text() const { return perigee::cdr::to_text(*node_); }

TypeCodeConstant::operator object_reference<TypeCode>() const { return make(node_, nullptr); }

bool operator==(const object_reference<TypeCode>& a, const object_reference<TypeCode>& b) {
  if (!a || !b) return !a && !b;
  return perigee::cdr::equal(node_of(a), node_of(b));
}

std::string _text_of(const object_reference<TypeCode>& type) {
  return type ? type->_text() : "nil";
}

perigee::cdr::Encoder& operator<<(perigee::cdr::Encoder& encoder,
                                  const object_reference<TypeCode>& type) {
  if (!type)
    encoder.fail(perigee::cdr::ErrorKind::bad_value);
  else
    perigee::cdr::encode_type(encoder, *type->_node());
  return encoder;
}

perigee::cdr::Decoder& operator>>(perigee::cdr::Decoder& decoder,
                                  object_reference<TypeCode>& type) {
  TypeRef decoded = perigee::cdr::decode_type(decoder);
  type = make(decoded.node, std::move(decoded.owner));
  return decoder;
}

TypeCode::BadKind::~BadKind() = default;
const char* TypeCode::BadKind::_rep_id() const noexcept {
  return "IDL:omg.org/CORBA/TypeCode/BadKind:1.0";
}
const char* TypeCode::BadKind::_name() const noexcept { return "BadKind"; }
void TypeCode::BadKind::_raise() const { throw *this; }
void TypeCode::BadKind::_encode(perigee::cdr::Encoder&) const {}  // it has no members

TypeCode::Bounds::~Bounds() = default;
const char* TypeCode::Bounds::_rep_id() const noexcept {
  return "IDL:omg.org/CORBA/TypeCode/Bounds:1.0";
}
const char* TypeCode::Bounds::_name() const noexcept { return "Bounds"; }
void TypeCode::Bounds::_raise() const { throw *this; }
void TypeCode::Bounds::_encode(perigee::cdr::Encoder&) const {}  // it has no members

}  // namespace perigee_v1
}  // namespace CORBA

std::size_t std::hash<CORBA::object_reference<CORBA::TypeCode>>::operator()(
    const CORBA::object_reference<CORBA::TypeCode>& type) const noexcept {
  if (!type) return 0;
  const perigee::cdr::TypeNode& node = *type->_node();
  return std::hash<std::string_view>()(node.id) + static_cast<std::size_t>(node.kind);
}
