// Parses structs, exceptions and enums. CORBA 3.0, 3.11.2 and 3.12.
#include "idlc/frontend/checks.h"
#include "idlc/frontend/constants.h"
#include "idlc/frontend/forward.h"
#include "idlc/frontend/grammar.h"

#include <algorithm>
#include <span>

namespace perigee::idlc {

void parse_members(Context& context, std::vector<Member>& members, AnnotatedPlace place) {
  TokenStream& tokens = context.tokens;
  const Annotations annotations = parse_annotations(context, place);
  const Location type_location = tokens.peek().location;
  const Type* base = parse_member_type(context, "the type of a member");
  if (base == nullptr) return tokens.recover();
  const std::size_t first = members.size();
  do {
    const auto identifier = parse_identifier(context, "the name of a member");
    const Type* type = identifier ? parse_dimensions(context, base) : nullptr;
    if (type == nullptr) return tokens.recover();
    if (members.size() == first) check_member(context, *type, type_location);
    if (members.size() == first || type != base) {
      warn_of_anonymous(context, *type, type == base ? type_location : identifier->location);
    }
    context.scopes.declare(*identifier, nullptr, "member");
    members.push_back({identifier->name, identifier->location, type, annotations});
  } while (tokens.accept(","));
  tokens.expect_semicolon("the member");
  Annotations trailing;
  add_trailing_annotations(context, trailing, place);
  for (std::size_t i = first; i < members.size(); ++i) {
    auto& own = members[i].annotations;
    own.insert(own.end(), trailing.begin(), trailing.end());
  }
}

namespace {

void parse_body(Context& context, std::vector<Member>& members, const std::string& name) {
  while (!context.tokens.at_end() && !context.tokens.at("}")) {
    const std::size_t first = members.size();
    parse_members(context, members, AnnotatedPlace::member);
    for (Member& member : std::span(members).subspan(first)) {
      apply_optional(context, member);
      if (member.type->kind != TypeKind::optional)
        member.initial = default_of(context, member.annotations, *member.type);
    }
  }
  context.tokens.expect("}", "at the end of '" + name + "'");
}

/// Parses the base in `struct S : Base` of IDL 4.
void parse_struct_base(Context& context, Struct& structure) {
  const ScopedName name = parse_scoped_name(context, "the name of the base struct");
  Declaration* declaration = name.is_empty() ? nullptr : context.scopes.resolve(name);
  if (declaration == nullptr) return;
  const auto* base = as<Struct>(declaration);
  if (base == nullptr) return report_other_kind(context, name, *declaration, "a struct");
  if (!base->is_defined) return report_undefined_base(context, name, *base);
  check_struct_base(context, *base, name.location());
  structure.base = base;
  if (Scope* scope = context.scopes.scope_of(base)) {
    Scope* own = context.scopes.scope_of(&structure);
    if (own != nullptr) own->add_base(*scope);
  }
}

}  // namespace

Declaration* parse_struct(Context& context, Annotations annotations) {
  const Nesting nesting(context);
  TokenStream& tokens = context.tokens;
  tokens.next();
  const auto identifier = parse_identifier(context, "the name of the struct");
  if (!nesting.is_ok() || !identifier) return nullptr;
  if (tokens.at(";")) {
    return declare_forward<Struct>(context, *identifier, std::move(annotations));
  }
  if (!tokens.at("{") && !tokens.at(":")) {
    tokens.report_unexpected("'{' after the name of the struct");
    return nullptr;
  }
  Struct& structure = define_node<Struct>(context, *identifier, std::move(annotations));
  const Inside inside(context, structure, structure.nested);
  if (tokens.accept(":")) parse_struct_base(context, structure);
  if (!tokens.expect("{", "after the name of the struct")) return nullptr;
  const Location end_of_head = tokens.previous_end();
  const std::size_t errors_before = context.diagnostics.error_count();
  parse_body(context, structure.members, structure.name);
  if (structure.members.empty() && structure.base == nullptr &&
      context.options.idl_version == IdlVersion::three &&
      context.diagnostics.error_count() == errors_before) {
    context.error(end_of_head, "struct '" + structure.name + "' has no members");
  }
  for (const Member& member : structure.members) note_local(context, structure, *member.type);
  if (context.local_types.contains(structure.base)) context.local_types.insert(&structure);
  std::size_t depth = context.types.depth(structure.base);
  for (const Member& member : structure.members)
    depth = std::max(depth, context.types.depth(*member.type));
  limit_depth(context, structure, depth);
  structure.is_defined = true;
  return &structure;
}

Declaration* parse_exception(Context& context, Annotations annotations) {
  const Nesting nesting(context);
  TokenStream& tokens = context.tokens;
  tokens.next();
  const auto identifier = parse_identifier(context, "the name of the exception");
  if (!nesting.is_ok() || !identifier || !tokens.expect("{", "after the name of the exception")) {
    return nullptr;
  }
  auto& exception = declare<Exception>(context, *identifier, std::move(annotations));
  const Inside inside(context, exception, exception.nested);
  parse_body(context, exception.members, exception.name);
  for (const Member& member : exception.members) note_local(context, exception, *member.type);
  return &exception;
}

namespace {

/// The value in the enumerator's `@value(n)`, otherwise the previous value plus one.
std::int64_t enumerator_value(Context& context, const Enumerator& enumerator,
                              const Enum& enumeration) {
  constexpr std::int64_t greatest = 4'294'967'295;
  if (const Annotation* annotation = enumerator.annotation("value")) {
    const Value* value =
        annotation->parameters.empty() ? nullptr : &annotation->parameters.front().value;
    const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
    if (number != nullptr && *number >= -greatest && *number <= greatest) return *number;
    context.error(annotation->location, "@value needs an integer of 32 bits");
    return 0;
  }
  return enumeration.enumerators.empty() ? 0 : enumeration.enumerators.back()->value + 1;
}

/// Sets the initial enumerator: the enumerator with `@default_literal`, otherwise the first.
void set_initial(Context& context, Enum& enumeration, const Enumerator& enumerator) {
  const Annotation* annotation = enumerator.annotation("default_literal");
  if (annotation == nullptr) {
    if (enumeration.initial == nullptr) enumeration.initial = &enumerator;
    return;
  }
  if (enumeration.initial != nullptr) {
    if (const Annotation* other = enumeration.initial->annotation("default_literal")) {
      context.error(annotation->location, "two enumerators have @default_literal")
          .notes.push_back({other->location, "the other enumerator is here"});
      return;
    }
  }
  enumeration.initial = &enumerator;
}

/// Parses an enumerator. Returns false after an error.
bool parse_enumerator(Context& context, Enum& enumeration,
                      std::map<std::int64_t, Location>& values) {
  Annotations annotations = parse_annotations(context);
  const auto identifier = parse_identifier(context, "the name of an enumerator");
  if (!identifier) return false;
  // Enumerators are declared beside their enum, but are not definitions of their own.
  Enumerator& enumerator = context.model.make<Enumerator>();
  describe_declaration(context, enumerator, *identifier);
  enumerator.annotations = std::move(annotations);
  add_trailing_annotations(context, enumerator.annotations);
  enumerator.ordinal = static_cast<std::uint32_t>(enumeration.enumerators.size());
  enumerator.value = enumerator_value(context, enumerator, enumeration);
  enumerator.enumeration = &enumeration;
  context.scopes.declare(*identifier, &enumerator, "enumerator");
  const auto [known, is_new] = values.emplace(enumerator.value, identifier->location);
  if (!is_new) {
    context
        .error(identifier->location, "enumerator '" + enumerator.name +
                                         "' has the same value as another enumerator: " +
                                         std::to_string(enumerator.value))
        .notes.push_back({known->second, "the other enumerator is here"});
  }
  enumeration.enumerators.push_back(&enumerator);
  set_initial(context, enumeration, enumerator);
  return true;
}

}  // namespace

void check_enumerators(Context& context, const Enum& enumeration) {
  constexpr std::uint64_t bit_bound_default = 32;
  const std::uint64_t bits = annotated_number(context, enumeration.annotations, "bit_bound",
                                              bit_bound_default, {1, bit_count_max});
  const bool is_signed = std::ranges::any_of(
      enumeration.enumerators, [](const Enumerator* enumerator) { return enumerator->value < 0; });
  const WideInteger count = WideInteger{1} << bits;
  const WideInteger least = is_signed ? -(count / 2) : 0;
  const WideInteger greatest = least + count - 1;
  const auto does_not_fit = [&](const Enumerator* enumerator) {
    return enumerator->value < least || enumerator->value > greatest;
  };
  const auto found = std::ranges::find_if(enumeration.enumerators, does_not_fit);
  if (found == enumeration.enumerators.end()) return;
  // With a bit bound of 64 every value is in the range. So the bounds of a range that is reported
  // fit in std::int64_t.
  const std::string range = std::to_string(static_cast<std::int64_t>(least)) + " to " +
                            std::to_string(static_cast<std::int64_t>(greatest));
  context.error((*found)->location, "enumerator '" + (*found)->name + "' has the value " +
                                        std::to_string((*found)->value) +
                                        ", outside the range of '" + enumeration.name +
                                        "' (bit bound " + std::to_string(bits) + "): " + range);
}

Declaration* parse_enum(Context& context, Annotations annotations) {
  TokenStream& tokens = context.tokens;
  tokens.next();
  const auto identifier = parse_identifier(context, "the name of the enum");
  if (!identifier || !tokens.expect("{", "after the name of the enum")) return nullptr;
  std::map<std::int64_t, Location> values;
  Enum& enumeration = declare<Enum>(context, *identifier, std::move(annotations));
  do {
    if (tokens.at("}") && !enumeration.enumerators.empty()) {
      context.error(tokens.previous_end(), "a ',' after the last enumerator is not allowed");
      break;
    }
    if (!parse_enumerator(context, enumeration, values)) {
      tokens.skip_to_block_end();
      return &enumeration;
    }
  } while (tokens.accept(","));
  if (!tokens.expect("}", "after the enumerators of '" + enumeration.name + "'")) {
    tokens.skip_to_block_end();
  }
  check_enumerators(context, enumeration);
  return &enumeration;
}

}  // namespace perigee::idlc
