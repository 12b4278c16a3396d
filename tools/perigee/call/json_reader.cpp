// Converts JSON to a CORBA value: fills a DynAny of the type, member by member.
#include "call/json_reader.h"

#include "base/nearest_name.h"
#include "call/dyn_any_access.h"
#include "call/json_numbers.h"
#include "call/json_text.h"
#include <perigee/base/printable.h>
#include <perigee/orb/any_operators.h>

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace perigee::tool {

using CORBA::TCKind;
using json = nlohmann::ordered_json;

namespace {

const std::string& text_of(const json& value, const char* expected, const JsonPath& path) {
  if (!value.is_string()) fail_expected(path, expected, value);
  return value.get_ref<const std::string&>();
}

void check_bound(std::size_t size, std::uint32_t bound, const char* unit, const JsonPath& path) {
  if (bound != 0 && size > bound)
    path.fail("the value has " + std::to_string(size) + ' ' + unit + ", and its bound is " +
              std::to_string(bound));
}

/// Whether the elements are octets. Then base64 can stand for them, and one vector sets them all.
bool is_octets(const CORBA::TypeCode& sequence) {
  return unaliased(sequence.content_type())->kind() == TCKind::tk_octet;
}

std::vector<std::uint8_t> octets_of(const json& value, const JsonPath& path) {
  if (value.is_array()) {
    std::vector<std::uint8_t> octets;
    for (const json& each : value) octets.push_back(integer_of<std::uint8_t>(each, path));
    return octets;
  }
  const std::string& text = text_of(value, "base64, or an array of numbers,", path);
  auto octets = from_base64(text);
  if (!octets) path.fail("the string is not base64");
  return std::move(*octets);
}

}  // namespace

JsonReader::JsonReader(const CORBA::object_reference<CORBA::ORB>& orb, Interfaces& types)
    : orb_(orb), factory_(DynamicAny::factory_of(orb)), types_(types) {}

CORBA::Any JsonReader::read(const json& value, const TypeCodeRef& type, const std::string& name) {
  JsonPath path(name);
  try {
    const DynAnyRef place = factory_->create_dyn_any_from_type_code(type);
    fill(place, value, path);
    return place->to_any();
  } catch (const DynamicAny::DynAnyFactory::InconsistentTypeCode&) {
    path.fail("values of type " + type->_text() + " have no form in JSON");
  }
}

void JsonReader::fill(const DynAnyRef& place, const json& value, JsonPath& path) {
  const TypeCodeRef type = unaliased(place->type());
  switch (type->kind()) {
    case TCKind::tk_struct:
    case TCKind::tk_except:
      return fill_struct(narrowed<DynamicAny::DynStruct>(place), value, path);
    case TCKind::tk_union:
      return fill_union(narrowed<DynamicAny::DynUnion>(place), *type, value, path);
    case TCKind::tk_sequence:
      return fill_sequence(narrowed<DynamicAny::DynSequence>(place), *type, value, path);
    case TCKind::tk_array:
      return fill_array(narrowed<DynamicAny::DynArray>(place), *type, value, path);
    case TCKind::tk_value:
      return fill_value(narrowed<DynamicAny::DynValue>(place), value, path);
    case TCKind::tk_value_box:
      return fill_box(narrowed<DynamicAny::DynValueBox>(place), value, path);
    case TCKind::tk_enum:
    case TCKind::tk_valued_enum: {
      const std::string& name = text_of(value, "the name of an enumerator", path);
      std::vector<std::string> names;
      for (const cdr::TypeMember& member : type->_node()->members) {
        if (member.name == name) return narrowed<DynamicAny::DynEnum>(place).set_as_string(name);
        names.emplace_back(member.name);
      }
      path.fail("there is no enumerator " + printable(name) + did_you_mean(name, names));
    }
    case TCKind::tk_fixed: {
      if (value.is_number_float())  // JSON has rounded it
        path.fail("a fraction of type fixed must be a string, so that no digit is lost: \"12.30\"");
      const std::string text = value.is_number() ? value.dump() : text_of(value, "a number", path);
      try {
        if (narrowed<DynamicAny::DynFixed>(place).set_value(text)) return;
        path.fail(printable(text) + " has more than " + std::to_string(type->fixed_scale()) +
                  " digits after the point");
      } catch (const DynamicAny::DynAny::TypeMismatch&) {
        fail_expected(path, "a decimal number", value);
      } catch (const DynamicAny::DynAny::InvalidValue&) {
        path.fail(printable(text) + " does not fit into " + type->_text());
      }
    }
    default:
      return fill_basic(*place, *type, value, path);
  }
}

namespace {

void fill_text(DynamicAny::DynAny& place, const CORBA::TypeCode& type, const json& value,
               const JsonPath& path) {
  if (type.kind() == TCKind::tk_char) {
    const std::string& text = text_of(value, "a string with one character", path);
    if (text.size() != 1) fail_expected(path, "a string with one character of ASCII", value);
    return place.insert_char(text.front());
  }
  if (type.kind() == TCKind::tk_wchar) {
    const std::wstring text = to_wide(text_of(value, "a string with one character", path));
    if (text.size() != 1) fail_expected(path, "a string with one character", value);
    return place.insert_wchar(text.front());
  }
  const std::string& text = text_of(value, "a string", path);
  if (text.contains('\0')) path.fail("the string has a NUL inside, which IDL does not allow");
  if (type.kind() == TCKind::tk_string) {
    check_bound(text.size(), type.length(), "octets", path);
    return place.insert_string(text);
  }
  const std::wstring wide = to_wide(text);
  check_bound(wide.size(), type.length(), "characters", path);
  place.insert_wstring(wide);
}

/// The unsigned integer of a bitmask or a bitset.
void fill_flags(DynamicAny::DynAny& place, const cdr::TypeNode& type, const json& value,
                const JsonPath& path) {
  const std::uint64_t flags = flags_of(value, type, path);
  const std::uint32_t bits = type.bound;
  if (bits < 64 && flags >> bits != 0)
    path.fail(std::to_string(flags) + " has more than " + std::to_string(bits) + " bits");
  if (bits <= 8) return place.insert_octet(static_cast<std::uint8_t>(flags));
  if (bits <= 16) return place.insert_ushort(static_cast<std::uint16_t>(flags));
  if (bits <= 32) return place.insert_ulong(static_cast<std::uint32_t>(flags));
  place.insert_ulonglong(flags);
}

}  // namespace

void JsonReader::fill_basic(DynamicAny::DynAny& place, const CORBA::TypeCode& type,
                            const json& value, JsonPath& path) {
  switch (type.kind()) {
    case TCKind::tk_boolean:
      if (!value.is_boolean()) fail_expected(path, "true or false", value);
      return place.insert_boolean(value.get<bool>());
    case TCKind::tk_octet:
      return place.insert_octet(integer_of<std::uint8_t>(value, path));
    case TCKind::tk_int8:
      return place.insert_int8(integer_of<std::int8_t>(value, path));
    case TCKind::tk_short:
      return place.insert_short(integer_of<std::int16_t>(value, path));
    case TCKind::tk_ushort:
      return place.insert_ushort(integer_of<std::uint16_t>(value, path));
    case TCKind::tk_long:
      return place.insert_long(integer_of<std::int32_t>(value, path));
    case TCKind::tk_ulong:
      return place.insert_ulong(integer_of<std::uint32_t>(value, path));
    case TCKind::tk_longlong:
      return place.insert_longlong(integer_of<std::int64_t>(value, path));
    case TCKind::tk_ulonglong:
      return place.insert_ulonglong(integer_of<std::uint64_t>(value, path));
    case TCKind::tk_float:
      return place.insert_float(narrowed_real<float>(value, path));
    case TCKind::tk_double:
      return place.insert_double(narrowed_real<double>(value, path));
    case TCKind::tk_longdouble:
      return place.insert_longdouble(real_of(value, path));
    case TCKind::tk_char:
    case TCKind::tk_wchar:
    case TCKind::tk_string:
    case TCKind::tk_wstring:
      return fill_text(place, type, value, path);
    case TCKind::tk_any:
      return place.insert_any(any_of(value, path));
    case TCKind::tk_TypeCode:
      try {
        return place.insert_typecode(types_.type_of(text_of(value, "the name of a type", path)));
      } catch (const InterfaceError& error) {
        path.fail(error.what());
      }
    case TCKind::tk_objref:
      return place.insert_reference(reference_of(value, path));
    case TCKind::tk_bitmask:
    case TCKind::tk_bitset:
      return fill_flags(place, *type._node(), value, path);
    default:
      path.fail("values of type " + type._text() + " have no form in JSON");
  }
}

void JsonReader::fill_struct(DynamicAny::DynMembers& place, const json& value, JsonPath& path) {
  if (!value.is_object()) fail_expected(path, "an object", value);
  const DynamicAny::NameDynAnyPairSeq members = place.get_members_as_dyn_any();
  std::set<std::string> names;
  for (const auto& member : members) names.insert(member.id());
  for (const auto& [name, unused] : value.items())
    if (!names.contains(name))
      path.fail("there is no member " + printable(name) + did_you_mean(name, names));
  for (const auto& member : members) {
    const JsonPath::Step step(path, member.id());
    const auto found = value.find(member.id());
    if (found == value.end()) path.fail("the member is missing");
    fill(member.value(), *found, path);
  }
}

void JsonReader::fill_union(DynamicAny::DynUnion& place, const CORBA::TypeCode& type,
                            const json& value, JsonPath& path) {
  const json* label = nullptr;
  const json* member = nullptr;
  std::string name;
  if (!value.is_object()) fail_expected(path, "an object", value);
  for (const auto& [key, inner] : value.items()) {
    if (key == "_d") {
      label = &inner;
    } else if (member == nullptr) {
      member = &inner;
      name = key;
    } else {
      path.fail("a union has one member, not both " + printable(name) + " and " + printable(key));
    }
  }
  if (label != nullptr) {
    const JsonPath::Step step(path, "_d");
    fill(place.get_discriminator(), *label, path);
  } else if (member != nullptr) {
    select_by_name(place, type, name, path);
  } else {
    path.fail("the union needs a member, or the label \"_d\"");
  }
  if (place.has_no_active_member()) {
    if (member != nullptr)
      path.fail("this label selects no member, so " + printable(name) + " must be left out");
    return;
  }
  if (member == nullptr) path.fail("the member " + place.member_name() + " is missing");
  if (place.member_name() != name)
    path.fail("this label selects the member " + place.member_name() + ", not " + printable(name));
  const JsonPath::Step step(path, name);
  fill(place.member(), *member, path);
}

void JsonReader::select_by_name(DynamicAny::DynUnion& place, const CORBA::TypeCode& type,
                                const std::string& member, JsonPath& path) {
  std::vector<std::string> names;
  for (std::uint32_t index = 0; index < type.member_count(); ++index) {
    names.push_back(type.member_name(index));
    if (names.back() != member) continue;
    if (type.default_index() == static_cast<std::int32_t>(index))
      return place.set_to_default_member();
    return place.set_discriminator(factory_->create_dyn_any(type.member_label(index)));
  }
  path.fail("there is no member " + printable(member) + did_you_mean(member, names));
}

void JsonReader::fill_sequence(DynamicAny::DynSequence& place, const CORBA::TypeCode& type,
                               const json& value, JsonPath& path) {
  if (is_octets(type)) {
    const auto octets = octets_of(value, path);
    check_bound(octets.size(), type.length(), "octets", path);
    return place.insert_octet_seq(octets);
  }
  if (!value.is_array()) fail_expected(path, "an array", value);
  check_bound(value.size(), type.length(), "elements", path);
  place.set_length(static_cast<std::uint32_t>(value.size()));
  fill_elements(place, value, path);
}

void JsonReader::fill_array(DynamicAny::DynArray& place, const CORBA::TypeCode& type,
                            const json& value, JsonPath& path) {
  const auto check_length = [&](std::size_t size) {
    if (size != type.length())
      path.fail("the array needs " + std::to_string(type.length()) + " elements, not " +
                std::to_string(size));
  };
  if (is_octets(type)) {
    const auto octets = octets_of(value, path);
    check_length(octets.size());
    return place.insert_octet_seq(octets);
  }
  if (!value.is_array()) fail_expected(path, "an array", value);
  check_length(value.size());
  fill_elements(place, value, path);
}

void JsonReader::fill_elements(DynamicAny::DynElements& place, const json& value, JsonPath& path) {
  for (std::size_t index = 0; index < value.size(); ++index) {
    const JsonPath::Step step(path, index);
    place.seek(static_cast<std::int32_t>(index));
    fill(place.current_component(), value[index], path);
  }
}

void JsonReader::fill_value(DynamicAny::DynValue& place, const json& value, JsonPath& path) {
  if (value.is_null()) return place.set_to_null();
  place.set_to_value();
  try {
    fill_struct(place, value, path);
  } catch (const CORBA::NO_IMPLEMENT&) {
    path.fail("values of a custom valuetype have no form in JSON");
  }
}

void JsonReader::fill_box(DynamicAny::DynValueBox& place, const json& value, JsonPath& path) {
  if (value.is_null()) return place.set_to_null();
  place.set_to_value();
  fill(place.get_boxed_value_as_dyn_any(), value, path);
}

// {"type": …, "value": …}. A plain number, string or boolean has the type that fits it.
CORBA::Any JsonReader::any_of(const json& value, JsonPath& path) {
  CORBA::Any any;
  if (value.is_null()) return any;
  TypeCodeRef type;
  const json* inner = &value;
  try {
    if (value.is_boolean()) {
      type = types_.type_of("boolean");
    } else if (value.is_string()) {
      type = types_.type_of("string");
    } else if (value.is_number_float()) {
      type = types_.type_of("double");
    } else if (value.is_number()) {
      const bool is_small = value.is_number_unsigned()
                                ? std::in_range<std::int32_t>(value.get<std::uint64_t>())
                                : std::in_range<std::int32_t>(value.get<std::int64_t>());
      type = types_.type_of(is_small ? "long" : "long long");
    } else if (value.is_object() && value.size() == 2 && value.contains("type") &&
               value.contains("value")) {
      type = types_.type_of(text_of(value["type"], "the name of a type", path));
      inner = &value["value"];
    } else {
      fail_expected(path, R"(a simple value, or {"type": …, "value": …})", value);
    }
  } catch (const InterfaceError& error) {
    path.fail(error.what());
  }
  const JsonPath::Step step(path, "value");
  try {
    const DynAnyRef place = factory_->create_dyn_any_from_type_code(type);
    fill(place, *inner, path);
    return place->to_any();
  } catch (const DynamicAny::DynAnyFactory::InconsistentTypeCode&) {
    path.fail("values of type " + type->_text() + " have no form in JSON");
  }
}

CORBA::object_reference<CORBA::Object> JsonReader::reference_of(const json& value, JsonPath& path) {
  if (value.is_null()) return nullptr;
  const std::string& text = text_of(value, "a reference, or null,", path);
  try {
    return orb_->string_to_object(text);
  } catch (const CORBA::SystemException& exception) {
    path.fail(exception.detail().empty() ? exception.what() : exception.detail());
  }
}

}  // namespace perigee::tool
