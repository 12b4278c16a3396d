// Functions that all parts of the parser use.
#include "idlc/frontend/context.h"

#include <algorithm>

namespace perigee::idlc {

const Type* Types::basic(TypeKind kind) {
  const Type*& type = basic_[kind];
  if (type == nullptr) type = &make(kind);
  return type;
}

const Type* Types::named(TypeKind kind, const Declaration& declaration) {
  const Type*& type = named_[&declaration];
  if (type == nullptr) {
    Type& made = make(kind);
    made.declaration = &declaration;
    type = &made;
  }
  return type;
}

Type& Types::make(TypeKind kind) {
  Type& type = model_.make<Type>();
  type.kind = kind;
  return type;
}

std::size_t Types::depth(const Declaration* declaration) const {
  const auto found = depths_.find(declaration);
  return found == depths_.end() ? 0 : found->second;
}

std::size_t Types::depth(const Type& type) const {
  if (type.declaration != nullptr) return depth(type.declaration);
  // Recursion is safe here, because the parser limits the nesting of anonymous types.
  const std::size_t key_depth = type.key == nullptr ? 0 : depth(*type.key);
  const std::size_t element_depth = type.element == nullptr ? 0 : depth(*type.element);
  return std::max(key_depth, element_depth);
}

Nesting::Nesting(Context& context) : context_(context) {
  const std::size_t depth_max = context.options.limits.nesting_depth_max;
  is_ok_ = ++context.depth <= depth_max;
  if (!is_ok_) {
    context.diagnostics.fatal(
        context.tokens.peek().location,
        "the text is nested more than " + std::to_string(depth_max) + " levels deep");
  }
}

Inside::Inside(Context& context, Declaration& owner, Declarations& contents)
    : context_(context), saved_contents_(context.contents), saved_opening_(context.opening) {
  const Scope& scope = context.scopes.enter(owner);
  context.ids.enter_scope(owner.name);
  if (scope.has_type_prefix) context.ids.set_scope_prefix(scope.type_prefix, owner);
  context.contents = &contents;
  context.opening = &owner;
}

Inside::~Inside() {
  context_.scopes.leave();
  context_.ids.leave();
  context_.contents = saved_contents_;
  context_.opening = saved_opening_;
}

const SourceFile* unit_of(const Context& context, const Location& location) {
  return context.opening != nullptr ? context.opening->unit : location.file;
}

bool is_in_main_file(const Context& context, const Location& location) {
  return unit_of(context, location)->is_main;
}

void set_unit(const Context& context, Declaration& declaration) {
  declaration.unit = unit_of(context, declaration.location);
  declaration.is_imported = !declaration.unit->is_main;
}

void describe_declaration(Context& context, Declaration& declaration,
                          const Identifier& identifier) {
  declaration.name = identifier.name;
  declaration.location = identifier.location;
  declaration.scoped_name = context.scopes.scoped_name(identifier.name);
  set_unit(context, declaration);
  const Scope* scope = &context.scopes.current();
  while (scope->owner() == nullptr && scope->parent() != nullptr) scope = scope->parent();
  declaration.parent = scope->owner();
  context.ids.assign(declaration);
  context.names_size += declaration.scoped_name.size() + declaration.repository_id.size();
  if (context.names_size > context.options.limits.names_size_max) {
    context.diagnostics.fatal(identifier.location,
                              "the scoped names and repository ids of all declarations have more "
                              "than " +
                                  std::to_string(context.options.limits.names_size_max) +
                                  " octets together");
  }
}

}  // namespace perigee::idlc
