// First all definitions, then their details: definitions refer to each other in cycles.
#include "repository/embedded_reader.h"

#include "repository/type_codes.h"
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/marshalling.h>

#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>

namespace perigee::repository {

namespace {

enum class TypeTag : std::uint8_t { primitive, defined, string, wstring, sequence, array, fixed };
enum class ValueTag : std::uint8_t { by_default, integer, real, text, enumerator };

[[noreturn]] void throw_malformed() {
  throw CORBA::INITIALIZE(0, CORBA::COMPLETED_NO,
                          "an embedded description is malformed; generate it again by the "
                          "perigee-idl of this version");
}

[[noreturn]] void raise_contradiction(const std::string& id) {
  raise_bad_param(2, "two embedded descriptions have different definitions of " + id +
                         "; build all parts of the program with the same IDL");
}

/// The repository id of a definition inside another one: "IDL:Stock/Quoter/get:1.0".
std::string usual_id(const std::string& owner, const std::string& name) {
  if (owner.empty()) return "IDL:" + name + ":1.0";
  const std::size_t colon = owner.rfind(':');
  if (!owner.starts_with("IDL:") || colon <= 3) return owner + "/" + name;
  return owner.substr(0, colon) + "/" + name + owner.substr(colon);
}

/// "2.1" of "IDL:Stock:2.1"; "1.0" if the id has no version.
std::string version_of(const std::string& id) {
  const std::size_t colon = id.rfind(':');
  const bool has_version = id.starts_with("IDL:") && colon > 3 && colon + 1 < id.size();
  return has_version ? id.substr(colon + 1) : "1.0";
}

/// Whether the details have labels or the value of a constant.
bool has_values(Kind kind) { return kind == Kind::dk_Union || kind == Kind::dk_Constant; }

cdr::TypeKind unaliased_kind(const TypeCodeRef& type) {
  return cdr::unaliased(*type->_node()).kind;
}

CORBA::Any any_of_enumerator(const TypeCodeRef& type, std::uint64_t ordinal) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder << type;
  encoder.write_enum(static_cast<std::uint32_t>(ordinal));
  const Octets octets = buffer.flatten();
  cdr::Decoder decoder(octets, encoder.order());
  CORBA::Any any;
  decoder >> any;
  if (!decoder.ok()) throw_malformed();
  return any;
}

template <typename T>
CORBA::Any any_of(const TypeCodeRef& type, const T& value) {
  CORBA::Any any;
  any <<= value;
  any.type(type);  // the typedef, if it is one
  return any;
}

CORBA::Any any_of_integer(const TypeCodeRef& type, std::uint64_t value) {
  using enum cdr::TypeKind;
  switch (unaliased_kind(type)) {
    case tk_boolean:
      return any_of(type, value != 0);
    case tk_char:
      return any_of(type, static_cast<char>(value));
    case tk_wchar:
      return any_of(type, static_cast<wchar_t>(value));
    case tk_octet:
      return any_of(type, static_cast<std::uint8_t>(value));
    case tk_short:
      return any_of(type, static_cast<std::int16_t>(value));
    case tk_ushort:
      return any_of(type, static_cast<std::uint16_t>(value));
    case tk_long:
      return any_of(type, static_cast<std::int32_t>(value));
    case tk_ulong:
      return any_of(type, static_cast<std::uint32_t>(value));
    case tk_longlong:
      return any_of(type, static_cast<std::int64_t>(value));
    case tk_ulonglong:
      return any_of(type, value);
    default:
      throw_malformed();
  }
}

CORBA::Any any_of_real(const TypeCodeRef& type, double value) {
  if (unaliased_kind(type) == cdr::TypeKind::tk_float)
    return any_of(type, static_cast<float>(value));
  if (unaliased_kind(type) != cdr::TypeKind::tk_double) throw_malformed();
  return any_of(type, value);
}

}  // namespace

std::uint64_t EmbeddedReader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) throw_malformed();
    const std::uint8_t octet = rest_.front();
    rest_ = rest_.subspan(1);
    content_ += static_cast<char>(octet);
    value |= static_cast<std::uint64_t>(octet & 0x7f) << shift;
    if (octet < 0x80) return value;
  }
  throw_malformed();
}

/// Each element has at least one octet.
std::size_t EmbeddedReader::count() {
  const std::uint64_t value = number();
  if (value > rest_.size()) throw_malformed();
  return static_cast<std::size_t>(value);
}

std::uint32_t EmbeddedReader::bound() {
  const std::uint64_t value = number();
  if (value > std::numeric_limits<std::uint32_t>::max()) throw_malformed();
  return static_cast<std::uint32_t>(value);
}

std::string EmbeddedReader::text() {
  const std::size_t size = count();
  std::string value(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(size));
  rest_ = rest_.subspan(size);
  content_ += value;
  return value;
}

Definition* EmbeddedReader::optional_reference() {
  const std::size_t content_size = content_.size();
  const std::uint64_t position = number();
  if (position > definitions_.size()) throw_malformed();
  Definition* const definition =
      position == 0 ? nullptr : definitions_[static_cast<std::size_t>(position) - 1];
  // The same definition has other positions in other descriptions.
  content_.resize(content_size);
  if (definition != nullptr) content_ += definition->id;
  content_ += '\0';
  return definition;
}

Definition& EmbeddedReader::reference() {
  Definition* const definition = optional_reference();
  if (definition == nullptr) throw_malformed();
  return *definition;
}

std::vector<Definition*> EmbeddedReader::references() {
  std::vector<Definition*> all(count());
  for (Definition*& each : all) each = &reference();
  return all;
}

Definition& EmbeddedReader::unnamed(Definition prepared) {
  if (skips_) return store_.primitive(CORBA::PrimitiveKind::pk_void);
  return store_.add_anonymous(std::make_unique<Definition>(std::move(prepared)));
}

Definition& EmbeddedReader::type() {
  Definition made;
  switch (static_cast<TypeTag>(number())) {
    case TypeTag::primitive: {
      const std::uint64_t primitive = number();
      if (primitive > static_cast<std::uint64_t>(CORBA::PrimitiveKind::pk_value_base))
        throw_malformed();
      return store_.primitive(static_cast<CORBA::PrimitiveKind>(primitive));
    }
    case TypeTag::defined:
      return reference();
    case TypeTag::string:
      made.kind = Kind::dk_String;
      made.bound = bound();
      return unnamed(std::move(made));
    case TypeTag::wstring:
      made.kind = Kind::dk_Wstring;
      made.bound = bound();
      return unnamed(std::move(made));
    case TypeTag::sequence:
      made.kind = Kind::dk_Sequence;
      made.bound = bound();
      made.type = &type();
      return unnamed(std::move(made));
    case TypeTag::array:
      made.kind = Kind::dk_Array;
      made.bound = bound();
      made.type = &type();
      return unnamed(std::move(made));
    case TypeTag::fixed:
      made.kind = Kind::dk_Fixed;
      made.digits = static_cast<std::uint16_t>(number());
      made.scale = static_cast<std::int16_t>(number());
      return unnamed(std::move(made));
  }
  throw_malformed();
}

std::vector<Part> EmbeddedReader::members() {
  std::vector<Part> all(count());
  for (Part& each : all) {
    each.name = text();
    each.type = &type();
  }
  return all;
}

std::vector<Part> EmbeddedReader::parameters() {
  std::vector<Part> all(count());
  for (Part& each : all) {
    each.name = text();
    each.type = &type();
    const std::uint64_t mode = number();
    if (mode > static_cast<std::uint64_t>(CORBA::ParameterMode::PARAM_INOUT)) throw_malformed();
    each.mode = static_cast<CORBA::ParameterMode>(mode);
  }
  return all;
}

CORBA::Any EmbeddedReader::value(Definition& type, bool may_be_default) {
  const auto tag = static_cast<ValueTag>(number());
  const bool is_text = tag == ValueTag::real || tag == ValueTag::text;
  const std::string words = is_text ? text() : std::string();
  const std::uint64_t integer = is_text || tag == ValueTag::by_default ? 0 : number();
  if (skips_) return {};
  if (tag == ValueTag::by_default) {  // CORBA 3.0, 10.5.12: the default label is an octet
    if (!may_be_default) throw_malformed();
    return any_of(CORBA::_tc_octet, std::uint8_t{0});
  }
  const TypeCodeRef written = type_code(store_, type);
  const bool is_enum = unaliased_kind(written) == cdr::TypeKind::tk_enum;
  if (tag == ValueTag::integer) return any_of_integer(written, integer);
  if (tag == ValueTag::real) return any_of_real(written, std::strtod(words.c_str(), nullptr));
  if (tag == ValueTag::enumerator && is_enum) return any_of_enumerator(written, integer);
  const bool is_string = unaliased_kind(written) == cdr::TypeKind::tk_string;
  if (tag != ValueTag::text || !is_string) throw_malformed();
  return any_of(written, words);
}

void EmbeddedReader::read(const Embedded& description) {
  rest_ = description.octets;
  definitions_.clear();
  is_new_.clear();
  ids_inside_.clear();
  const std::size_t definition_count = count();
  for (std::size_t index = 0; index < definition_count; ++index) read_head();
  // The types of labels and constants must be complete before their values are read.
  for (const bool reads_values : {false, true})
    for (std::size_t index = 0; index < definition_count; ++index)
      if (has_values(definitions_[index]->kind) == reads_values)
        read_details(*definitions_[index], is_new_[index]);
  if (!rest_.empty()) throw_malformed();
  store_.changed();
}

void EmbeddedReader::read_head() {
  const std::uint64_t number_of_kind = number();
  if (number_of_kind > static_cast<std::uint64_t>(Kind::dk_LocalInterface)) throw_malformed();
  const Kind kind = static_cast<Kind>(number_of_kind);
  Definition* const outer = optional_reference();
  Definition& container = outer == nullptr ? store_.root() : *outer;
  const std::string name = text();
  std::string id = text();
  if (id.empty()) id = usual_id(container.id, name);
  Definition* definition = store_.find_id(id);
  const bool is_new = definition == nullptr;
  if (is_new) {
    const std::string version = version_of(id);
    definition = &store_.commit(store_.prepare(container, kind, {id, name, version}));
  } else if (definition->kind != kind || definition->name != name ||
             definition->container != &container) {
    raise_contradiction(id);
  }
  if (is_interface(container.kind) || container.kind == Kind::dk_Value)
    ids_inside_[&container] += id + '\0';
  definitions_.push_back(definition);
  is_new_.push_back(is_new);
}

void EmbeddedReader::read_details(Definition& definition, bool is_new) {
  skips_ = !is_new && !declared_.contains(&definition);
  content_.clear();
  bool is_declared_only = false;
  Details details = details_of(definition.kind, is_declared_only);
  content_ += ids_inside_[&definition];
  if (skips_ && !is_declared_only && content_ != known_content_[&definition])
    raise_contradiction(definition.id);
  if (skips_) return;
  if (is_declared_only) {
    declared_.insert(&definition);
    return;
  }
  declared_.erase(&definition);
  known_content_[&definition] = content_;
  const Details former = definition;
  static_cast<Details&>(definition) = std::move(details);
  store_.changed();
  store_.replaced(definition, former);
}

Details EmbeddedReader::details_of(Kind kind, bool& is_declared_only) {
  Details details;
  switch (kind) {
    case Kind::dk_Struct:
    case Kind::dk_Exception:
      details.parts = members();
      break;
    case Kind::dk_Union: {
      details.type = &type();
      details.parts.resize(count());
      for (Part& each : details.parts) {
        each.name = text();
        each.type = &type();
        each.label = value(*details.type, true);
      }
      break;
    }
    case Kind::dk_Enum:
      details.names.resize(count());
      for (std::string& each : details.names) each = text();
      break;
    case Kind::dk_Alias:
    case Kind::dk_ValueBox:
      details.type = &type();
      break;
    case Kind::dk_Constant:
      details.type = &type();
      details.value = value(*details.type, false);
      break;
    case Kind::dk_Interface:
    case Kind::dk_AbstractInterface:
    case Kind::dk_LocalInterface:
      details.is_abstract = kind == Kind::dk_AbstractInterface;
      is_declared_only = number() == 0;
      details.bases = references();
      break;
    case Kind::dk_Value:
      is_declared_only = number() == 0;
      read_value(details);
      break;
    case Kind::dk_ValueMember:
      details.type = &type();
      details.access = number() == 0 ? CORBA::PRIVATE_MEMBER : CORBA::PUBLIC_MEMBER;
      break;
    case Kind::dk_Attribute:
      details.type = &type();
      details.is_readonly = number() != 0;
      details.exceptions = references();
      details.writing_exceptions = references();
      break;
    case Kind::dk_Operation:
      read_operation(details);
      break;
    default:  // modules and native types have no details
      break;
  }
  return details;
}

void EmbeddedReader::read_value(Details& details) {
  const std::uint64_t flags = number();
  details.is_abstract = (flags & 1) != 0;
  details.is_custom = (flags & 2) != 0;
  details.is_truncatable = (flags & 4) != 0;
  details.base_value = optional_reference();
  details.bases = references();
  details.supported = references();
  details.creators.resize(count());
  for (Creator& each : details.creators) {
    each.name = text();
    each.parameters = parameters();
    each.exceptions = references();
  }
}

void EmbeddedReader::read_operation(Details& details) {
  details.type = &type();
  details.is_oneway = number() != 0;
  details.parts = parameters();
  details.exceptions = references();
  details.names.resize(count());
  for (std::string& each : details.names) each = text();
}

}  // namespace perigee::repository
