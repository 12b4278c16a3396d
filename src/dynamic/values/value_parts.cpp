// Reading and making values by their TypeCodes.
#include "dynamic/values/value_parts.h"

#include "cdr/label_index.h"
#include "orb/values/any_value.h"
#include "orb/values/system_exceptions.h"
#include <perigee/cdr/operators.h>
#include <perigee/cdr/value_format.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/value_marshalling.h>

#include <cstring>
#include <unordered_set>
#include <utility>

namespace perigee::dynamic {

namespace {

using any::Access;
using cdr::Decoder;
using cdr::Encoder;
using cdr::TypeKind;
using cdr::TypeMember;
using cdr::TypeNode;
using cdr::TypeRef;
using enum cdr::TypeKind;

/// Values that the program has made, or that were within the limits when they were received.
constexpr cdr::Limits own_limits{.decoded_size_max = ~std::uint32_t{0}};
/// The code sets of octets that this process writes and reads: characters are not converted.
constexpr cdr::CodeSets own_code_sets{.wide = cdr::WideSet::native};

CORBA::object_reference<CORBA::TypeCode> type_code(const TypeRef& type) {
  return CORBA::object_reference<CORBA::TypeCode>(
      make_counted<CORBA::TypeCode>(type.node, type.owner));
}

/// Reads the members of a value by its TypeCode.
class PartsReader final {
 public:
  PartsReader(Decoder& decoder, const TypeRef& type, cdr::LabelIndex& labels)
      : decoder_(decoder), type_(type), labels_(labels) {}

  std::vector<CORBA::Any> read() {
    const TypeNode& type = cdr::unaliased(*type_.node);
    switch (type.kind) {
      case tk_except:
        skip_exception_id(type);
        [[fallthrough]];
      case tk_struct:
        members(type);
        break;
      case tk_union:
        union_parts(type);
        break;
      case tk_sequence:
        elements(*type.content, decoder_.read<std::uint32_t>());
        break;
      case tk_array:
        elements(*type.content, type.bound);
        break;
      case tk_value:
      case tk_value_box:
        state(type);
        break;
      default:
        decoder_.fail(cdr::ErrorKind::not_supported);
    }
    return std::move(parts_);
  }

 private:
  void part(const TypeNode& type) {
    if (!decoder_.ok()) return;
    decoder_.charge(sizeof(CORBA::Any));
    any::decode_value(decoder_, {&type, type_.owner}, parts_.emplace_back());
  }

  // As in a reply, the id comes first, but omniORB leaves it out.
  void skip_exception_id(const TypeNode& type) {
    Decoder ahead = decoder_;
    if (ahead.read_string_view() == type.id || type.id.empty()) decoder_ = ahead;
  }

  void members(const TypeNode& type) {
    parts_.reserve(type.members.size());
    for (const TypeMember& member : type.members) part(*member.type);
  }

  void union_parts(const TypeNode& type) {
    part(*type.content);
    if (!decoder_.ok()) return;
    const std::int32_t selected = selected_member(type, label_of(parts_.front()), labels_);
    if (selected >= 0) part(*type.members[static_cast<std::size_t>(selected)].type);
  }

  // The octets are those of a value, so there are not many more elements than octets.
  void elements(const TypeNode& element, std::uint32_t count) {
    if (count > components_max)
      throw CORBA::IMP_LIMIT(0, CORBA::COMPLETED_NO,
                             "a DynAny gives access to at most 1048576 elements; get_octet_seq and "
                             "similar operations have no such limit");
    if (decoder_.ok()) parts_.reserve(count);
    for (std::uint32_t index = 0; index != count && decoder_.ok(); ++index) part(element);
  }

  void state(const TypeNode& type) {
    if (decoder_.values() == nullptr) return decoder_.fail(cdr::ErrorKind::bad_value);
    const cdr::ValueHeader header = decoder_.values()->begin(decoder_);
    if (header.kind != cdr::ValueHeader::Kind::state) return;
    if (type.kind == tk_value_box)
      part(*type.content);
    else
      for (const TypeMember* member : state_members(type)) part(*member->type);
    if (header.is_chunked && decoder_.ok())
      decoder_.values()->end_chunked(decoder_, cdr::ValueReading::Rest::skip);
  }

  Decoder& decoder_;
  const TypeRef& type_;
  cdr::LabelIndex& labels_;
  std::vector<CORBA::Any> parts_;
};

template <typename T>
std::int64_t basic_label(const CORBA::Any& any) {
  return static_cast<std::int64_t>(Access::basic<T>(any));
}

}  // namespace

TypeRef type_of(const CORBA::Any& any) { return {&Access::type(any), Access::type_owner(any)}; }

bool is_valuetype(TypeKind kind) noexcept { return kind == tk_value || kind == tk_value_box; }

void read_value(const CORBA::Any& any, const References& references,
                function_ref<void(Decoder&)> read) {
  const auto orb = references.lock();
  cdr::Error error{cdr::ErrorKind::local_object, 0};  // unless the value can be encoded
  const bool is_read = Access::content(any)->decode(Access::type(any), [&](Decoder& decoder) {
    if (decoder.environment() == nullptr) decoder.set_environment(orb.get());
    read(decoder);
    error = decoder.error();
    if (decoder.ok()) error.kind = cdr::ErrorKind::bad_value;  // unless all octets were read
  });
  if (is_read) return;
  orb::raise_decode_error(error, orb::Sender::client, CORBA::COMPLETED_NO,
                          "reading the components of a DynAny");
}

CORBA::Any make_value(const TypeRef& type, const References& references,
                      function_ref<void(Encoder&)> write) {
  cdr::Buffer buffer;
  Encoder encoder(buffer);
  encoder.set_code_sets(own_code_sets);
  {
    const value::Writing values(encoder);
    write(encoder);
  }
  if (!encoder.ok())
    orb::raise_encode_error(encoder.error(), orb::Sender::client, CORBA::COMPLETED_NO);
  const auto orb = references.lock();
  Decoder decoder(buffer.own_octets(), std::endian::native, 0, own_limits);
  decoder.set_code_sets(own_code_sets);
  decoder.set_environment(orb.get());
  CORBA::Any made;
  {
    const value::Reading values(decoder);
    any::decode_value(decoder, type, made);
    if (decoder.ok() && decoder.remaining() != 0) decoder.fail(cdr::ErrorKind::bad_value);
  }
  if (!decoder.ok())
    orb::raise_decode_error(decoder.error(), orb::Sender::client, CORBA::COMPLETED_NO,
                            "making the value of a DynAny from its components");
  return made;
}

std::optional<CORBA::Any> with_type(const CORBA::Any& any, const TypeRef& type,
                                    const References& references) {
  const TypeNode& mine = cdr::unaliased(*type.node);
  const TypeNode& its = cdr::unaliased(Access::type(any));
  if (!cdr::equivalent(mine, its)) return std::nullopt;
  CORBA::Any result = any;
  const bool is_same_form = &mine == &its || Access::content(any) == nullptr ||
                            is_valuetype(mine.kind) || mine.kind == tk_objref ||
                            mine.kind == tk_local_interface || mine.kind == tk_abstract_interface;
  if (is_same_form)
    result.type(type_code(type));
  else
    read_value(any, references,
               [&](Decoder& decoder) { any::decode_value(decoder, type, result); });
  return result;
}

bool is_same_type(const TypeNode& a, const TypeNode& b) { return &a == &b || cdr::equal(a, b); }

bool contains_kind(const TypeNode& type, bool (*accepts)(TypeKind)) {
  std::unordered_set<const TypeNode*> known;
  std::vector<const TypeNode*> types{&type};
  while (!types.empty()) {
    const TypeNode* const node = types.back();
    types.pop_back();
    if (node == nullptr || !known.insert(node).second) continue;
    if (accepts(node->kind)) return true;
    types.push_back(node->content);
    types.push_back(node->key);
    for (const TypeMember& member : node->members) types.push_back(member.type);
  }
  return false;
}

Parts read_parts(const CORBA::Any& any, const References& references, cdr::LabelIndex& labels) {
  Parts parts;
  const TypeRef type = type_of(any);
  read_value(any, references, [&](Decoder& decoder) {
    parts.octets = decoder.remaining();
    parts.values = PartsReader(decoder, type, labels).read();
  });
  return parts;
}

std::uint32_t read_length(const CORBA::Any& any) {
  std::uint32_t length = 0;
  read_value(any, {}, [&](Decoder& decoder) {
    length = decoder.read<std::uint32_t>();
    if (decoder.ok()) decoder.skip(decoder.remaining());
  });
  return length;
}

std::vector<const TypeMember*> state_members(const TypeNode& type) {
  std::vector<const TypeNode*> types;
  for (const TypeNode* node = &type; node != nullptr;
       node = node->content == nullptr ? nullptr : &cdr::unaliased(*node->content)) {
    if (types.size() == cdr::value_ids_max || node->kind != tk_value)
      throw CORBA::BAD_TYPECODE(0, CORBA::COMPLETED_NO,
                                "a valuetype has more than 64 bases, or a base of another kind");
    types.push_back(node);
  }
  std::vector<const TypeMember*> members;
  for (auto node = types.rbegin(); node != types.rend(); ++node)
    for (const TypeMember& member : (*node)->members) members.push_back(&member);
  return members;
}

CORBA::Any kept_value(const TypeRef& type,
                      const CORBA::valuetype_reference<CORBA::ValueBase>& value) {
  CORBA::Any any;
  any::insert_value(any, *type.node, value);
  any.type(type_code(type));
  return any;
}

CORBA::Any reference_value(const TypeRef& type,
                           const CORBA::object_reference<CORBA::Object>& object) {
  CORBA::Any any;
  any::insert_object(any, *type.node, object);
  any.type(type_code(type));
  return any;
}

CORBA::Any abstract_value(const TypeRef& type, any::AbstractReference reference) {
  CORBA::Any any;
  any::insert_abstract(any, *type.node, std::move(reference));
  any.type(type_code(type));
  return any;
}

Fit fit_of(const CORBA::ValueBase& value, const TypeNode& type) {
  const value::Description* const own = &value._description();
  if (type.id.empty() || own->id == type.id) return Fit::same;
  for (const value::Description* base = own->truncatable_base; base != nullptr;
       base = base->truncatable_base)
    if (base->id == type.id) return Fit::derived;
  return Fit::unknown;
}

State state_of(const CORBA::Any& any) {
  const TypeNode& type = cdr::unaliased(Access::type(any));
  if (!is_valuetype(type.kind)) return State::known;
  CORBA::valuetype_reference<CORBA::ValueBase> value;
  if (any::find_value(any, value) && !value) return State::null;
  if (type.kind == tk_value && type.scale == CORBA::VM_CUSTOM) return State::unknown;
  return !value || fit_of(*value, type) != Fit::unknown ? State::known : State::unknown;
}

void write_value(Encoder& encoder, const TypeNode& type, function_ref<void()> write_state) {
  std::vector<std::string_view> ids{type.id};
  const TypeNode* node = &type;
  while (node->kind == tk_value && node->scale == CORBA::VM_TRUNCATABLE &&
         node->content != nullptr && ids.size() != cdr::value_ids_max) {
    node = &cdr::unaliased(*node->content);
    ids.push_back(node->id);
  }
  cdr::ValueWriting& writing = *encoder.values();
  const auto chunks =
      ids.size() > 1 ? cdr::ValueWriting::Chunks::yes : cdr::ValueWriting::Chunks::no;
  if (!writing.begin(encoder, writing.make_key(), ids, chunks)) return;
  write_state();
  writing.end(encoder);
}

std::int64_t label_of(const CORBA::Any& discriminator) {
  const TypeNode& type = cdr::unaliased(Access::type(discriminator));
  switch (type.kind) {
    case tk_short:
      return basic_label<std::int16_t>(discriminator);
    case tk_ushort:
      return basic_label<std::uint16_t>(discriminator);
    case tk_long:
      return basic_label<std::int32_t>(discriminator);
    case tk_ulong:
      return basic_label<std::uint32_t>(discriminator);
    case tk_longlong:
    case tk_ulonglong:
      return basic_label<std::int64_t>(discriminator);
    case tk_wchar:
      return basic_label<wchar_t>(discriminator);
    case tk_int8:
      return basic_label<std::int8_t>(discriminator);
    case tk_boolean:
    case tk_char:
    case tk_octet:
      return basic_label<std::uint8_t>(discriminator);
    default: {
      std::int64_t label = 0;
      read_value(discriminator, {},
                 [&](Decoder& decoder) { label = cdr::read_enumerator(decoder, type); });
      return label;
    }
  }
}

void write_discriminator(Encoder& encoder, const TypeNode& named, std::int64_t label) {
  const TypeNode& type = cdr::unaliased(named);
  switch (type.kind) {
    case tk_short:
    case tk_ushort:
      return encoder.write(static_cast<std::uint16_t>(label));
    case tk_long:
    case tk_ulong:
      return encoder.write(static_cast<std::uint32_t>(label));
    case tk_longlong:
    case tk_ulonglong:
      return encoder.write(label);
    case tk_wchar:
      return encoder.write_wide_character(static_cast<wchar_t>(label));
    case tk_enum:
    case tk_valued_enum:
      return cdr::write_enumerator(encoder, type, label);
    default:
      return encoder.write(static_cast<std::uint8_t>(label));
  }
}

std::int32_t selected_member(const TypeNode& type, std::int64_t label, cdr::LabelIndex& labels) {
  const TypeMember* const found = labels.find(type, label);
  if (found == nullptr) return type.default_index;
  return static_cast<std::int32_t>(found - type.members.data());
}

}  // namespace perigee::dynamic
