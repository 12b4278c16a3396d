// Default values of types, and labels of unions that are not in use. Source: CORBA 3.0, 9.2.2.
#include "dynamic/values/value_parts.h"
#include <perigee/cdr/operators.h>
#include <perigee/cdr/value_writing.h>
#include <perigee/dynamic/dyn_any_factory.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/fixed.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace perigee::dynamic {

namespace {

using cdr::Encoder;
using cdr::TypeMember;
using cdr::TypeNode;
using cdr::TypeRef;
using enum cdr::TypeKind;
using DynamicAny::DynAnyFactory;

[[noreturn]] void refuse(const std::string& reason) {
  throw DynAnyFactory::InconsistentTypeCode(reason);
}

std::string text_of(const TypeNode& type) { return "'" + cdr::to_text(type) + "'"; }

/// Writes the octets of a default value. The type may come from the network: it may contain itself,
/// and its arrays may be huge. So the limits of levels and of components are checked before each
/// part is written.
class DefaultWriter final {
 public:
  explicit DefaultWriter(Encoder& encoder) : out_(encoder) {}

  void value(const TypeNode& named) {
    const TypeNode& type = cdr::unaliased(named);
    require_supported(type);
    count(1);
    switch (type.kind) {
      case tk_null:
      case tk_void:
        return;
      case tk_any:
        out_ << CORBA::Any();
        return;
      case tk_TypeCode:
        return cdr::encode_type(out_, cdr::basic_node<tk_null>);
      case tk_objref:
        out_ << CORBA::object_reference<CORBA::Object>();
        return;
      case tk_local_interface:
        refuse(text_of(type) + ": values of local interfaces cannot be parts of other values");
      case tk_value:
      case tk_value_box:
        return cdr::ValueWriting::write_null(out_);
      case tk_abstract_interface:
        out_.write_boolean(false);  // no object
        return cdr::ValueWriting::write_null(out_);
      case tk_struct:
      case tk_except:
      case tk_union:
      case tk_array:
        return nested(type);
      default:
        return simple(type);
    }
  }

 private:
  void count(std::uint64_t parts) {
    if (parts > parts_left_)
      throw CORBA::IMP_LIMIT(0, CORBA::COMPLETED_NO,
                             "a default value would have more than 1048576 components, or more "
                             "than 16777216 octets in the ids of exceptions");
    parts_left_ -= parts;
  }

  void nested(const TypeNode& type) {
    if (levels_left_ == 0) refuse(text_of(type) + " contains itself, or has more than 128 levels");
    --levels_left_;
    if (type.kind == tk_union) {
      union_value(type);
    } else if (type.kind == tk_array) {
      if (type.bound > parts_left_) count(type.bound);
      for (std::uint32_t index = 0; index != type.bound; ++index) value(*type.content);
    } else {
      if (type.kind == tk_except) exception_id(type);
      for (const TypeMember& member : type.members) value(*member.type);
    }
    ++levels_left_;
  }

  // An array of exceptions has the id again in each element: long ids count as more components.
  void exception_id(const TypeNode& type) {
    count(type.id.size() / octets_per_part);
    out_.write_string(type.id);
  }

  void union_value(const TypeNode& type) {
    if (type.members.empty()) refuse(text_of(type) + " has no members");
    count(1);
    write_discriminator(out_, *type.content,
                        type.default_index == 0 ? first_unused(type) : type.members.front().label);
    value(*type.members.front().type);
  }

  /// Computed once for each type: an array may have many unions with many labels.
  std::int64_t first_unused(const TypeNode& type) {
    const auto [found, is_new] = unused_.try_emplace(&type);
    if (!is_new) return found->second;
    const auto unused = unused_label(type);
    if (!unused) refuse(text_of(type) + ": no discriminator selects the first member");
    found->second = *unused;
    return *unused;
  }

  /// Types without components, and sequences, which are empty.
  void simple(const TypeNode& type) {
    switch (type.kind) {
      case tk_string:
        return out_.write_string("");
      case tk_wstring:
        return out_.write_wide_string(L"");
      case tk_wchar:
        return out_.write_wide_character(0);
      case tk_longdouble:
        return out_.write(0.0L);
      case tk_fixed:
        return stub::encode_fixed(out_, 0, type.digits);
      case tk_enum:
      case tk_valued_enum:
        if (type.members.empty()) refuse(text_of(type) + " has no enumerators");
        return cdr::write_enumerator(out_, type,
                                     type.kind == tk_valued_enum ? type.members.front().label : 0);
      case tk_bitmask:
      case tk_bitset:
        return zero(type.bound);
      case tk_double:
      case tk_longlong:
      case tk_ulonglong:
        return zero(64);
      case tk_short:
      case tk_ushort:
        return zero(16);
      case tk_boolean:
      case tk_char:
      case tk_octet:
      case tk_int8:
        return zero(8);
      default:  // numbers of 32 bits, and lengths of sequences and maps
        return zero(32);
    }
  }

  void zero(std::uint32_t bits) {
    if (bits <= 8) return out_.write(std::uint8_t{0});
    if (bits <= 16) return out_.write(std::uint16_t{0});
    if (bits <= 32) return out_.write(std::uint32_t{0});
    out_.write(std::uint64_t{0});
  }

  static constexpr std::size_t octets_per_part = 16;  // the largest basic type

  Encoder& out_;
  std::unordered_map<const TypeNode*, std::int64_t> unused_;  // labels
  std::uint64_t parts_left_ = components_max;
  std::uint32_t levels_left_ = levels_max;
};

/// The values among which a label that is not in use is searched. They are all values of the
/// discriminator, or more values than a TypeCode can have labels.
struct Candidates {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

Candidates candidates_of(const TypeNode& type) {
  switch (type.kind) {
    case tk_boolean:
      return {0, 1};
    case tk_char:
    case tk_octet:
      return {0, 255};
    case tk_int8:
      return {-128, 127};
    case tk_enum:
      return {0, static_cast<std::int64_t>(type.members.size()) - 1};
    case tk_short:
      return {-32768, 32767};
    case tk_ushort:
      return {0, 65535};
    default:  // a TypeCode has fewer members
      return {0, std::int64_t{1} << 20};
  }
}

}  // namespace

void require_supported(const TypeNode& named) {
  const TypeNode& type = cdr::unaliased(named);
  switch (type.kind) {
    case tk_Principal:
    case tk_native:
    case tk_component:
    case tk_home:
    case tk_event:
    case tk_recursive:
      refuse("there are no DynAnys of kind " + std::string(cdr::_enumerator_name(type.kind)) +
             ": " + text_of(type));
    default:
      return;
  }
}

CORBA::Any default_value(const TypeRef& type, const References& references) {
  const TypeNode& plain = cdr::unaliased(*type.node);
  CORBA::Any any;
  switch (plain.kind) {
    case tk_null:
    case tk_void:
      any::Access::set(any, *type.node, nullptr, type.owner);
      return any;
    case tk_local_interface:
      return reference_value(type, nullptr);
    case tk_value:
    case tk_value_box:
      return kept_value(type, nullptr);
    case tk_abstract_interface:
      return abstract_value(type, nullptr);
    default:
      return make_value(type, references,
                        [&](Encoder& encoder) { DefaultWriter(encoder).value(*type.node); });
  }
}

std::optional<std::int64_t> unused_label(const TypeNode& type) {
  std::unordered_set<std::int64_t> labels;
  for (std::size_t index = 0; index != type.members.size(); ++index)
    if (static_cast<std::int32_t>(index) != type.default_index)
      labels.insert(type.members[index].label);
  const TypeNode& discriminator = cdr::unaliased(*type.content);
  if (discriminator.kind == tk_valued_enum) {
    for (const TypeMember& member : discriminator.members)
      if (!labels.contains(member.label)) return member.label;
    return std::nullopt;
  }
  const Candidates candidates = candidates_of(discriminator);
  for (std::int64_t label = std::max<std::int64_t>(candidates.first, 0); label <= candidates.last;
       ++label)
    if (!labels.contains(label)) return label;
  for (std::int64_t label = candidates.first; label < 0; ++label)
    if (!labels.contains(label)) return label;
  return std::nullopt;
}

}  // namespace perigee::dynamic
