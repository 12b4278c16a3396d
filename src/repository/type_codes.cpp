// Makes TypeCodes with the ORB's factory. A type that is being made and is met again becomes a
// recursive placeholder, so the types in between are not remembered.
#include "repository/type_codes.h"

#include <perigee/cdr/typecode.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/typecode_factory.h>

#include <algorithm>
#include <unordered_set>

namespace perigee::repository {

namespace {

using CORBA::PrimitiveKind;

const CORBA::TypeCodeFactory& factory() {
  static const CORBA::TypeCodeFactory made;
  return made;
}

[[noreturn]] void raise_endless() {
  throw CORBA::BAD_TYPECODE(0, CORBA::COMPLETED_NO,
                            "a type contains itself without a sequence or valuetype in between, or "
                            "types are nested too deeply");
}

TypeCodeRef primitive_type(PrimitiveKind kind) {
  switch (kind) {
    case PrimitiveKind::pk_null:
      return CORBA::_tc_null;
    case PrimitiveKind::pk_void:
      return CORBA::_tc_void;
    case PrimitiveKind::pk_short:
      return CORBA::_tc_short;
    case PrimitiveKind::pk_long:
      return CORBA::_tc_long;
    case PrimitiveKind::pk_ushort:
      return CORBA::_tc_ushort;
    case PrimitiveKind::pk_ulong:
      return CORBA::_tc_ulong;
    case PrimitiveKind::pk_float:
      return CORBA::_tc_float;
    case PrimitiveKind::pk_double:
      return CORBA::_tc_double;
    case PrimitiveKind::pk_boolean:
      return CORBA::_tc_boolean;
    case PrimitiveKind::pk_char:
      return CORBA::_tc_char;
    case PrimitiveKind::pk_octet:
      return CORBA::_tc_octet;
    case PrimitiveKind::pk_any:
      return CORBA::_tc_any;
    case PrimitiveKind::pk_TypeCode:
      return CORBA::_tc_TypeCode;
    case PrimitiveKind::pk_string:
      return CORBA::_tc_string;
    case PrimitiveKind::pk_objref:
      return CORBA::_tc_Object;
    case PrimitiveKind::pk_longlong:
      return CORBA::_tc_longlong;
    case PrimitiveKind::pk_ulonglong:
      return CORBA::_tc_ulonglong;
    case PrimitiveKind::pk_longdouble:
      return CORBA::_tc_longdouble;
    case PrimitiveKind::pk_wchar:
      return CORBA::_tc_wchar;
    case PrimitiveKind::pk_wstring:
      return CORBA::_tc_wstring;
    case PrimitiveKind::pk_value_base:
      return CORBA::TypeCodeConstant(&cdr::value_base_node);
    default:
      throw CORBA::BAD_TYPECODE(0, CORBA::COMPLETED_NO, "this primitive type has no TypeCode");
  }
}

/// One computation. `open_` has the types that are being made, the outermost first.
class Making final {
 public:
  explicit Making(Store& store) noexcept : store_(store) {}

  /// The number of types in the TypeCodes, each as often as it is written out.
  [[nodiscard]] std::size_t parts() const noexcept { return parts_; }

  TypeCodeRef make(Definition& definition) {
    if (definition.known_state == store_.state() && definition.known_type) return known(definition);
    // A typedef or a sequence that is met again is written out again.
    const auto open =
        can_recur(definition.kind) ? std::ranges::find(open_, &definition) : open_.end();
    if (open != open_.end()) return placeholder(static_cast<std::size_t>(open - open_.begin()));
    if (open_.size() >= store_.limits().depth_max) raise_endless();
    if (++made_ > parts_max)
      throw CORBA::IMP_LIMIT(0, CORBA::COMPLETED_NO, "the TypeCode has too many parts");
    const std::size_t outer = lowest_;
    const std::size_t own = open_.size();
    const std::size_t outer_deepest = deepest_;
    const std::size_t outer_parts = parts_++;
    lowest_ = own;
    open_.push_back(&definition);
    deepest_ = open_.size();
    TypeCodeRef made = make_new(definition);
    open_.pop_back();
    if (lowest_ >= own) {  // without placeholders for outer types
      definition.known_type = made;
      definition.known_state = store_.state();
      definition.known_parts = parts_ - outer_parts;
      definition.known_depth = deepest_ - own;
    }
    deepest_ = std::max(deepest_, outer_deepest);
    lowest_ = std::min(lowest_, outer);
    return made;
  }

 private:
  TypeCodeRef known(const Definition& definition) {
    const std::size_t depth = open_.size() + definition.known_depth;
    if (depth > store_.limits().depth_max) raise_endless();
    deepest_ = std::max(deepest_, depth);
    parts_ += definition.known_parts;
    return definition.known_type;
  }

  /// CORBA 3.0, 3.11.2: recursion is allowed only through sequences, and in valuetypes.
  TypeCodeRef placeholder(std::size_t index) {
    const Definition& outer = *open_[index];
    const auto breaks = [](const Definition* between) {
      return between->kind == Kind::dk_Sequence || between->kind == Kind::dk_Value;
    };
    const bool is_allowed =
        std::any_of(open_.begin() + static_cast<std::ptrdiff_t>(index), open_.end(), breaks);
    if (!is_allowed) raise_endless();
    lowest_ = std::min(lowest_, index);
    return factory().create_recursive_tc(outer.id);
  }

  /// A definition that is still without details has no type.
  static Definition& used_by(const Definition& user, Definition* type) {
    if (type == nullptr)
      throw CORBA::BAD_TYPECODE(0, CORBA::COMPLETED_NO,
                                "the definition of " + user.id + " is not complete");
    return *type;
  }

  CORBA::StructMemberSeq members(const Definition& user) {
    CORBA::StructMemberSeq result;
    for (const Part& part : user.parts)
      result.emplace_back(part.name, make(used_by(user, part.type)));
    return result;
  }

  TypeCodeRef make_union(const Definition& made) {
    CORBA::UnionMemberSeq members;
    for (const Part& part : made.parts)
      members.emplace_back(part.name, part.label, make(used_by(made, part.type)));
    return factory().create_union_tc(made.id, made.name, make(used_by(made, made.type)), members);
  }

  TypeCodeRef make_value(const Definition& made) {
    CORBA::ValueMemberSeq members;
    for (Definition* content : made.contents)
      if (content->kind == Kind::dk_ValueMember)
        members.emplace_back(content->name, content->id, made.id, content->version,
                             make(used_by(*content, content->type)), nullptr, content->access);
    const CORBA::ValueModifier modifier = made.is_custom        ? CORBA::VM_CUSTOM
                                          : made.is_abstract    ? CORBA::VM_ABSTRACT
                                          : made.is_truncatable ? CORBA::VM_TRUNCATABLE
                                                                : CORBA::VM_NONE;
    const TypeCodeRef base = made.base_value == nullptr ? nullptr : make(*made.base_value);
    return factory().create_value_tc(made.id, made.name, modifier, base, members);
  }

  TypeCodeRef make_new(const Definition& made) {
    switch (made.kind) {
      case Kind::dk_Primitive:
        return primitive_type(made.primitive);
      case Kind::dk_String:
        return factory().create_string_tc(made.bound);
      case Kind::dk_Wstring:
        return factory().create_wstring_tc(made.bound);
      case Kind::dk_Fixed:
        return factory().create_fixed_tc(made.digits, made.scale);
      case Kind::dk_Sequence:
        return factory().create_sequence_tc(made.bound, make(used_by(made, made.type)));
      case Kind::dk_Array:
        return factory().create_array_tc(made.bound, make(used_by(made, made.type)));
      case Kind::dk_Alias:
        return factory().create_alias_tc(made.id, made.name, make(used_by(made, made.type)));
      case Kind::dk_ValueBox:
        return factory().create_value_box_tc(made.id, made.name, make(used_by(made, made.type)));
      case Kind::dk_Native:
        return factory().create_native_tc(made.id, made.name);
      case Kind::dk_Enum:
        return factory().create_enum_tc(made.id, made.name, made.names);
      case Kind::dk_Struct:
        return factory().create_struct_tc(made.id, made.name, members(made));
      case Kind::dk_Exception:
        return factory().create_exception_tc(made.id, made.name, members(made));
      case Kind::dk_Union:
        return make_union(made);
      case Kind::dk_Value:
        return make_value(made);
      case Kind::dk_Interface:
        return factory().create_interface_tc(made.id, made.name);
      case Kind::dk_AbstractInterface:
        return factory().create_abstract_interface_tc(made.id, made.name);
      case Kind::dk_LocalInterface:
        return factory().create_local_interface_tc(made.id, made.name);
      default:
        raise_endless();
    }
  }

  /// Types that refer to each other in many ways could have an endless number of paths.
  static constexpr std::size_t parts_max = 20'000;

  static bool can_recur(Kind kind) noexcept {
    return kind == Kind::dk_Struct || kind == Kind::dk_Union || kind == Kind::dk_Value;
  }

  Store& store_;
  std::size_t made_ = 0;
  std::size_t parts_ = 0;
  std::vector<const Definition*> open_;
  std::size_t deepest_ = 0;  ///< the largest size of `open_` in the present type
  std::size_t lowest_ = 0;   ///< the outermost type with a placeholder in the present type
};

/// Whether the TypeCodes of its users have the TypeCode of the definition inside.
bool is_inside_others(Kind kind) {
  return kind == Kind::dk_ValueMember || (is_type(kind) && !is_interface(kind));
}

bool has_type_code(Kind kind) { return is_type(kind) || kind == Kind::dk_Exception; }

/// The definitions whose TypeCodes depend on that of the changed one, which is the first.
std::vector<Definition*> dependent_on(Definition& changed) {
  std::vector<Definition*> result = {&changed};
  std::unordered_set<const Definition*> known = {&changed};
  const auto add = [&](Definition* one) {
    if (known.insert(one).second) result.push_back(one);
  };
  for (std::size_t index = 0; index < result.size(); ++index) {
    const Definition& one = *result[index];
    if (!is_inside_others(one.kind)) continue;
    for (const auto& [user, count] : one.users) add(user);
    if (one.kind == Kind::dk_ValueMember) add(one.container);
  }
  return result;
}

bool has_id(CORBA::TCKind kind) {
  switch (kind) {
    case CORBA::TCKind::tk_objref:
    case CORBA::TCKind::tk_struct:
    case CORBA::TCKind::tk_union:
    case CORBA::TCKind::tk_enum:
    case CORBA::TCKind::tk_alias:
    case CORBA::TCKind::tk_except:
    case CORBA::TCKind::tk_value:
    case CORBA::TCKind::tk_value_box:
    case CORBA::TCKind::tk_native:
    case CORBA::TCKind::tk_abstract_interface:
    case CORBA::TCKind::tk_local_interface:
      return true;
    default:
      return false;
  }
}

}  // namespace

TypeCodeRef type_code(Store& store, Definition& definition) {
  return Making(store).make(definition);
}

void check_dependent_types(Store& store, Definition& changed) {
  constexpr std::size_t all_parts_max = 1'000'000;  // they are copied while the lock is held
  std::size_t parts = 0;
  for (Definition* one : dependent_on(changed)) {
    if (!has_type_code(one->kind)) continue;
    Making making(store);
    (void)making.make(*one);
    parts += making.parts();
    if (parts > all_parts_max)
      throw CORBA::IMP_LIMIT(0, CORBA::COMPLETED_NO, "too many types depend on the definition");
  }
}

// CORBA 3.0, 10.5.7.
TypeCodeRef canonical(Store& store, const TypeCodeRef& type) {
  if (!type) raise_bad_param(0, "get_canonical_typecode: the TypeCode is nil");
  const CORBA::TCKind kind = type->kind();
  if (kind == CORBA::TCKind::tk_sequence)
    return factory().create_sequence_tc(type->length(), canonical(store, type->content_type()));
  if (kind == CORBA::TCKind::tk_array)
    return factory().create_array_tc(type->length(), canonical(store, type->content_type()));
  if (!has_id(kind)) return type;
  Definition* found = store.find_id(type->id());
  if (found == nullptr || (!is_type(found->kind) && found->kind != Kind::dk_Exception)) return type;
  const TypeCodeRef known = type_code(store, *found);
  return known->equivalent(type) ? known : type;
}

}  // namespace perigee::repository
