// Unions. CORBA 3.0, 3.11.2.2.
#include "idlc/frontend/checks.h"
#include "idlc/frontend/constants.h"
#include "idlc/frontend/forward.h"
#include "idlc/frontend/grammar.h"

#include <algorithm>

namespace perigee::idlc {
namespace {

bool is_discriminator(const Type& type) {
  const TypeKind kind = unaliased(type).kind;
  return kind == TypeKind::boolean || kind == TypeKind::char8 || kind == TypeKind::wchar ||
         kind == TypeKind::enumeration || integer_range(kind).has_value();
}

/// `switch (type)`. Null after an error.
const Type* parse_switch(Context& context) {
  TokenStream& tokens = context.tokens;
  if (!tokens.accept_keyword("switch")) {
    tokens.report_unexpected("'switch' after the name of the union");
    return nullptr;
  }
  if (!tokens.expect("(", "after 'switch'")) return nullptr;
  parse_annotations(context);
  const Location location = tokens.peek().location;
  const Type* type = parse_member_type(context, "the type of the discriminator");
  if (type == nullptr || !tokens.expect(")", "after the type of the discriminator")) return nullptr;
  if (!is_discriminator(*type)) {
    context
        .error(location, "'" + to_text(*type) + "' cannot be the type of a union's discriminator")
        .hint = "it must be an integer, a char, a boolean or an enum";
    return nullptr;
  }
  return type;
}

/// All `case X:` and `default:` in front of a member. False after an error.
bool parse_labels(Context& context, const Type& discriminator, LabelChecks& checks,
                  UnionBranch& branch) {
  TokenStream& tokens = context.tokens;
  while (true) {
    const Location keyword = tokens.peek().location;
    if (tokens.accept_keyword("default")) {
      branch.is_default = true;
      checks.add_default(keyword);
    } else if (tokens.accept_keyword("case")) {
      const Location location = tokens.peek().location;
      std::optional<Value> label = parse_constant(context, discriminator);
      if (!label) {
        while (!tokens.at_end() && !tokens.at(":") && !tokens.at(";") && !tokens.at("}"))
          tokens.next();
      } else {
        checks.add(*label, location);
        branch.labels.push_back(std::move(*label));
      }
    } else {
      return true;
    }
    if (!tokens.expect(":", "after the label")) return false;
  }
}

void parse_branch(Context& context, Union& declaration, LabelChecks& checks) {
  TokenStream& tokens = context.tokens;
  UnionBranch branch;
  Annotations annotations = parse_annotations(context);
  if (!tokens.at_keyword("case") && !tokens.at_keyword("default")) {
    tokens.report_unexpected("'case' or 'default' in the union");
    return tokens.recover();
  }
  if (!parse_labels(context, *declaration.discriminator, checks, branch)) return tokens.recover();
  for (Annotation& annotation : parse_annotations(context))
    annotations.push_back(std::move(annotation));
  const Location location = tokens.peek().location;
  const Type* base = parse_member_type(context, "the type of the union's member");
  const auto identifier =
      base == nullptr ? std::nullopt : parse_identifier(context, "the name of the union's member");
  const Type* type = identifier ? parse_dimensions(context, base) : nullptr;
  if (type == nullptr) return tokens.recover();
  check_member(context, *type, location);
  warn_of_anonymous(context, *type, location);
  context.scopes.declare(*identifier, nullptr, "member");
  branch.member = {identifier->name, identifier->location, type, std::move(annotations)};
  tokens.expect_semicolon("the union's member");
  add_trailing_annotations(context, branch.member.annotations);
  branch.member.initial = default_of(context, branch.member.annotations, *type);
  note_local(context, declaration, *type);
  declaration.branches.push_back(std::move(branch));
}

}  // namespace

Declaration* parse_union(Context& context, Annotations annotations) {
  const Nesting nesting(context);
  TokenStream& tokens = context.tokens;
  tokens.next();
  const auto identifier = parse_identifier(context, "the name of the union");
  if (!nesting.is_ok() || !identifier) return nullptr;
  if (tokens.at(";")) {
    return declare_forward<Union>(context, *identifier, std::move(annotations));
  }
  Union& declaration = define_node<Union>(context, *identifier, std::move(annotations));
  const Inside inside(context, declaration, declaration.nested);
  declaration.discriminator = parse_switch(context);
  if (declaration.discriminator == nullptr) {
    // The labels cannot be checked without the discriminator.
    declaration.is_defined = true;
    declaration.discriminator = context.types.basic(TypeKind::int32);
    while (!tokens.at_end() && !tokens.at("{") && !tokens.at(";") && !tokens.at("}")) tokens.next();
    if (tokens.at("{")) tokens.skip_block();
    return &declaration;
  }
  if (!tokens.expect("{", "after the union's discriminator")) return nullptr;
  const Location end_of_head = tokens.previous_end();
  const std::size_t errors_before = context.diagnostics.error_count();
  LabelChecks checks(context);
  while (!tokens.at_end() && !tokens.at("}")) parse_branch(context, declaration, checks);
  tokens.expect("}", "at the end of '" + declaration.name + "'");
  declaration.is_defined = true;
  std::size_t depth = context.types.depth(*declaration.discriminator);
  for (const UnionBranch& branch : declaration.branches)
    depth = std::max(depth, context.types.depth(*branch.member.type));
  limit_depth(context, declaration, depth);
  if (declaration.branches.empty() && context.diagnostics.error_count() == errors_before) {
    context.error(end_of_head, "union '" + declaration.name + "' has no members");
  }
  checks.finish(declaration);
  return &declaration;
}

}  // namespace perigee::idlc
