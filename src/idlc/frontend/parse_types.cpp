// Types in use. CORBA 3.0, 3.11; IDL 4.2, 7.4.1.4.4.
#include "idlc/frontend/checks.h"
#include "idlc/frontend/grammar.h"

#include <array>
#include <limits>

namespace perigee::idlc {
namespace {

constexpr std::uint64_t bound_max = std::numeric_limits<std::uint32_t>::max();

/// Reads the rest of `long`, `long long`, `long double` or `unsigned long long`. The caller has
/// taken the first `long`.
const Type* parse_long(Context& context, bool is_unsigned) {
  TokenStream& tokens = context.tokens;
  if (tokens.accept_keyword("long")) {
    return context.types.basic(is_unsigned ? TypeKind::uint64 : TypeKind::int64);
  }
  if (!is_unsigned && tokens.accept_keyword("double")) {
    return context.types.basic(TypeKind::float128);
  }
  return context.types.basic(is_unsigned ? TypeKind::uint32 : TypeKind::int32);
}

const Type* parse_unsigned(Context& context) {
  TokenStream& tokens = context.tokens;
  if (tokens.accept_keyword("short")) return context.types.basic(TypeKind::uint16);
  if (tokens.accept_keyword("long")) return parse_long(context, true);
  tokens.report_unexpected("'short' or 'long' after 'unsigned'");
  return nullptr;
}

/// Reads `<N>` after string and wstring, if present.
const Type* parse_string(Context& context, TypeKind kind) {
  const InAngles in_angles(context);
  if (!context.tokens.accept("<")) return context.types.basic(kind);
  const auto bound = parse_positive(context, "the bound of a string", bound_max);
  if (!bound || !context.tokens.expect_closing_angle("after the bound of the string"))
    return nullptr;
  Type& type = context.types.make(kind);
  type.bound = *bound;
  return &type;
}

const Type* parse_sequence(Context& context) {
  const InAngles in_angles(context);
  TokenStream& tokens = context.tokens;
  if (!tokens.expect("<", "after 'sequence'")) return nullptr;
  const Location location = tokens.peek().location;
  const Type* element = parse_type(context, "the type of the sequence's elements");
  if (element == nullptr) return nullptr;
  warn_of_anonymous(context, *element, location);
  Type& type = context.types.make(TypeKind::sequence);
  type.element = element;
  if (tokens.accept(",")) {
    const auto bound = parse_positive(context, "the bound of a sequence", bound_max);
    if (!bound) return nullptr;
    type.bound = *bound;
  }
  return tokens.expect_closing_angle("after the type of the sequence's elements") ? &type : nullptr;
}

const Type* parse_map(Context& context) {
  const InAngles in_angles(context);
  TokenStream& tokens = context.tokens;
  if (!tokens.expect("<", "after 'map'")) return nullptr;
  const Location key_location = tokens.peek().location;
  const Type* key = parse_type(context, "the type of the map's keys");
  if (key == nullptr || !tokens.expect(",", "after the type of the map's keys")) return nullptr;
  warn_of_anonymous(context, *key, key_location);
  const Location location = tokens.peek().location;
  const Type* element = parse_type(context, "the type of the map's values");
  if (element == nullptr) return nullptr;
  warn_of_anonymous(context, *element, location);
  Type& type = context.types.make(TypeKind::map);
  type.key = key;
  type.element = element;
  if (tokens.accept(",")) {
    const auto bound = parse_positive(context, "the bound of a map", bound_max);
    if (!bound) return nullptr;
    type.bound = *bound;
  }
  return tokens.expect_closing_angle("after the type of the map's values") ? &type : nullptr;
}

const Type* parse_fixed(Context& context) {
  const InAngles in_angles(context);
  constexpr std::uint64_t digits_max = 31;
  TokenStream& tokens = context.tokens;
  if (!tokens.expect("<", "after 'fixed'")) return nullptr;
  const auto digits = parse_positive(context, "the number of digits", digits_max);
  if (!digits || !tokens.expect(",", "after the number of digits")) return nullptr;
  const Location location = tokens.peek().location;
  const auto scale = parse_constant(context, *context.types.basic(TypeKind::octet));
  if (!scale) return nullptr;
  Type& type = context.types.make(TypeKind::fixed);
  type.digits = static_cast<std::uint16_t>(*digits);
  type.scale = static_cast<std::uint16_t>(std::get<std::uint64_t>(*scale));
  if (type.scale > type.digits) {
    context.error(location, "the scale of a fixed type must not exceed its number of digits");
    return nullptr;
  }
  return tokens.expect_closing_angle("after the scale of the fixed type") ? &type : nullptr;
}

struct SimpleType {
  std::string_view word;
  TypeKind kind;
};

constexpr std::array simple_types = {
    SimpleType{"short", TypeKind::int16},    SimpleType{"float", TypeKind::float32},
    SimpleType{"double", TypeKind::float64}, SimpleType{"boolean", TypeKind::boolean},
    SimpleType{"octet", TypeKind::octet},    SimpleType{"char", TypeKind::char8},
    SimpleType{"wchar", TypeKind::wchar},    SimpleType{"any", TypeKind::any},
    SimpleType{"Object", TypeKind::object},  SimpleType{"ValueBase", TypeKind::value_base},
    SimpleType{"int8", TypeKind::int8},      SimpleType{"uint8", TypeKind::uint8},
    SimpleType{"int16", TypeKind::int16},    SimpleType{"uint16", TypeKind::uint16},
    SimpleType{"int32", TypeKind::int32},    SimpleType{"uint32", TypeKind::uint32},
    SimpleType{"int64", TypeKind::int64},    SimpleType{"uint64", TypeKind::uint64}};

const Type* parse_keyword_type(Context& context, std::string_view what) {
  TokenStream& tokens = context.tokens;
  for (const SimpleType& simple : simple_types) {
    if (tokens.accept_keyword(simple.word)) return context.types.basic(simple.kind);
  }
  if (tokens.accept_keyword("long")) return parse_long(context, false);
  if (tokens.accept_keyword("unsigned")) return parse_unsigned(context);
  if (tokens.accept_keyword("string")) return parse_string(context, TypeKind::string);
  if (tokens.accept_keyword("wstring")) return parse_string(context, TypeKind::wstring);
  if (tokens.accept_keyword("sequence")) return parse_sequence(context);
  if (tokens.accept_keyword("map")) return parse_map(context);
  if (tokens.accept_keyword("fixed")) return parse_fixed(context);
  if (tokens.at_keyword("struct") || tokens.at_keyword("union") || tokens.at_keyword("enum")) {
    context.error(tokens.peek().location,
                  with_article(tokens.peek().text) +
                      " cannot be defined here: define it before, and use its name");
    tokens.next();
    while (!tokens.at_end() && !tokens.at("{") && !tokens.at(";") && !tokens.at("}")) tokens.next();
    if (tokens.at("{")) tokens.skip_block();
    return nullptr;
  }
  tokens.report_unexpected(what);
  return nullptr;
}

}  // namespace

const Type* type_of(Context& context, Declaration* declaration, Location location) {
  if (context.templates.contains(declaration)) {
    context.error(location, "'" + declaration->name + "' is a template module, not a type");
    return nullptr;
  }
  switch (declaration->kind) {
    case DeclarationKind::type_definition:
      return context.types.named(TypeKind::alias, *declaration);
    case DeclarationKind::enumeration:
      return context.types.named(TypeKind::enumeration, *declaration);
    case DeclarationKind::structure:
      return context.types.named(TypeKind::structure, *declaration);
    case DeclarationKind::union_type:
      return context.types.named(TypeKind::union_type, *declaration);
    case DeclarationKind::interface:
      return context.types.named(TypeKind::interface, *declaration);
    case DeclarationKind::value_type:
      return context.types.named(TypeKind::value_type, *declaration);
    case DeclarationKind::value_box:
      return context.types.named(TypeKind::value_box, *declaration);
    case DeclarationKind::bitmask:
      return context.types.named(TypeKind::bitmask, *declaration);
    case DeclarationKind::bitset:
      return context.types.named(TypeKind::bitset, *declaration);
    case DeclarationKind::native:
      // CORBA 3.0, 10.7.1: TypeCode is a basic type, although its spelling looks like an interface.
      if (declaration->scoped_name == "::CORBA::TypeCode") {
        return context.types.basic(TypeKind::type_code);
      }
      return context.types.named(TypeKind::native, *declaration);
    default:
      break;
  }
  context
      .error(location, "'" + declaration->name + "' is " +
                           with_article(to_text(declaration->kind)) + ", not a type")
      .notes.push_back({declaration->location, "it was declared here"});
  return nullptr;
}

const Type* parse_type(Context& context, std::string_view what) {
  const Nesting nesting(context);
  if (!nesting.is_ok()) return nullptr;
  const Token& token = context.tokens.peek();
  if (token.kind != TokenKind::identifier && !token.is("::"))
    return parse_keyword_type(context, what);
  const ScopedName name = parse_scoped_name(context, what);
  if (name.is_empty()) return nullptr;
  Declaration* declaration = context.scopes.resolve(name);
  return declaration == nullptr ? nullptr : type_of(context, declaration, name.location());
}

const Type* parse_member_type(Context& context, std::string_view what) {
  TokenStream& tokens = context.tokens;
  Declaration* declaration = nullptr;
  const Location location = tokens.peek().location;
  if (tokens.at_keyword("struct")) {
    declaration = parse_struct(context, {});
  } else if (tokens.at_keyword("union")) {
    declaration = parse_union(context, {});
  } else if (tokens.at_keyword("enum")) {
    declaration = parse_enum(context, {});
  } else {
    return parse_type(context, what);
  }
  if (declaration == nullptr) return nullptr;
  if (const auto* forward = as<Forward>(declaration)) {
    context.error(location, "'" + forward->name + "' is only declared here, not defined");
    return nullptr;
  }
  return type_of(context, declaration, location);
}

const Type* parse_dimensions(Context& context, const Type* type) {
  constexpr std::size_t dimension_count_max = 16;
  constexpr std::uint64_t element_count_max = std::numeric_limits<std::uint32_t>::max();
  TokenStream& tokens = context.tokens;
  if (!tokens.at("[")) return type;
  const Location location = tokens.peek().location;
  Type& array = context.types.make(TypeKind::array);
  array.element = type;
  std::uint64_t element_count = 1;
  while (tokens.accept("[")) {
    const auto dimension = parse_positive(context, "the dimension of an array", bound_max);
    if (!dimension || !tokens.expect("]", "after the dimension of the array")) return nullptr;
    array.dimensions.push_back(*dimension);
    if (array.dimensions.size() > dimension_count_max ||
        *dimension > element_count_max / element_count) {
      context.error(location, "the array has more than 16 dimensions or 4294967295 elements");
      return nullptr;
    }
    element_count *= *dimension;
  }
  return &array;
}

}  // namespace perigee::idlc
