// Parses bitmasks and bitsets of IDL 4. IDL 4.2, 7.4.13.
#include "idlc/frontend/checks.h"
#include "idlc/frontend/constants.h"
#include "idlc/frontend/grammar.h"

namespace perigee::idlc {
namespace {

/// The type that holds `size` bits.
TypeKind type_of_size(std::uint64_t size) {
  if (size == 1) return TypeKind::boolean;
  if (size <= 8) return TypeKind::octet;
  if (size <= 16) return TypeKind::uint16;
  return size <= 32 ? TypeKind::uint32 : TypeKind::uint64;
}

/// Parses `bitfield<size[, type]> a, b;`. Returns false after an error.
bool parse_bitfield(Context& context, Bitset& bitset) {
  TokenStream& tokens = context.tokens;
  parse_annotations(context);
  if (!tokens.accept_keyword("bitfield")) {
    tokens.report_unexpected("'bitfield' in the bitset");
    return false;
  }
  if (!tokens.expect("<", "after 'bitfield'")) return false;
  const InAngles in_angles(context);
  const auto size = parse_positive(context, "the size of a bitfield", bit_count_max);
  if (!size) return false;
  const Type* type = context.types.basic(type_of_size(*size));
  if (tokens.accept(",")) {
    const Location location = tokens.peek().location;
    type = parse_type(context, "the type of the bitfield");
    if (type == nullptr) return false;
    const TypeKind kind = unaliased(*type).kind;
    if (kind != TypeKind::boolean && !integer_range(kind)) {
      context.error(location, "the type of a bitfield must be boolean or an integer type");
      return false;
    }
  }
  if (!tokens.expect_closing_angle("after the size of the bitfield")) return false;
  const auto field_size = static_cast<std::uint16_t>(*size);
  if (tokens.at(";")) bitset.fields.push_back({"", tokens.peek().location, field_size, type});
  while (!tokens.at(";")) {
    const auto identifier = parse_identifier(context, "the name of a bitfield");
    if (!identifier) return false;
    context.scopes.declare(*identifier, nullptr, "bitfield");
    bitset.fields.push_back({identifier->name, identifier->location, field_size, type});
    if (!tokens.accept(",")) break;
  }
  tokens.expect_semicolon("the bitfield");
  return true;
}

void parse_bitset_base(Context& context, Bitset& bitset) {
  const ScopedName name = parse_scoped_name(context, "the name of the base bitset");
  Declaration* declaration = name.is_empty() ? nullptr : context.scopes.resolve(name);
  if (declaration == nullptr) return;
  const auto* base = as<Bitset>(declaration);
  if (base == nullptr) return report_other_kind(context, name, *declaration, "a bitset");
  if (base == &bitset) {
    context.error(name.location(), "'" + base->name + "' cannot be a base of itself");
    return;
  }
  bitset.base = base;
}

}  // namespace

Declaration* parse_bitmask(Context& context, Annotations annotations) {
  TokenStream& tokens = context.tokens;
  tokens.next();
  const auto identifier = parse_identifier(context, "the name of the bitmask");
  if (!identifier || !tokens.expect("{", "after the name of the bitmask")) return nullptr;
  const std::uint64_t bound =
      annotated_number(context, annotations, "bit_bound", 32, {1, bit_count_max});
  Bitmask& bitmask = declare<Bitmask>(context, *identifier, std::move(annotations));
  bitmask.bit_bound = static_cast<std::uint16_t>(bound);
  Declarations none;
  const Inside inside(context, bitmask, none);
  std::uint64_t next_position = 0;
  do {
    const Annotations flag_annotations = parse_annotations(context);
    const auto flag = parse_identifier(context, "the name of a flag");
    if (!flag) {
      tokens.skip_to_block_end();
      return &bitmask;
    }
    const std::uint64_t position = annotated_number(context, flag_annotations, "position",
                                                    next_position, {0, bit_count_max - 1});
    if (position >= bound) {
      context.error(flag->location, "flag '" + flag->name + "' has position " +
                                        std::to_string(position) + ", outside the bitmask's " +
                                        std::to_string(bound) + " bits");
    }
    for (const BitFlag& known : bitmask.flags) {
      if (known.position != position) continue;
      context.error(flag->location,
                    "flag '" + flag->name + "' has the position of '" + known.name + "'");
    }
    context.scopes.declare(*flag, nullptr, "flag");
    if (bitmask.flags.size() < bit_count_max) {
      bitmask.flags.push_back({flag->name, flag->location, static_cast<std::uint16_t>(position)});
    }
    next_position = position + 1;
  } while (tokens.accept(","));
  if (!tokens.expect("}", "after the flags of '" + bitmask.name + "'")) tokens.skip_to_block_end();
  return &bitmask;
}

Declaration* parse_bitset(Context& context, Annotations annotations) {
  TokenStream& tokens = context.tokens;
  tokens.next();
  const auto identifier = parse_identifier(context, "the name of the bitset");
  if (!identifier || (!tokens.at("{") && !tokens.at(":"))) {
    if (identifier) tokens.report_unexpected("'{' after the name of the bitset");
    return nullptr;
  }
  Bitset& bitset = declare<Bitset>(context, *identifier, std::move(annotations));
  if (tokens.accept(":")) parse_bitset_base(context, bitset);
  Declarations none;
  const Inside inside(context, bitset, none);
  limit_depth(context, bitset, context.types.depth(bitset.base));
  if (Scope* base = context.scopes.scope_of(bitset.base)) context.scopes.current().add_base(*base);
  if (!tokens.expect("{", "after the name of the bitset")) return nullptr;
  while (!tokens.at_end() && !tokens.at("}")) {
    if (!parse_bitfield(context, bitset)) tokens.recover();
  }
  tokens.expect("}", "at the end of bitset '" + bitset.name + "'");
  if (bitset.base != nullptr) bitset.bit_count = bitset.base->bit_count;
  for (const BitField& field : bitset.fields) bitset.bit_count += field.size;
  if (bitset.bit_count > bit_count_max) {
    context.error(bitset.location, "bitset '" + bitset.name + "' has " +
                                       std::to_string(bitset.bit_count) + " bits, more than 64");
  }
  return &bitset;
}

}  // namespace perigee::idlc
