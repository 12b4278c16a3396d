// Reads TypeCodes, which come from the network. The target of each indirection must have been read
// before. Each count must fit into the remaining octets. Nesting and the number of parts are
// limited. CORBA 3.0, 15.3.5.1 "TypeCode".
#include "cdr/label_index.h"
#include "cdr/type_arena.h"
#include "cdr/typecode_label.h"
#include <perigee/cdr/typecode.h>

#include <algorithm>
#include <utility>

namespace perigee::cdr {

namespace {

/// The constant node of a kind without parameters; nullptr for other kinds.
const TypeNode* find_basic(TypeKind kind) noexcept {
  using enum TypeKind;
  static constexpr const TypeNode* first_kinds[] = {
      &basic_node<tk_null>,     &basic_node<tk_void>,     &basic_node<tk_short>,
      &basic_node<tk_long>,     &basic_node<tk_ushort>,   &basic_node<tk_ulong>,
      &basic_node<tk_float>,    &basic_node<tk_double>,   &basic_node<tk_boolean>,
      &basic_node<tk_char>,     &basic_node<tk_octet>,    &basic_node<tk_any>,
      &basic_node<tk_TypeCode>, &basic_node<tk_Principal>};
  if (kind <= tk_Principal) return first_kinds[static_cast<std::size_t>(kind)];
  switch (kind) {
    case tk_longlong:
      return &basic_node<tk_longlong>;
    case tk_ulonglong:
      return &basic_node<tk_ulonglong>;
    case tk_longdouble:
      return &basic_node<tk_longdouble>;
    case tk_wchar:
      return &basic_node<tk_wchar>;
    case tk_int8:
      return &basic_node<tk_int8>;
    default:
      return nullptr;
  }
}

bool is_known(std::uint32_t kind) noexcept {
  return kind <= static_cast<std::uint32_t>(TypeKind::tk_event) ||
         (kind >= static_cast<std::uint32_t>(TypeKind::tk_int8) &&
          kind <= static_cast<std::uint32_t>(TypeKind::tk_valued_enum));
}

/// The type without the aliases around it; nullptr while an alias is still being read.
const TypeNode* find_unaliased(const TypeNode& type) noexcept {
  const TypeNode* node = &type;
  while (node != nullptr && node->kind == TypeKind::tk_alias) node = node->content;
  return node;
}

bool is_fixed(const TypeNode& node) noexcept {
  return node.digits >= 1 && node.digits <= 31 && node.scale >= 0 && node.scale <= node.digits;
}

void read_simple(TypeNode& node, Decoder& decoder) {
  if (node.kind == TypeKind::tk_fixed) {
    node.digits = decoder.read<std::uint16_t>();
    node.scale = decoder.read<std::int16_t>();
    if (!is_fixed(node)) decoder.fail(ErrorKind::bad_value);
  } else {
    node.bound = decoder.read<std::uint32_t>();
  }
}

// Limits the memory that is reserved before the members are read: each of many nested types may
// announce as many members as fit into the rest of the octets.
constexpr std::size_t reserved_members_max = 64;

/// A decoder for a part of the top-level TypeCode, and where the part begins in that TypeCode.
struct Part {
  Decoder decoder;
  std::size_t base = 0;

  [[nodiscard]] std::size_t position() const noexcept { return base + decoder.position(); }
};

class TypeReader final {
 public:
  /// `message`: the decoder that the memory of the TypeCode is charged to.
  TypeReader(TypeArena& arena, TypeLimits limits, Decoder& message)
      : arena_(arena), limits_(limits), message_(message) {}

  /// Reads the top-level TypeCode. Its kind and length were read already: `body` begins 8 octets
  /// after the position of the kind.
  const TypeNode* read_top(TypeKind kind, OctetSpan body) {
    size_ = 8 + body.size();
    TypeNode& node = make(kind, 0);
    read_complex(node, body, 8);
    if (error_ != ErrorKind::none) return nullptr;
    node.encapsulation = body;
    return &node;
  }
  [[nodiscard]] ErrorKind error() const noexcept { return error_; }

 private:
  /// A TypeCode that was read, at least in part, and the position where it begins: a multiple of 4.
  struct Visited {
    std::size_t position;
    TypeNode* node;
    bool is_complete;
  };

  TypeNode& make(TypeKind kind, std::size_t position) {
    charge(sizeof(TypeNode) + sizeof(Visited) + sizeof(void*));
    TypeNode& node = arena_.add(TypeNode{.kind = kind});
    visited_.push_back({position, &node, false});
    if (!numbers_.empty()) numbers_[position / 4] = static_cast<std::uint32_t>(visited_.size());
    open_.push_back(visited_.size() - 1);
    return node;
  }

  /// The result is never nullptr: it is tk_null after an error.
  const TypeNode* read(Part& part) {
    Decoder& decoder = part.decoder;
    count_part();
    decoder.align(4);
    const std::size_t position = part.position();
    const auto number = decoder.read<std::uint32_t>();
    if (number == indirection_tag) return read_indirection(part);
    if (!is_known(number)) decoder.fail(ErrorKind::bad_value);
    if (!check(decoder)) return &basic_node<TypeKind::tk_null>;
    const auto kind = static_cast<TypeKind>(number);
    if (const TypeNode* basic = find_basic(kind)) return basic;
    TypeNode& node = make(kind, position);
    if (is_complex(kind))
      read_body(node, part);
    else
      read_simple(node, decoder);
    visited_[open_.back()].is_complete = true;
    open_.pop_back();
    return check(decoder) ? &node : &basic_node<TypeKind::tk_null>;
  }

  const TypeNode* read_indirection(Part& part) {
    const auto field = static_cast<std::int64_t>(part.position());
    const auto offset = part.decoder.read<std::int32_t>();
    const std::int64_t target = field + offset;
    const bool is_possible = offset < -4 && target >= 0 && target % 4 == 0;
    const std::uint32_t number = is_possible ? number_at(static_cast<std::size_t>(target)) : 0;
    if (number == 0 || !may_lead_to(number - 1)) part.decoder.fail(ErrorKind::bad_value);
    return check(part.decoder) ? visited_[number - 1].node : &basic_node<TypeKind::tk_null>;
  }

  /// The number of the TypeCode that begins at `position`: 1 is the first one in `visited_`, and 0
  /// means that none begins there. `position` is less than the present position. A table makes the
  /// look-up independent of the number of TypeCodes. The first look-up makes the table.
  std::uint32_t number_at(std::size_t position) {
    if (numbers_.empty()) {
      charge(size_);
      numbers_.resize(size_ / 4 + 1);
      for (std::size_t index = 0; index < visited_.size(); ++index)
        numbers_[visited_[index].position / 4] = static_cast<std::uint32_t>(index + 1);
    }
    return numbers_[position / 4];
  }

  /// An indirection to an incomplete type makes a cycle, which must go through a type that may
  /// recur. The target need not be that type. Example: `typedef sequence<Node> Nodes`, where Node
  /// is a struct with a member of type Nodes. omniORB's indirection leads to the typedef.
  bool may_lead_to(std::size_t index) const noexcept {
    return visited_[index].is_complete ||
           std::ranges::any_of(open_, [this, index](std::size_t open) {
             return open >= index && may_recur(visited_[open].node->kind);
           });
  }

  void read_body(TypeNode& node, Part& outer) {
    const std::size_t size = outer.decoder.read_length(1);
    const std::size_t base = outer.position();
    const OctetSpan body = outer.decoder.read_octets(size);
    if (check(outer.decoder)) read_complex(node, body, base);
  }

  void read_complex(TypeNode& node, OctetSpan body, std::size_t base) {
    if (depth_ >= limits_.depth_max) return fail(ErrorKind::too_deep);
    ++depth_;
    Part part{Decoder::from_encapsulation(body), base};
    read_parameters(node, part);
    check(part.decoder);
    --depth_;
  }

  void read_parameters(TypeNode& node, Part& part) {
    Decoder& decoder = part.decoder;
    switch (node.kind) {
      case TypeKind::tk_map:
        node.key = read(part);
        [[fallthrough]];
      case TypeKind::tk_sequence:
      case TypeKind::tk_array:
        node.content = read(part);
        node.bound = decoder.read<std::uint32_t>();
        return;
      default:
        break;
    }
    node.id = decoder.read_string_view();
    node.name = decoder.read_string_view();
    switch (node.kind) {
      case TypeKind::tk_alias:
        node.content = read(part);
        return count_aliases(*node.content);
      case TypeKind::tk_value_box:
        node.content = read(part);
        return;
      case TypeKind::tk_struct:
      case TypeKind::tk_except:
        return read_members(node, part, 8, &TypeReader::read_member);
      case TypeKind::tk_enum:
        return read_members(node, part, 4, &TypeReader::read_enumerator);
      case TypeKind::tk_union:
        return read_union(node, part);
      case TypeKind::tk_value:
      case TypeKind::tk_event:
        return read_value(node, part);
      case TypeKind::tk_bitmask:
      case TypeKind::tk_bitset:
        read_bit_count(node, decoder);
        return read_members(node, part, 6, &TypeReader::read_bits);
      case TypeKind::tk_valued_enum:
        read_bit_count(node, decoder);
        return read_members(node, part, 12, &TypeReader::read_enumerator_value);
      default:
        return;  // interfaces have no more fields
    }
  }

  static void read_bit_count(TypeNode& node, Decoder& decoder) {
    node.bound = decoder.read<std::uint32_t>();
    if (node.bound > 64) decoder.fail(ErrorKind::bad_value);
  }

  /// Counts a type, or a member without a type.
  void count_part() noexcept {
    if (++parts_ > limits_.nodes_max) fail(ErrorKind::too_large);
  }
  /// Called before the memory is taken.
  void charge(std::size_t memory) noexcept {
    message_.charge(memory);
    if (!message_.ok()) fail(message_.error().kind);
  }
  /// Charges the memory of one more member. The vector of the members may have twice the room that
  /// it needs. False after an error.
  bool begin_member(Part& part) noexcept {
    charge(2 * sizeof(TypeMember));
    return check(part.decoder);
  }

  using MemberReader = void (TypeReader::*)(TypeMember&, const TypeNode&, Part&);

  void read_members(TypeNode& node, Part& part, std::size_t size_min, MemberReader read_one) {
    const std::size_t count = part.decoder.read_length(size_min);
    std::vector<TypeMember> members;
    members.reserve(std::min(count, reserved_members_max));
    for (std::size_t index = 0; index < count && begin_member(part); ++index)
      (this->*read_one)(members.emplace_back(), node, part);
    node.members = arena_.add(std::move(members));
  }

  /// Indirections can build long chains of aliases without nesting. Such chains take time to
  /// resolve, so their length is limited.
  void count_aliases(const TypeNode& content) noexcept {
    std::uint32_t count = 1;
    for (const TypeNode* node = &content; node != nullptr && node->kind == TypeKind::tk_alias;
         node = node->content)
      if (++count > limits_.depth_max) return fail(ErrorKind::too_deep);
  }

  void read_member(TypeMember& member, const TypeNode&, Part& part) {
    member.name = part.decoder.read_string_view();
    member.type = read(part);
  }
  void read_enumerator(TypeMember& member, const TypeNode&, Part& part) {
    count_part();
    member.name = part.decoder.read_string_view();
  }
  void read_state_member(TypeMember& member, const TypeNode& node, Part& part) {
    read_member(member, node, part);
    member.label = part.decoder.read<std::int16_t>();
  }
  void read_bits(TypeMember& member, const TypeNode&, Part& part) {
    count_part();
    member.name = part.decoder.read_string_view();
    member.label = part.decoder.read<std::uint16_t>();
    if (member.label > 64) part.decoder.fail(ErrorKind::bad_value);
  }

  void read_enumerator_value(TypeMember& member, const TypeNode&, Part& part) {
    count_part();
    member.name = part.decoder.read_string_view();
    member.label = part.decoder.read<std::int64_t>();
  }

  void read_union(TypeNode& node, Part& part) {
    node.content = read(part);
    node.default_index = part.decoder.read<std::int32_t>();
    const TypeNode* const discriminator = find_unaliased(*node.content);
    if (discriminator == nullptr || !is_discriminator(discriminator->kind))
      return part.decoder.fail(ErrorKind::bad_value);
    read_branches(node, part, *discriminator);
    // omniORB writes -2 if the labels cover all values
    node.default_index = std::max(node.default_index, -1);
    const auto count = static_cast<std::int64_t>(node.members.size());
    if (node.default_index >= count) part.decoder.fail(ErrorKind::bad_value);
  }

  void read_branches(TypeNode& node, Part& part, const TypeNode& discriminator) {
    const std::size_t count = part.decoder.read_length(9);
    const bool is_signed = labels_.is_signed(discriminator);
    std::vector<TypeMember> members;
    members.reserve(std::min(count, reserved_members_max));
    for (std::size_t index = 0; index < count && begin_member(part); ++index) {
      TypeMember& member = members.emplace_back();
      if (static_cast<std::int64_t>(index) == node.default_index)
        skip_default_label(part.decoder, discriminator);
      else
        member.label = read_label(part.decoder, discriminator, is_signed);
      read_member(member, node, part);
    }
    node.members = arena_.add(std::move(members));
  }

  /// The label of the default may have any value. JacORB writes one octet of 0, whatever the
  /// discriminator's type is. The octets that follow tell which form the label has.
  static void skip_default_label(Decoder& decoder, const TypeNode& discriminator) noexcept {
    Decoder ahead = decoder;
    skip_label(ahead, discriminator);
    if (is_at_branch(ahead))
      decoder = ahead;
    else if (decoder.read<std::uint8_t>() != 0)
      decoder.fail(ErrorKind::bad_value);
  }

  /// Whether a name and a TypeCode follow.
  static bool is_at_branch(Decoder decoder) noexcept {
    (void)decoder.read_string_view();
    const auto kind = decoder.read<std::uint32_t>();
    return decoder.ok() && (kind == indirection_tag || is_known(kind));
  }

  void read_value(TypeNode& node, Part& part) {
    node.scale = part.decoder.read<std::int16_t>();
    const TypeNode* base = read(part);
    if (base->kind == TypeKind::tk_value || base->kind == TypeKind::tk_event)
      node.content = base;
    else if (base->kind != TypeKind::tk_null)
      part.decoder.fail(ErrorKind::bad_value);
    read_members(node, part, 10, &TypeReader::read_state_member);
  }

  void fail(ErrorKind kind) noexcept {
    if (error_ == ErrorKind::none) error_ = kind;
  }
  /// Takes over the error of the decoder. Stops the decoder after an error elsewhere.
  bool check(Decoder& decoder) noexcept {
    if (!decoder.ok()) fail(decoder.error().kind);
    if (error_ != ErrorKind::none && decoder.ok()) decoder.fail(error_);
    return error_ == ErrorKind::none;
  }

  TypeArena& arena_;
  TypeLimits limits_;
  Decoder& message_;
  std::size_t parts_ = 1;  // the top-level TypeCode
  std::uint32_t depth_ = 0;
  std::size_t size_ = 0;  // of the top-level TypeCode, its kind and length included
  std::vector<Visited> visited_;
  std::vector<std::uint32_t> numbers_;  // the table of number_at, by position / 4
  std::vector<std::size_t> open_;       // indexes in `visited_` of the nodes that are incomplete
  LabelIndex labels_;                   // many unions may share one large enum
  ErrorKind error_ = ErrorKind::none;
};

/// Reads a type that has parameters, but no encapsulation.
TypeRef decode_simple(Decoder& decoder, TypeKind kind) {
  TypeNode node{.kind = kind};
  read_simple(node, decoder);
  if (!decoder.ok()) return {};
  if (kind == TypeKind::tk_string && node.bound == 0) return {&string_node<>, nullptr};
  if (kind == TypeKind::tk_wstring && node.bound == 0) return {&wstring_node<>, nullptr};
  decoder.count_object();
  if (!decoder.ok()) return {};
  auto owner = std::make_shared<const TypeNode>(node);
  const TypeNode* const address = owner.get();
  return {address, std::move(owner)};
}

}  // namespace

TypeRef decode_type(Decoder& decoder, TypeLimits limits) {
  const auto number = decoder.read<std::uint32_t>();
  if (!is_known(number)) decoder.fail(ErrorKind::bad_value);
  if (!decoder.ok()) return {};
  const auto kind = static_cast<TypeKind>(number);
  if (const TypeNode* basic = find_basic(kind)) return {basic, nullptr};
  if (!is_complex(kind)) return decode_simple(decoder, kind);
  const OctetSpan body = decoder.read_octet_sequence();
  decoder.count_object();
  if (!decoder.ok()) return {};
  decoder.charge(body.size());
  if (!decoder.ok()) return {};
  auto arena = std::make_shared<TypeArena>();
  arena->octets.assign(body.begin(), body.end());
  TypeReader reader(*arena, limits, decoder);
  const TypeNode* const node = reader.read_top(kind, arena->octets);
  if (node != nullptr) return {node, std::move(arena)};
  decoder.fail(reader.error());  // no effect if the decoder has failed already
  return {};
}

const TypeNode& unaliased(const TypeNode& type) noexcept { return *find_unaliased(type); }

}  // namespace perigee::cdr
