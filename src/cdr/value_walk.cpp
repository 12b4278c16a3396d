// Walks over a value by its type: to find its end, or to write it again in another form.
//
// Types may also come from the network. A type with many empty parts (for example a long array of
// empty structs) could keep the walk busy for ever. Therefore the decoder counts values that take
// no octets, in all values of a message together. Large types have an index of their labels. The
// decoder limits the nesting.
#include "cdr/label_index.h"
#include "cdr/typecode_label.h"
#include <perigee/cdr/operators.h>
#include <perigee/cdr/typecode.h>
#include <perigee/cdr/value_format.h>
#include <perigee/cdr/value_reading.h>
#include <perigee/cdr/value_writing.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::cdr {

namespace {

constexpr std::uint64_t steps_of_empty_value = 16;  // so a message may have 65,536 empty values
// These are multiplied with sizes of messages, so the products need more than 32 bits.
constexpr std::uint64_t steps_of_octet = 256;        // see count_steps
constexpr std::uint64_t copy_growth_base = 1 << 20;  // octets written
constexpr std::uint64_t copy_growth_max = 16;        // for each octet read, in addition

class Walk final {
 public:
  /// `encoder` null: nothing is written. `inner_types` not null: the value is written for a
  /// comparison.
  explicit Walk(Decoder& decoder, Encoder* encoder = nullptr, InnerTypes* inner_types = nullptr)
      : in_(decoder),
        out_(encoder),
        inner_types_(inner_types),
        start_(decoder.remaining()),
        out_start_(encoder == nullptr ? 0 : encoder->buffer().size()) {}

  void value(const TypeNode& type) {
    if (!in_.ok()) return;
    const std::size_t before = in_.remaining();
    if (!basic_value(type.kind)) constructed_value(type);
    if (in_.remaining() == before) in_.count_steps(steps_of_empty_value);
  }

  /// Copies the value. `values` transfers the valuetypes in it.
  void value_with(const TypeRef& type, ValueTransfer& values) {
    transfer_ = &values;
    owner_ = type.owner;
    value(*type.node);
  }

  /// Whether the walk has stopped at a reference to a valuetype that is not complete.
  bool has_cycle(const TypeNode& type) {
    stops_at_cycle_ = true;
    value(type);
    return has_cycle_;
  }

  /// Walks over a value. False if the walk has stopped at a valuetype.
  bool plain_value(const TypeNode& type) {
    is_plain_only_ = true;
    value(type);
    return !has_valuetype_;
  }

 private:
  /// A valuetype of this walk.
  struct WalkedValue {
    const void* key = nullptr;  // identifies the written value
    bool is_complete = false;   // its state was read
  };

  /// Walks over a value of a basic type. False if the kind is not a basic type.
  bool basic_value(TypeKind kind) {
    switch (kind) {
      case TypeKind::tk_null:
      case TypeKind::tk_void:
        return true;
      case TypeKind::tk_short:
      case TypeKind::tk_ushort:
        return one<std::uint16_t>();
      case TypeKind::tk_long:
      case TypeKind::tk_ulong:
      case TypeKind::tk_float:
        return one<std::uint32_t>();
      case TypeKind::tk_double:
      case TypeKind::tk_longlong:
      case TypeKind::tk_ulonglong:
        return one<std::uint64_t>();
      case TypeKind::tk_octet:
      case TypeKind::tk_int8:
        return one<std::uint8_t>();
      case TypeKind::tk_boolean:
        return one<bool>();
      case TypeKind::tk_char:
        return one<char>();
      case TypeKind::tk_longdouble:
        return long_double();
      case TypeKind::tk_wchar:
        return one<wchar_t>();
      default:
        return false;
    }
  }

  void constructed_value(const TypeNode& type) {
    switch (type.kind) {
      case TypeKind::tk_string:
        return bounded<std::string>(type);
      case TypeKind::tk_wstring:
        return bounded<std::wstring>(type);
      case TypeKind::tk_enum:
      case TypeKind::tk_valued_enum:
        enumerator(type);
        return;
      case TypeKind::tk_fixed:
        return fixed(type);
      case TypeKind::tk_bitmask:
      case TypeKind::tk_bitset:
        return bits(type);
      case TypeKind::tk_TypeCode: {
        const TypeRef inner = type_code();
        if (inner_types_ != nullptr) collect(inner, *inner.node, inner_types_->values);
        return;
      }
      case TypeKind::tk_Principal:
        return octet_sequence();
      case TypeKind::tk_objref:
        return reference();
      case TypeKind::tk_value:
      case TypeKind::tk_value_box:
      case TypeKind::tk_event:
        return valuetype(type);
      case TypeKind::tk_abstract_interface:
        return abstract_reference();
      case TypeKind::tk_native:
      case TypeKind::tk_local_interface:
        return in_.fail(ErrorKind::local_object);
      default:
        break;
    }
    in_.enter();
    nested_value(type);
    in_.leave();
  }

  /// Walks over a value that contains values of other types.
  void nested_value(const TypeNode& type) {
    switch (type.kind) {
      case TypeKind::tk_alias:
        return value(*type.content);
      case TypeKind::tk_except:
        exception_id(type);
        [[fallthrough]];
      case TypeKind::tk_struct:
        for (const TypeMember& member : type.members) value(*member.type);
        return;
      case TypeKind::tk_union:
        return union_value(type);
      case TypeKind::tk_sequence:
        return elements(*type.content, length(type));
      case TypeKind::tk_array:
        return elements(*type.content, type.bound);
      case TypeKind::tk_map:
        return pairs(type);
      case TypeKind::tk_any: {
        const TypeRef inner = type_code();
        if (inner_types_ != nullptr) collect(inner, unaliased(*inner.node), inner_types_->of_anys);
        LabelIndex outer = std::exchange(labels_, {});  // no index may outlive `inner`
        std::shared_ptr<const void> outer_owner = std::exchange(owner_, inner.owner);
        value(*inner.node);
        owner_ = std::move(outer_owner);
        labels_ = std::move(outer);
        return;
      }
      default:
        return in_.fail(ErrorKind::not_supported);
    }
  }

  template <typename T>
  T taken() {
    T value{};
    in_ >> value;
    if (out_ != nullptr) *out_ << value;
    return value;
  }

  template <typename T>
  bool one() {
    taken<T>();
    return true;
  }

  /// Copies the octets, because the machine's own type may have fewer digits.
  bool long_double() {
    const QuadOctets quad = in_.read_quad();
    if (out_ != nullptr) out_->write_quad(quad);
    return true;
  }

  /// A string and its bound, counted in characters as the program sees them.
  template <typename Text>
  void bounded(const TypeNode& type) {
    if (out_ == nullptr && type.bound == 0 && std::same_as<Text, std::string>) {
      (void)in_.read_checked_string();
      return;
    }
    Text text;
    in_ >> text;
    if (type.bound != 0 && text.size() > type.bound) in_.fail(ErrorKind::bad_length);
    if (out_ != nullptr && in_.ok()) write(text);
  }
  // Copies the text, because it no longer exists when the message is sent.
  void write(const std::string& text) { out_->write_string(text); }
  void write(const std::wstring& text) { out_->write_wide_string(text); }

  /// Walks over a string without a code set, such as a repository id.
  void string() {
    const std::string_view text = in_.read_string_view();
    if (out_ != nullptr) out_->write_string(text);
  }

  /// Walks over the repository id of an exception. As in a reply, it comes first (CORBA 3.0,
  /// 15.3.5.5), but omniORB leaves it out. If the TypeCode has no id, the two forms look the same:
  /// then an id is expected.
  void exception_id(const TypeNode& type) {
    if (type.id.empty()) return string();
    DecoderMark start(in_);
    // A text of another length is not read here: it may be long, and is read later as a member.
    std::size_t equal = 0;
    const bool is_there =
        in_.read<std::uint32_t>() == type.id.size() + 1 && passes_id(type.id, equal);
    if (!is_there) {
      start.go_back();
      count_steps(equal * steps_of_octet);  // later values may compare the same octets again
    }
    const bool is_written = is_there || inner_types_ != nullptr;
    if (out_ == nullptr || !is_written) return;
    out_->write_string(type.id);
    check_growth();
  }

  /// Whether the next octets are the id and a NUL. `equal` becomes the count of equal octets. Keeps
  /// no octets, not even if chunks divide them.
  bool passes_id(std::string_view id, std::size_t& equal) {
    for (equal = 0; equal != id.size(); ++equal)
      if (in_.read<std::uint8_t>() != static_cast<unsigned char>(id[equal])) return false;
    return in_.read<std::uint8_t>() == 0 && in_.ok();
  }

  std::int64_t enumerator(const TypeNode& type) {
    const std::int64_t value = read_label(in_, type, labels_.is_signed(type));
    if (type.kind == TypeKind::tk_valued_enum && in_.ok() && labels_.find(type, value) == nullptr)
      in_.fail(ErrorKind::bad_enum);
    if (out_ != nullptr && in_.ok()) write_enumerator(*out_, type, value);
    return value;
  }

  /// Counts steps of comparisons with ids. For each octet that the walk has read, steps_of_octet
  /// steps are free. The decoder limits the other steps.
  void count_steps(std::uint64_t steps) {
    steps_ += steps;
    const std::uint64_t paid = (start_ - in_.remaining()) * steps_of_octet;
    if (steps_ <= paid) return;
    in_.count_steps(steps_ - paid);
    steps_ = paid;
  }

  /// Walks over decimal digits, two in an octet, and a sign. CORBA 3.0, 15.3.2.8.
  void fixed(const TypeNode& type) {
    const OctetSpan octets = in_.read_fixed(type.digits);
    if (out_ == nullptr || octets.empty()) return;
    if (inner_types_ == nullptr) return out_->write_octets(octets);
    // In a comparison, zeros in front do not count, and zero has one sign.
    const auto first = std::ranges::find_if(octets.first(octets.size() - 1),
                                            [](std::byte octet) { return octet != std::byte{0}; });
    const OctetSpan digits(first, octets.end());
    const bool is_zero = digits.size() == 1 && (digits[0] >> 4) == std::byte{0};
    if (is_zero) return out_->write(std::uint8_t{0x0c});
    out_->write_octets(digits);
  }

  void bits(const TypeNode& type) {
    const std::uint64_t value = type.bound <= 8    ? taken<std::uint8_t>()
                                : type.bound <= 16 ? taken<std::uint16_t>()
                                : type.bound <= 32 ? taken<std::uint32_t>()
                                                   : taken<std::uint64_t>();
    if (type.bound < 64 && value >> type.bound != 0) in_.fail(ErrorKind::bad_value);
  }

  TypeRef type_code() {
    TypeRef type = decode_type(in_);
    if (out_ == nullptr || !in_.ok() || inner_types_ != nullptr) return type;
    encode_type(*out_, *type.node);
    check_growth();
    return type;
  }

  /// Writes the kind of an any's type, and adds the type to `types`. `compared`: the type, or the
  /// type behind its aliases. Leaves out types without parameters, since many anys may have them.
  void collect(const TypeRef& type, const TypeNode& compared, std::vector<TypeRef>& types) {
    if (!in_.ok()) return;
    out_->write(static_cast<std::uint32_t>(compared.kind));
    const bool is_text =
        compared.kind == TypeKind::tk_string || compared.kind == TypeKind::tk_wstring;
    if (is_text || compared.kind == TypeKind::tk_fixed || is_complex(compared.kind))
      types.push_back(type);
  }

  /// Limits octets that are written although they were not read: ids, and types whose parts were
  /// indirections.
  void check_growth() {
    const std::size_t written = out_->buffer().size() - out_start_;
    if (written > copy_growth_base + (start_ - in_.remaining()) * copy_growth_max)
      in_.fail(ErrorKind::too_large);
  }

  void octet_sequence() {
    const OctetSpan octets = in_.read_octet_sequence();
    if (out_ == nullptr) return;
    out_->write_length(octets.size());
    out_->write_octets(octets);
  }

  /// Walks over an IOR: the type id, then profiles, each a tag and octets. CORBA 3.0, 13.6.2.
  void reference() {
    string();
    const std::size_t count = in_.read_length(8);
    if (out_ != nullptr) out_->write_length(count);
    for (std::size_t index = 0; index < count && in_.ok(); ++index) {
      one<std::uint32_t>();
      octet_sequence();
    }
  }

  /// Walks over a valuetype: its header, and its state by the TypeCode.
  void valuetype(const TypeNode& type) {
    if (transfer_ != nullptr) return transferred(&type);
    const ValueHeader header = value_header();
    if (header.kind == ValueHeader::Kind::state) value_with_state(type, header);
  }

  /// Walks over a boolean, then an object reference or a value. CORBA 3.0, 15.3.7. The TypeCode of
  /// an abstract interface does not describe the state of a value.
  void abstract_reference() {
    if (taken<bool>()) return reference();
    if (!in_.ok()) return;
    if (transfer_ != nullptr) return transferred(nullptr);
    const ValueHeader header = value_header();
    if (header.kind == ValueHeader::Kind::state) in_.fail(ErrorKind::no_value_factory);
  }

  /// Lets `transfer_` copy a valuetype. It may write a value in full where an indirection was read:
  /// this growth does not count.
  void transferred(const TypeNode* type) {
    const std::size_t before = out_->buffer().size();
    transfer_->transfer(in_, *out_, {type, owner_});
    if (!out_->ok()) in_.fail(out_->error().kind);
    out_start_ += out_->buffer().size() - before;
  }

  /// Reads the header of a value, and the whole value unless it has state.
  ValueHeader value_header() {
    has_valuetype_ = true;
    if (is_plain_only_) {
      in_.fail(ErrorKind::not_supported);
      return {};
    }
    if (in_.values() == nullptr) reading_.emplace(in_);
    if (out_ != nullptr && out_->values() == nullptr) writing_.emplace(*out_);
    ValueHeader header = in_.values()->begin(in_);
    if (header.kind == ValueHeader::Kind::null && out_ != nullptr) ValueWriting::write_null(*out_);
    if (header.kind == ValueHeader::Kind::earlier) earlier_value(header.number);
    if (header.kind == ValueHeader::Kind::outer && out_ != nullptr) in_.fail(ErrorKind::bad_value);
    return header;
  }

  void earlier_value(std::uint32_t number) {
    // The ValueReading also numbers values of skipped state, and values in front of this walk.
    const bool is_known = number >= first_value_ && number - first_value_ < walked_values_.size();
    if (stops_at_cycle_) {
      has_cycle_ = is_known && !walked_values_[number - first_value_].is_complete;
      if (has_cycle_) in_.fail(ErrorKind::value_cycle);
      return;
    }
    if (!is_known) return in_.fail(ErrorKind::bad_value);
    const auto& [key, is_complete] = walked_values_[number - first_value_];
    const bool is_skipped = key == nullptr && out_ != nullptr;
    if (is_skipped) return in_.fail(ErrorKind::bad_value);
    const bool is_refused =
        !is_complete && in_.environment() != nullptr && !in_.environment()->accepts_value_cycles();
    if (is_refused) return in_.fail(ErrorKind::value_cycle);
    if (out_ != nullptr && !out_->values()->write_earlier(*out_, key))
      in_.fail(ErrorKind::bad_value);
  }

  /// The position of the type's id in the list of the value; none if it is not there.
  std::optional<std::size_t> position_of_type(const TypeNode& type, const ValueHeader& header) {
    if (header.ids.empty() || type.id.empty()) return 0;
    const std::size_t count = header.is_chunked ? header.ids.size() : 1;
    for (std::size_t index = 0; index != count; ++index) {
      if (header.ids[index].size() != type.id.size()) continue;
      in_.values()->count_id_steps(in_, type.id.size());
      if (header.ids[index] == type.id) return index;
    }
    return std::nullopt;
  }

  void value_with_state(const TypeNode& type, const ValueHeader& header) {
    if (walked_values_.empty()) first_value_ = header.number;
    in_.charge(sizeof(WalkedValue));
    in_.count_object();
    const std::optional<std::size_t> position = position_of_type(type, header);
    if (!position || is_custom(type)) in_.fail(ErrorKind::no_value_factory);
    in_.enter();
    if (!in_.ok()) return;
    walked_values_.resize(header.number - first_value_ + 1);
    if (out_ != nullptr && !begin_written(type, header)) {
      if (!out_->ok()) in_.fail(out_->error().kind);
      return in_.fail(ErrorKind::bad_value);
    }
    state(type);
    walked_values_[header.number - first_value_].is_complete = true;
    if (header.is_chunked && in_.ok())
      in_.values()->end_chunked(
          in_, *position != 0 ? ValueReading::Rest::skip : ValueReading::Rest::refuse);
    if (out_ != nullptr && in_.ok()) out_->values()->end(*out_);
    in_.leave();
  }

  /// Writes the header of the value, with the ids of the TypeCode: the state is that of its type.
  bool begin_written(const TypeNode& type, const ValueHeader& header) {
    const void* const key = out_->values()->make_key();
    walked_values_.back().key = key;
    std::vector<std::string_view> ids = {type.id.empty() && !header.ids.empty() ? header.ids.front()
                                                                                : type.id};
    const TypeNode* node = &type;
    while (is_truncatable(*node) && ids.size() != value_ids_max) {
      node = &unaliased(*node->content);
      ids.push_back(node->id);
    }
    for (const std::string_view id : ids)
      in_.values()->count_id_steps(in_, ValueReading::lookup_steps(id));
    if (!in_.ok()) return false;
    // In a comparison, it does not matter whether the value came in chunks.
    const bool is_chunked = inner_types_ == nullptr && (header.is_chunked || ids.size() > 1);
    const bool is_begun = out_->values()->begin(
        *out_, key, ids, is_chunked ? ValueWriting::Chunks::yes : ValueWriting::Chunks::no);
    if (is_begun) check_growth();
    return is_begun && in_.ok();
  }

  /// Whether the TypeCode does not describe the state.
  static bool is_custom(const TypeNode& type) {
    constexpr std::int16_t custom = 1;  // CORBA::VM_CUSTOM
    return type.kind != TypeKind::tk_value_box && type.scale == custom;
  }

  static bool is_truncatable(const TypeNode& type) {
    constexpr std::int16_t truncatable = 3;  // CORBA::VM_TRUNCATABLE
    return type.kind != TypeKind::tk_value_box && type.scale == truncatable &&
           type.content != nullptr;
  }

  /// Walks over the state, that of the concrete base first. A TypeCode may name itself as its base.
  void state(const TypeNode& type) {
    if (type.kind == TypeKind::tk_value_box) return value(*type.content);
    if (type.content != nullptr) {
      in_.enter();
      if (in_.ok()) state(unaliased(*type.content));
      in_.leave();
    }
    for (const TypeMember& member : type.members) value(*member.type);
  }

  std::uint32_t length(const TypeNode& type) {
    const auto count = in_.read<std::uint32_t>();  // elements may take no octets
    if (type.bound != 0 && count > type.bound) in_.fail(ErrorKind::bad_length);
    if (out_ != nullptr) out_->write(count);
    return in_.ok() ? count : 0;
  }

  void pairs(const TypeNode& type) {
    const std::uint32_t count = length(type);
    for (std::uint32_t index = 0; index < count && in_.ok(); ++index) {
      value(*type.key);
      value(*type.content);
    }
  }

  void elements(const TypeNode& named, std::uint32_t count) {
    const TypeNode& type = unaliased(named);
    switch (type.kind) {
      case TypeKind::tk_octet:
      case TypeKind::tk_int8:
        return block<std::uint8_t>(count);
      case TypeKind::tk_short:
      case TypeKind::tk_ushort:
        return block<std::uint16_t>(count);
      case TypeKind::tk_long:
      case TypeKind::tk_ulong:
      case TypeKind::tk_float:
        return block<std::uint32_t>(count);
      case TypeKind::tk_double:
      case TypeKind::tk_longlong:
      case TypeKind::tk_ulonglong:
        return block<std::uint64_t>(count);
      default:
        for (std::uint32_t index = 0; index < count && in_.ok(); ++index) value(type);
    }
  }

  /// Numbers, in one block.
  template <typename T>
  void block(std::uint32_t count) {
    if (count == 0) return;
    in_.align(sizeof(T));
    if (count > in_.remaining() / sizeof(T)) return in_.fail(ErrorKind::bad_length);
    if (out_ == nullptr) return in_.skip(count * sizeof(T));
    std::array<T, 256> some;
    for (std::size_t left = count; left > 0;) {
      const std::span<T> part(some.data(), std::min(left, some.size()));
      in_.read_array(part);
      write(part);
      left -= part.size();
    }
  }
  // Copies the numbers, because they no longer exist when the message is sent.
  template <typename T>
  void write(std::span<T> numbers) {
    if (out_->swaps())
      for (T& number : numbers) number = reverse_octets(number);
    out_->align(sizeof(T));
    out_->write_copied_octets(std::as_bytes(numbers));
  }

  void union_value(const TypeNode& type) {
    const std::int64_t label = discriminator(unaliased(*type.content));
    if (!in_.ok()) return;
    const TypeMember* branch = labels_.find(type, label);
    if (branch == nullptr && type.default_index >= 0)
      branch = &type.members[static_cast<std::size_t>(type.default_index)];
    if (branch != nullptr) value(*branch->type);  // null: no branch has the label
  }

  std::int64_t discriminator(const TypeNode& type) {
    if (type.kind == TypeKind::tk_char) return static_cast<unsigned char>(taken<char>());
    if (type.kind == TypeKind::tk_wchar) return taken<wchar_t>();
    if (type.kind == TypeKind::tk_valued_enum) return enumerator(type);
    const std::int64_t label = read_label(in_, type);
    if (out_ != nullptr && in_.ok()) write_label(*out_, type, label);
    return label;
  }

  Decoder& in_;
  Encoder* out_;
  InnerTypes* inner_types_;
  std::size_t start_;
  std::size_t out_start_;
  std::uint64_t steps_ = 0;  // of comparisons
  LabelIndex labels_;
  bool is_plain_only_ = false;  // stop at a valuetype
  bool has_valuetype_ = false;
  bool stops_at_cycle_ = false;
  bool has_cycle_ = false;
  ValueTransfer* transfer_ = nullptr;
  std::shared_ptr<const void> owner_;    // keeps the type alive, if there is a transfer
  std::optional<ValueReading> reading_;  // unless the decoder and the encoder have them
  std::optional<ValueWriting> writing_;
  std::uint32_t first_value_ = 0;  // the number of the first valuetype of this walk
  std::vector<WalkedValue> walked_values_;
};

}  // namespace

void skip_value(Decoder& decoder, const TypeNode& type) { Walk(decoder).value(type); }

bool skip_plain_value(Decoder& decoder, const TypeNode& type) {
  Walk walk(decoder);
  return walk.plain_value(type);
}

void copy_value(Decoder& decoder, Encoder& encoder, const TypeNode& type) {
  Walk(decoder, &encoder).value(type);
}

void copy_value_with(Decoder& decoder, Encoder& encoder, const TypeRef& type,
                     ValueTransfer& values) {
  Walk(decoder, &encoder).value_with(type, values);
}

bool has_value_cycle(Decoder& decoder, const TypeNode& type) {
  DecoderMark start(decoder, DecoderMark::Before::values);
  const bool has_cycle = Walk(decoder).has_cycle(type);
  start.go_back();
  return has_cycle;
}

void write_comparable(Decoder& decoder, Encoder& encoder, const TypeNode& type,
                      InnerTypes& inner_types) {
  Walk(decoder, &encoder, &inner_types).value(type);
}

}  // namespace perigee::cdr
