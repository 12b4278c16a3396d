// Writes TypeCodes. CORBA 3.0, 15.3.5.1 "TypeCode".
#include "cdr/typecode_label.h"
#include <perigee/cdr/typecode.h>

#include <algorithm>
#include <cstdint>

namespace perigee::cdr {

namespace {

// Limits for the growth of a received TypeCode when it is sent again.
constexpr std::uint64_t growth_max = 16;
constexpr std::uint64_t growth_base = 4096;

class TypeWriter final {
 public:
  TypeWriter(Encoder& encoder, TypeLimits limits)
      : limits_(limits), begin_(encoder.buffer().size()) {}

  void write(Encoder& encoder, const TypeNode& type) {
    if (!encoder.ok()) return;
    encoder.align(4);
    const std::size_t start = encoder.buffer().size();
    count_parts(encoder, 1);
    if (start - begin_ > limits_.octets_max) encoder.fail(ErrorKind::too_large);
    if (!encoder.ok()) return;
    if (const Open* outer = find(type)) return write_indirection(encoder, start, outer->start);
    if (open_.size() >= limits_.depth_max) return encoder.fail(ErrorKind::too_deep);
    if (type.kind == TypeKind::tk_recursive) return encoder.fail(ErrorKind::bad_value);
    encoder.write(static_cast<std::uint32_t>(type.kind));
    open_.push_back({&type, start});
    write_parameters(encoder, type);
    open_.pop_back();
  }

 private:
  /// A TypeCode that is being written, and where it begins in the buffer.
  struct Open {
    const TypeNode* type;
    std::size_t start;
  };

  /// Counts types and members without a type, as a decoder does.
  void count_parts(Encoder& encoder, std::size_t count) {
    parts_written_ += count;
    if (parts_written_ > limits_.nodes_max) encoder.fail(ErrorKind::too_large);
  }

  /// Looks only for types that may recur: a sequence that contains itself does so by way of a
  /// struct.
  const Open* find(const TypeNode& type) const {
    if (!may_recur(type.kind)) return nullptr;
    const auto found = std::ranges::find(open_, &type, &Open::type);
    return found == open_.end() ? nullptr : &*found;
  }

  /// Writes at `start` an indirection to the TypeCode at `target`. The offset counts from the field
  /// that contains it, in the message: interop fact 36 of docs/interop.md.
  static void write_indirection(Encoder& encoder, std::size_t start, std::size_t target) {
    encoder.write(indirection_tag);
    encoder.write(static_cast<std::int32_t>(static_cast<std::int64_t>(target) -
                                            static_cast<std::int64_t>(start + 4)));
  }

  void write_parameters(Encoder& encoder, const TypeNode& type) {
    switch (type.kind) {
      case TypeKind::tk_string:
      case TypeKind::tk_wstring:
        return encoder.write(type.bound);
      case TypeKind::tk_fixed:
        encoder.write(type.digits);
        return encoder.write(type.scale);
      default:
        break;
    }
    if (!is_complex(type.kind)) return;
    if (!type.encapsulation.empty() && !has_wide_labels(type)) {
      encoder.write_length(type.encapsulation.size());
      return copy_octets(encoder, type.encapsulation);
    }
    encoder.write_encapsulation([&](Encoder& body) { write_body(body, type); });
  }

  /// Labels of type wchar are encoded again, always as big-endian UTF-16 without a byte order mark.
  /// Received labels may have a mark, and the other byte order.
  static bool has_wide_labels(const TypeNode& type) {
    return type.kind == TypeKind::tk_union && unaliased(*type.content).kind == TypeKind::tk_wchar;
  }

  /// Copies the octets into the buffer. They are never borrowed: the type may no longer exist when
  /// the message is sent.
  static void copy_octets(Encoder& encoder, OctetSpan octets) {
    std::ranges::copy(octets, encoder.buffer().extend(octets.size()));
  }

  void write_body(Encoder& body, const TypeNode& type) {
    switch (type.kind) {
      case TypeKind::tk_sequence:
      case TypeKind::tk_array:
        write(body, *type.content);
        return body.write(type.bound);
      case TypeKind::tk_map:
        write(body, *type.key);
        write(body, *type.content);
        return body.write(type.bound);
      default:
        break;
    }
    body.write_string(type.id);
    body.write_string(type.name);
    switch (type.kind) {
      case TypeKind::tk_alias:
      case TypeKind::tk_value_box:
        return write(body, *type.content);
      case TypeKind::tk_struct:
      case TypeKind::tk_except:
      case TypeKind::tk_enum:
        return write_members(body, type);
      case TypeKind::tk_union:
        return write_union(body, type);
      case TypeKind::tk_value:
      case TypeKind::tk_event:
        return write_value(body, type);
      case TypeKind::tk_bitmask:
      case TypeKind::tk_bitset:
        return write_bits(body, type);
      case TypeKind::tk_valued_enum:
        return write_values(body, type);
      default:
        return;  // interfaces have only an id and a name
    }
  }

  void write_members(Encoder& body, const TypeNode& type) {
    body.write_length(type.members.size());
    for (const TypeMember& member : type.members) {
      body.write_string(member.name);
      if (member.type != nullptr)
        write(body, *member.type);
      else
        count_parts(body, 1);
    }
  }

  void write_union(Encoder& body, const TypeNode& type) {
    write(body, *type.content);
    body.write(type.default_index);
    body.write_length(type.members.size());
    const TypeNode& discriminator = unaliased(*type.content);
    for (const TypeMember& member : type.members) {
      write_label(body, discriminator, member.label);
      body.write_string(member.name);
      write(body, *member.type);
    }
  }

  void write_value(Encoder& body, const TypeNode& type) {
    body.write(type.scale);
    write(body, type.content != nullptr ? *type.content : basic_node<TypeKind::tk_null>);
    body.write_length(type.members.size());
    for (const TypeMember& member : type.members) {
      body.write_string(member.name);
      write(body, *member.type);
      body.write(static_cast<std::int16_t>(member.label));
    }
  }

  void write_bits(Encoder& body, const TypeNode& type) {
    count_parts(body, type.members.size());
    body.write(type.bound);
    body.write_length(type.members.size());
    for (const TypeMember& member : type.members) {
      body.write_string(member.name);
      body.write(static_cast<std::uint16_t>(member.label));
    }
  }

  void write_values(Encoder& body, const TypeNode& type) {
    count_parts(body, type.members.size());
    body.write(type.bound);
    body.write_length(type.members.size());
    for (const TypeMember& member : type.members) {
      body.write_string(member.name);
      body.write(member.label);
    }
  }

  TypeLimits limits_;
  std::size_t begin_;  // of the outermost TypeCode, in the buffer
  std::size_t parts_written_ = 0;
  std::vector<Open> open_;
};

}  // namespace

void encode_type(Encoder& encoder, const TypeNode& type, TypeLimits limits) {
  if (type.kind <= TypeKind::tk_Principal)
    return encoder.write(static_cast<std::uint32_t>(type.kind));
  // With indirections, a peer can send a large type in few octets. The written type must not become
  // much larger.
  if (!type.encapsulation.empty())
    limits.octets_max = static_cast<std::size_t>(std::min<std::uint64_t>(
        limits.octets_max, growth_base + growth_max * type.encapsulation.size()));
  TypeWriter(encoder, limits).write(encoder, type);
}

}  // namespace perigee::cdr
