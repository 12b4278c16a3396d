// Walks through values. src/cdr/value_walk.cpp does the same to skip values or to convert them.
#include "bridge/rewriting/value_copier.h"

#include "cdr/typecode_label.h"
#include "cdr/unit_reader.h"
#include <perigee/cdr/value_reading.h>

#include <algorithm>
#include <utility>

namespace perigee::bridge {

using cdr::ErrorKind;
using cdr::TypeKind;
using cdr::TypeMember;
using cdr::TypeNode;
using cdr::WideSet;

namespace {

constexpr std::uint64_t steps_of_empty_value = 16;  // so a message may have 65,536 empty values

std::size_t size_of_bits(std::uint32_t bits) noexcept {
  if (bits <= 8) return 1;
  if (bits <= 16) return 2;
  return bits <= 32 ? 4 : 8;
}

/// The size of values of the type on the wire; 0: the type has no fixed size. Enumerators are not
/// checked.
std::size_t fixed_size(const TypeNode& type) noexcept {
  switch (type.kind) {
    case TypeKind::tk_octet:
    case TypeKind::tk_int8:
    case TypeKind::tk_boolean:
    case TypeKind::tk_char:
      return 1;
    case TypeKind::tk_short:
    case TypeKind::tk_ushort:
      return 2;
    case TypeKind::tk_long:
    case TypeKind::tk_ulong:
    case TypeKind::tk_float:
    case TypeKind::tk_enum:
      return 4;
    case TypeKind::tk_double:
    case TypeKind::tk_longlong:
    case TypeKind::tk_ulonglong:
      return 8;
    case TypeKind::tk_longdouble:
      return 16;
    case TypeKind::tk_bitmask:
    case TypeKind::tk_bitset:
    case TypeKind::tk_valued_enum:
      return size_of_bits(type.bound);
    default:
      return 0;
  }
}

constexpr std::size_t alignment_max = 8;

/// The reason why the message cannot contain wide characters; `none` if it can.
ErrorKind problem_of(cdr::CodeSets code_sets) noexcept {
  if (code_sets.giop_minor == 0) return ErrorKind::not_in_version;
  if (code_sets.giop_minor == 1 && code_sets.wide == WideSet::none) return ErrorKind::no_code_set;
  return ErrorKind::none;
}

constexpr std::int16_t custom_modifier = 1;    // CORBA::VM_CUSTOM
constexpr std::int16_t abstract_modifier = 2;  // CORBA::VM_ABSTRACT

/// Whether the node describes the state of values: not of custom and abstract valuetypes.
bool has_known_state(const TypeNode& type) noexcept {
  return type.kind == TypeKind::tk_value_box ||
         (type.scale != custom_modifier && type.scale != abstract_modifier);
}

/// Whether the node may belong to a valuetype that is only declared. Then another node may describe
/// the state. Such nodes have the modifier of abstract valuetypes.
bool is_declared_only(const TypeNode& type) noexcept {
  return type.kind != TypeKind::tk_value_box && type.scale == abstract_modifier;
}

const TypeMember* default_branch(const TypeNode& type) noexcept {
  return type.default_index < 0 ? nullptr
                                : &type.members[static_cast<std::size_t>(type.default_index)];
}

}  // namespace

void ValueCopier::copy(const TypeNode& type) {
  if (!in_.ok()) return;
  const std::size_t before = in_.remaining();
  if (!copy_fixed_size(type)) copy_simple(type);
  if (in_.remaining() == before) in_.count_steps(steps_of_empty_value);
}

bool ValueCopier::copy_fixed_size(const TypeNode& type) {
  const std::size_t size = fixed_size(type);
  if (size == 0) return false;
  copy_block(std::min(size, alignment_max), size, 1);
  return true;
}

// Copies values that contain no other values. `copy_nested` copies the others.
void ValueCopier::copy_simple(const TypeNode& type) {
  switch (type.kind) {
    case TypeKind::tk_null:
    case TypeKind::tk_void:
      return;
    case TypeKind::tk_string:
      return copy_text();
    case TypeKind::tk_wchar:
      return copy_wide_character();
    case TypeKind::tk_wstring:
      return copy_wide_text();
    case TypeKind::tk_fixed:
      return copy_fixed(type);
    case TypeKind::tk_TypeCode:
      (void)copy_type_code();
      return;
    case TypeKind::tk_Principal:
      return copy_octet_sequence();
    case TypeKind::tk_objref:
    case TypeKind::tk_component:
    case TypeKind::tk_home:
      return copy_reference();
    case TypeKind::tk_abstract_interface:
      return copy_abstract();
    case TypeKind::tk_value:
    case TypeKind::tk_value_box:
    case TypeKind::tk_event:
      return copy_value(&type);
    case TypeKind::tk_native:
    case TypeKind::tk_local_interface:
      return in_.fail(ErrorKind::local_object);
    default:
      break;
  }
  in_.enter();
  if (in_.ok()) copy_nested(type);
  in_.leave();
}

void ValueCopier::copy_nested(const TypeNode& type) {
  switch (type.kind) {
    case TypeKind::tk_alias:
      return copy(*type.content);
    case TypeKind::tk_except:
      copy_exception_id(type);
      return copy_members(type);
    case TypeKind::tk_struct:
      return copy_members(type);
    case TypeKind::tk_union:
      return copy_union(type);
    case TypeKind::tk_sequence:
      return copy_sequence(type);
    case TypeKind::tk_array:
      return copy_elements(cdr::unaliased(*type.content), type.bound);
    case TypeKind::tk_map: {
      const std::uint32_t count = copy_number();
      for (std::uint32_t index = 0; index < count && in_.ok(); ++index) {
        copy(*type.key);
        copy(*type.content);
      }
      return;
    }
    case TypeKind::tk_any:
      return copy_any();
    default:
      return in_.fail(ErrorKind::not_supported);
  }
}

// --- Octets ---

void ValueCopier::copy_octets(std::size_t count) {
  if (frames_ && frames_->is_cut_within(count)) return copy_cut_block(1, 1, count);
  const OctetSpan octets = in_.read_octets(count);
  if (in_.ok()) out_.write_octets(octets);
}

void ValueCopier::copy_block(std::size_t alignment, std::size_t size, std::size_t count) {
  in_.align(alignment);
  if (count > in_.remaining() / size) return in_.fail(ErrorKind::bad_length);
  follow();
  out_.align(alignment);
  if (frames_ && frames_->is_cut_within(size * count))
    return copy_cut_block(alignment, size, count);
  copy_octets(size * count);
}

// A block that goes beyond the present chunk. Each element lies in one chunk. One octet is read
// alone, because an alignment to 1 does not lead to the next chunk.
void ValueCopier::copy_cut_block(std::size_t alignment, std::size_t size, std::size_t count) {
  if (count > in_.remaining() / size) return in_.fail(ErrorKind::bad_length);
  while (count != 0 && in_.ok()) {
    const std::size_t here = std::min(count, frames_->octets_in_chunk() / size);
    if (here != 0) {
      out_.write_octets(in_.read_octets(here * size));
      count -= here;
    } else if (size == 1) {
      const auto octet = in_.read<std::uint8_t>();
      follow();
      out_.write(octet);
      --count;
    } else {
      in_.align(alignment);
      follow();
      out_.align(alignment);
      if (in_.ok() && frames_->octets_in_chunk() < size) in_.fail(ErrorKind::bad_value);
    }
  }
}

std::uint32_t ValueCopier::copy_number() {
  const auto number = in_.read<std::uint32_t>();
  if (!in_.ok()) return 0;
  follow();
  out_.write(number);
  return number;
}

void ValueCopier::copy_octet_sequence() { copy_octets(copy_number()); }

// The length of a text counts its NUL, and the copied octets include it.
void ValueCopier::copy_text() { copy_octet_sequence(); }

// CORBA 3.0, 15.3.1.6 and 15.3.2.7; interop facts 28 and 29 of docs/interop.md.
void ValueCopier::copy_wide_text() {
  const cdr::CodeSets code_sets = in_.code_sets();
  if (const ErrorKind problem = problem_of(code_sets); problem != ErrorKind::none)
    return in_.fail(problem);
  if (code_sets.giop_minor > 1) return copy_octet_sequence();
  const std::size_t unit = cdr::unit_size(code_sets.wide);
  const std::uint32_t count = copy_number();
  if (count != 0) copy_block(unit, unit, count);
}

void ValueCopier::copy_wide_character() {
  const cdr::CodeSets code_sets = in_.code_sets();
  if (const ErrorKind problem = problem_of(code_sets); problem != ErrorKind::none)
    return in_.fail(problem);
  if (code_sets.giop_minor > 1) {
    const auto size = in_.read<std::uint8_t>();
    follow();
    if (in_.ok()) out_.write(size);
    return copy_octets(size);
  }
  const std::size_t unit = cdr::unit_size(code_sets.wide);
  copy_block(unit, unit, 1);
}

void ValueCopier::copy_fixed(const TypeNode& type) {
  const OctetSpan octets = in_.read_fixed(type.digits);
  follow();
  if (in_.ok()) out_.write_octets(octets);
}

// --- References ---

// Allocates nothing for a nil reference.
void ValueCopier::copy_reference() {
  cdr::Decoder ahead = in_;
  ahead.skip(ahead.read_length(1));
  const auto profile_count = ahead.read<std::uint32_t>();
  if (ahead.ok() && profile_count == 0) {
    copy_text();
    (void)copy_number();
    return;
  }
  in_.count_object();
  iop::decode(in_, reference_);
  follow();
  if (!in_.ok()) return;
  auto replaced = options_.replace(reference_);
  iop::Ior& written = replaced ? *replaced : reference_;
  if (options_.phase == Phase::kept) keep_phase(written);
  iop::encode(out_, written);
  has_replaced_ |= replaced.has_value();
  check_size();
}

// Makes the end of the reference, modulo 8, the same as that of the received reference. ORBs ignore
// profiles whose tags they do not know. A nil reference has no profile, and gets none.
void ValueCopier::keep_phase(iop::Ior& reference) {
  if (reference.profiles.empty()) return;
  constexpr std::uint32_t tag_padding = 0x50474505;  // of Perigee
  constexpr std::size_t header_size = 2 * sizeof(std::uint32_t);
  cdr::Buffer measured;
  cdr::Encoder encoder(measured, out_.order(), cdr::Encoder::Borrowing::no, out_.position() % 8);
  iop::encode(encoder, reference);
  if (encoder.position() % 8 == in_.position() % 8) return;
  encoder.align(sizeof(std::uint32_t));
  const std::size_t size = (in_.position() - encoder.position() - header_size) % 8;
  reference.profiles.push_back({tag_padding, Octets(size == 0 ? 8 : size)});
}

void ValueCopier::check_size() {
  if (!out_.ok() || out_.buffer().size() > options_.size_max) in_.fail(ErrorKind::too_large);
}

// --- Valuetypes ---

// CORBA 3.0, 15.3.7: a boolean that is true stands in front of a reference. The type of a value in
// the place of an abstract interface is known by its repository id only.
void ValueCopier::copy_abstract() {
  const bool is_reference = in_.read_boolean();
  if (!in_.ok()) return;
  follow();
  out_.write_boolean(is_reference);
  if (is_reference) return copy_reference();
  copy_value(nullptr);
}

void ValueCopier::copy_value(const TypeNode* expected) {
  if (!frames_) {
    const cdr::Decoder start = in_;
    cdr::Decoder ahead = start;
    const auto tag = ahead.read<std::uint32_t>();
    if (tag == 0 || !ahead.ok()) {
      (void)copy_number();
      return;
    }
    frames_.emplace(in_, start, out_, static_cast<ValueFrames::InnerValues&>(*this));
  }
  const cdr::ValueHeader header = frames_->copy_header();
  if (header.kind == cdr::ValueHeader::Kind::state)
    copy_value_state(state_type_of(expected, header), header);
}

void ValueCopier::copy_inner(const cdr::ValueHeader& header) {
  copy_value_state(state_type_of(nullptr, header), header);
}

// The first known type in the list of the value. A value without a list has the expected type. A
// value without chunks has the first type of the list: the end of other state would not be found.
ValueCopier::StateType ValueCopier::state_type_of(const TypeNode* expected,
                                                  const cdr::ValueHeader& header) {
  if (header.ids.empty()) {
    if (expected == nullptr) return {};
    if (is_declared_only(*expected)) frames_->count_lookup(expected->id);
    const StateType type = type_with_id(expected, expected->id);
    return has_known_state(*type.node) ? type : StateType{};
  }
  const std::size_t count = header.is_chunked ? header.ids.size() : 1;
  for (std::size_t index = 0; index != count && in_.ok(); ++index) {
    frames_->count_lookup(header.ids[index]);
    StateType type = type_with_id(expected, header.ids[index]);
    if (type.node == nullptr) continue;
    if (!has_known_state(*type.node)) return {};
    type.is_base = index != 0;
    return type;
  }
  return {};
}

ValueCopier::StateType ValueCopier::type_with_id(const TypeNode* expected, std::string_view id) {
  const bool is_expected = expected != nullptr && expected->id == id;
  const StateType own = is_expected ? StateType{expected, anys_ == 0, false} : StateType{};
  if (is_expected && !is_declared_only(*expected)) return own;
  const auto found = options_.value_types.find(id);
  return found == options_.value_types.end() ? own : StateType{found->second, true, false};
}

void ValueCopier::copy_value_state(const StateType& type, const cdr::ValueHeader& header) {
  in_.count_object();
  const bool is_unread = type.node == nullptr;
  if (is_unread && !header.is_chunked) in_.fail(ErrorKind::no_value_factory);
  in_.enter();
  if (!in_.ok()) return;
  if (!is_unread) {
    const std::uint32_t outer = type.is_in_plan ? std::exchange(anys_, 0) : anys_;
    copy_state(*type.node);
    anys_ = outer;
  }
  if (header.is_chunked && in_.ok())
    frames_->end_state(is_unread || type.is_base ? ValueFrames::Rest::skip
                                                 : ValueFrames::Rest::refuse);
  in_.leave();
}

// The state of the concrete base comes first. A TypeCode may name itself as its base.
void ValueCopier::copy_state(const TypeNode& type) {
  if (type.kind == TypeKind::tk_value_box) return copy(*type.content);
  if (type.content != nullptr) {
    in_.enter();
    if (in_.ok()) copy_state(cdr::unaliased(*type.content));
    in_.leave();
  }
  copy_members(type);
}

// --- Types from the network ---

// An indirection leads to a part of the same outermost TypeCode. So the octets of the TypeCode mean
// the same at another position. They are encoded anew only if chunks or fragments divide them. Then
// they may grow, so the size limit counts.
cdr::TypeRef ValueCopier::copy_type_code() {
  cdr::Decoder again = in_;
  cdr::TypeRef type = cdr::decode_type(in_);
  follow();
  if (!in_.ok()) return {};
  if (frames_ && again.is_cut_within(again.remaining() - in_.remaining())) {
    const std::size_t used = std::min(out_.buffer().size(), options_.size_max);
    cdr::encode_type(out_, *type.node, {.octets_max = options_.size_max - used});
    if (!out_.ok()) in_.fail(out_.error().kind);
    check_size();
    return type;
  }
  const auto kind = static_cast<TypeKind>(again.read<std::uint32_t>());
  out_.write(static_cast<std::uint32_t>(kind));
  if (cdr::is_complex(kind)) {
    const OctetSpan body = again.read_octet_sequence();
    out_.write_length(body.size());
    out_.write_octets(body);
  } else if (kind == TypeKind::tk_fixed) {
    out_.write(again.read<std::uint16_t>());
    out_.write(again.read<std::uint16_t>());
  } else if (kind == TypeKind::tk_string || kind == TypeKind::tk_wstring) {
    out_.write(again.read<std::uint32_t>());
  }
  if (!again.ok()) in_.fail(again.error().kind);
  return type;
}

void ValueCopier::copy_any() {
  const cdr::TypeRef type = copy_type_code();
  cdr::LabelIndex outer = std::exchange(labels_, {});  // no index may outlive `type`
  ++anys_;
  copy(*type.node);
  --anys_;
  labels_ = std::move(outer);
}

// The repository id comes first (CORBA 3.0, 15.3.5.5), but omniORB leaves it out. If it is there,
// the octets are those of the TypeCode's id. Comparisons of other octets are counted, since these
// octets are read again.
void ValueCopier::copy_exception_id(const TypeNode& type) {
  if (type.id.empty()) return copy_text();
  cdr::DecoderMark start(in_);
  const bool has_size = in_.read<std::uint32_t>() == type.id.size() + 1;
  const OctetSpan octets = has_size ? in_.read_octets(type.id.size()) : OctetSpan();
  const bool is_there = std::ranges::equal(octets, std::as_bytes(std::span(type.id)));
  const std::size_t compared = octets.size();
  start.go_back();
  if (is_there) return copy_text();
  in_.count_steps(compared);
}

// --- Values that contain values ---

void ValueCopier::copy_members(const TypeNode& type) {
  for (const TypeMember& member : type.members) copy(*member.type);
}

void ValueCopier::copy_sequence(const TypeNode& type) {
  copy_elements(cdr::unaliased(*type.content), copy_number());
}

void ValueCopier::copy_elements(const TypeNode& element, std::uint32_t count) {
  if (count == 0) return;
  if (const std::size_t size = fixed_size(element); size != 0)
    return copy_block(std::min(size, alignment_max), size, count);
  for (std::uint32_t index = 0; index < count && in_.ok(); ++index) copy(element);
}

void ValueCopier::copy_union(const TypeNode& type) {
  const std::int64_t label = copy_label(cdr::unaliased(*type.content));
  if (!in_.ok()) return;
  const TypeMember* branch = branch_of(type, label);
  if (branch == nullptr) branch = default_branch(type);
  if (branch != nullptr) copy(*branch->type);
}

std::int64_t ValueCopier::copy_label(const TypeNode& type) {
  cdr::DecoderMark start(in_);
  const std::int64_t label = read_label(type);
  const ErrorKind error = in_.error().kind;
  start.go_back();
  if (error != ErrorKind::none)
    in_.fail(error);
  else
    copy(type);
  return label;
}

std::int64_t ValueCopier::read_label(const TypeNode& type) {
  switch (type.kind) {
    case TypeKind::tk_short:
      return in_.read<std::int16_t>();
    case TypeKind::tk_long:
      return in_.read<std::int32_t>();
    case TypeKind::tk_int8:
      return in_.read<std::int8_t>();
    case TypeKind::tk_wchar:
      return in_.read_wide_character();
    default:
      break;
  }
  switch (fixed_size(type)) {
    case 1:
      return in_.read<std::uint8_t>();
    case 2:
      return in_.read<std::uint16_t>();
    case 4:
      return in_.read<std::uint32_t>();
    default:
      return static_cast<std::int64_t>(in_.read<std::uint64_t>());
  }
}

// The values of an enum with values may be negative. So the label is looked up as an unsigned
// number first, then as a signed one. Only one of the two can belong to the type.
const TypeMember* ValueCopier::branch_of(const TypeNode& type, std::int64_t label) {
  const TypeMember* const found = find_branch(type, label);
  const TypeNode& discriminator = cdr::unaliased(*type.content);
  if (found != nullptr || discriminator.kind != TypeKind::tk_valued_enum) return found;
  const std::size_t size = fixed_size(discriminator);
  if (size == 1) return find_branch(type, static_cast<std::int8_t>(label));
  if (size == 2) return find_branch(type, static_cast<std::int16_t>(label));
  return size == 4 ? find_branch(type, static_cast<std::int32_t>(label)) : nullptr;
}

// The members of the plan's types are in the order of their labels, the default last.
const TypeMember* ValueCopier::find_branch(const TypeNode& type, std::int64_t label) {
  if (anys_ != 0) return labels_.find(type, label);
  const auto labelled = type.members.first(type.members.size() - (type.default_index < 0 ? 0 : 1));
  const auto found = std::ranges::lower_bound(labelled, label, {}, &TypeMember::label);
  return found != labelled.end() && found->label == label ? &*found : nullptr;
}

}  // namespace perigee::bridge
