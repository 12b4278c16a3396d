// CORBA::TypeCode: the labels of a union's members, as values of an Any.
#include <perigee/cdr/typecode.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/typecode.h>

#include <cstdint>

namespace CORBA {
inline namespace perigee_v1 {

using perigee::cdr::TypeNode;

namespace {

using enum perigee::cdr::TypeKind;

/// A label as a value of the discriminator's type.
Any label_of(const TypeNode& discriminator, std::int64_t label) {
  Any any;
  switch (perigee::cdr::unaliased(discriminator).kind) {
    case tk_short:
      any <<= static_cast<std::int16_t>(label);
      break;
    case tk_ushort:
      any <<= static_cast<std::uint16_t>(label);
      break;
    case tk_long:
      any <<= static_cast<std::int32_t>(label);
      break;
    case tk_ulong:
      any <<= static_cast<std::uint32_t>(label);
      break;
    case tk_longlong:
      any <<= label;
      break;
    case tk_ulonglong:
      any <<= static_cast<std::uint64_t>(label);
      break;
    case tk_boolean:
      any <<= (label != 0);
      break;
    case tk_char:
      any <<= static_cast<char>(label);
      break;
    case tk_wchar:
      any <<= static_cast<wchar_t>(label);
      break;
    case tk_int8:
      any <<= static_cast<std::int8_t>(label);
      break;
    default:
      any <<= static_cast<std::uint8_t>(label);
      break;
  }
  return any;
}

}  // namespace

Any TypeCode::member_label(std::uint32_t index) const {
  if (node_->kind != tk_union) throw BadKind();
  if (index >= node_->members.size()) throw Bounds();
  const std::int64_t label = node_->members[index].label;
  if (static_cast<std::int64_t>(index) == node_->default_index)
    return label_of(perigee::cdr::basic_node<tk_octet>, 0);
  const TypeNode& discriminator = perigee::cdr::unaliased(*node_->content);
  if (discriminator.kind != tk_enum && discriminator.kind != tk_valued_enum)
    return label_of(discriminator, label);
  return perigee::any::make_enumerator(discriminator, owner_, label);
}

}  // namespace perigee_v1
}  // namespace CORBA
