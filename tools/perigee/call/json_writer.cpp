// Converts a CORBA value to JSON: takes a DynAny apart, member by member.
#include "call/json_writer.h"

#include "call/dyn_any_access.h"
#include "call/interfaces.h"
#include "call/json_numbers.h"
#include "call/json_text.h"

#include <cstdint>
#include <span>

namespace perigee::tool {

using CORBA::TCKind;
using json = nlohmann::ordered_json;

JsonWriter::JsonWriter(const CORBA::object_reference<CORBA::ORB>& orb)
    : orb_(orb), factory_(DynamicAny::factory_of(orb)) {}

json JsonWriter::write(const CORBA::Any& value, const std::string& name) {
  JsonPath path(name);
  try {
    return json_of(factory_->create_dyn_any(value), path);
  } catch (const DynamicAny::DynAnyFactory::InconsistentTypeCode&) {
    path.fail("values of type " + value.type()->_text() + " have no form in JSON");
  }
}

json JsonWriter::json_of(const DynAnyRef& value, JsonPath& path) {
  const TypeCodeRef type = unaliased(value->type());
  switch (type->kind()) {
    case TCKind::tk_struct:
    case TCKind::tk_except:
      return json_of_members(narrowed<DynamicAny::DynStruct>(value), path);
    case TCKind::tk_union:
      return json_of_union(narrowed<DynamicAny::DynUnion>(value), path);
    case TCKind::tk_sequence:
      return json_of_elements(narrowed<DynamicAny::DynSequence>(value), *type, path);
    case TCKind::tk_array:
      return json_of_elements(narrowed<DynamicAny::DynArray>(value), *type, path);
    case TCKind::tk_value: {
      auto& state = narrowed<DynamicAny::DynValue>(value);
      return state.is_null() ? json() : json_of_members(state, path);
    }
    case TCKind::tk_value_box: {
      auto& box = narrowed<DynamicAny::DynValueBox>(value);
      return box.is_null() ? json() : json_of(box.get_boxed_value_as_dyn_any(), path);
    }
    case TCKind::tk_enum:
    case TCKind::tk_valued_enum:
      return narrowed<DynamicAny::DynEnum>(value).get_as_string();
    case TCKind::tk_fixed:
      return narrowed<DynamicAny::DynFixed>(value).get_value();
    default:
      return json_of_basic(*value, *type, path);
  }
}

json JsonWriter::json_of_basic(DynamicAny::DynAny& value, const CORBA::TypeCode& type,
                               JsonPath& path) {
  switch (type.kind()) {
    case TCKind::tk_null:
    case TCKind::tk_void:
      return nullptr;
    case TCKind::tk_boolean:
      return value.get_boolean();
    case TCKind::tk_octet:
      return value.get_octet();
    case TCKind::tk_int8:
      return value.get_int8();
    case TCKind::tk_short:
      return value.get_short();
    case TCKind::tk_ushort:
      return value.get_ushort();
    case TCKind::tk_long:
      return value.get_long();
    case TCKind::tk_ulong:
      return value.get_ulong();
    case TCKind::tk_longlong:
      return value.get_longlong();
    case TCKind::tk_ulonglong:
      return value.get_ulonglong();
    case TCKind::tk_float:
      return json_of_float(value.get_float());
    case TCKind::tk_double:
      return json_of_real(value.get_double());
    case TCKind::tk_longdouble:
      return json_of_real(value.get_longdouble());
    case TCKind::tk_char:  // an octet above 0x7f is read as ISO-8859-1
      return from_wide(std::wstring(1, static_cast<unsigned char>(value.get_char())));
    case TCKind::tk_wchar:
      return from_wide(std::wstring(1, value.get_wchar()));
    case TCKind::tk_string: {
      std::string text = value.get_string();
      path.charge(text.size());
      return text;
    }
    case TCKind::tk_wstring: {
      std::string text = from_wide(value.get_wstring());
      path.charge(text.size());
      return text;
    }
    case TCKind::tk_any:
      return json_of_any(value.get_any(), path);
    case TCKind::tk_TypeCode:
      return Interfaces::name_of(*value.get_typecode());
    case TCKind::tk_objref:
      return json_of_reference(value.get_reference());
    case TCKind::tk_bitmask:
    case TCKind::tk_bitset: {
      const std::uint32_t bits = type._node()->bound;
      const std::uint64_t flags = bits <= 8    ? value.get_octet()
                                  : bits <= 16 ? value.get_ushort()
                                  : bits <= 32 ? value.get_ulong()
                                               : value.get_ulonglong();
      return type.kind() == TCKind::tk_bitset ? json(flags) : json_of_flags(flags, *type._node());
    }
    default:
      path.fail("values of type " + type._text() + " have no form in JSON");
  }
}

namespace {

DynamicAny::NameDynAnyPairSeq members_of(DynamicAny::DynMembers& value, const JsonPath& path) {
  try {
    return value.get_members_as_dyn_any();
  } catch (const CORBA::NO_IMPLEMENT&) {
    path.fail("values of a custom valuetype have no form in JSON");
  } catch (const CORBA::MARSHAL& exception) {
    path.fail(
        "the value cannot be written as JSON: its members cannot be read, or the value is part of "
        "a cycle: " +
        exception.detail());
  }
}

}  // namespace

json JsonWriter::json_of_members(DynamicAny::DynMembers& value, JsonPath& path) {
  json object = json::object();
  for (const auto& member : members_of(value, path)) {
    const JsonPath::Step step(path, member.id());
    object[member.id()] = json_of(member.value(), path);
  }
  return object;
}

json JsonWriter::json_of_union(DynamicAny::DynUnion& value, JsonPath& path) {
  json object{{"_d", json_of(value.get_discriminator(), path)}};
  if (value.has_no_active_member()) return object;
  const std::string name = value.member_name();
  const JsonPath::Step step(path, name);
  object[name] = json_of(value.member(), path);
  return object;
}

json JsonWriter::json_of_elements(DynamicAny::DynElements& value, const CORBA::TypeCode& type,
                                  JsonPath& path) {
  if (unaliased(type.content_type())->kind() == TCKind::tk_octet) {
    const CORBA::OctetSeq octets = value.get_octet_seq();
    path.charge(octets.size() / 3 * 4);
    return to_base64(std::as_bytes(std::span(octets)));
  }
  json array = json::array();
  std::size_t index = 0;
  for (bool more = value.seek(0); more; more = value.next()) {
    const JsonPath::Step step(path, index++);
    array.push_back(json_of(value.current_component(), path));
  }
  return array;
}

json JsonWriter::json_of_any(const CORBA::Any& value, JsonPath& path) {
  if (!value.has_value()) return nullptr;
  const JsonPath::Step step(path, "value");
  const TypeCodeRef type = value.type();
  try {
    return {{"type", Interfaces::name_of(*type)},
            {"value", json_of(factory_->create_dyn_any(value), path)}};
  } catch (const DynamicAny::DynAnyFactory::InconsistentTypeCode&) {
    path.fail("values of type " + type->_text() + " have no form in JSON");
  }
}

json JsonWriter::json_of_reference(const CORBA::object_reference<CORBA::Object>& object) const {
  if (object == nullptr) return nullptr;
  return orb_->object_to_string(object);
}

}  // namespace perigee::tool
