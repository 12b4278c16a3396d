// Rules about whole declarations.
#include "idlc/frontend/checks.h"

#include "idlc/frontend/constants.h"
#include "idlc/frontend/lexer.h"

#include <algorithm>

namespace perigee::idlc {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

bool is_operation_or_attribute(const Declaration* declaration) {
  return declaration != nullptr && (declaration->kind == DeclarationKind::operation ||
                                    declaration->kind == DeclarationKind::attribute);
}

}  // namespace

bool BaseChecks::is_usable(const ScopedName& written, const Interface& base) {
  const Location location = written.location();
  if (!base.is_defined) {
    const bool is_itself = &base == &interface_;
    Diagnostic& diagnostic = context_.error(
        location, is_itself ? quoted(base.name) + " cannot be a base of itself"
                            : "the base interface " + quoted(base.name) + " is not defined yet");
    if (!is_itself) diagnostic.notes.push_back({base.location, "it is only declared here"});
    return false;
  }
  if (!direct_.insert(&base).second) {
    context_.error(location, quoted(base.name) + " is named twice among the bases");
    return false;
  }
  return true;
}

void BaseChecks::check_words(Location location, const Interface& base) {
  // CORBA::Policy and CORBA::Current became local with CORBA 3; files of before derive from them as
  // they did.
  const bool is_free = base.location.file->is_builtin;
  if (base.is_local && !interface_.is_local && !is_free) {
    context_.error(location, quoted(interface_.name) + " inherits from the local interface " +
                                 quoted(base.name) + " and must be local too");
  }
  if (interface_.is_abstract && !base.is_abstract) {
    context_.error(location, "the abstract interface " + quoted(interface_.name) +
                                 " cannot inherit from " + quoted(base.name) +
                                 ", which is not abstract");
  }
}

void BaseChecks::add_operations(Location location, const Interface& from) {
  for (const Declaration* declaration : from.contents) {
    if (!is_operation_or_attribute(declaration)) continue;
    const auto [known, is_new] = operations_.emplace(lower_case(declaration->name), declaration);
    if (is_new) continue;
    Diagnostic& diagnostic =
        context_.error(location, quoted(interface_.name) + " inherits " +
                                     quoted(declaration->name) + " from two bases");
    diagnostic.notes.push_back({known->second->location, "one is here"});
    diagnostic.notes.push_back({declaration->location, "the other is here"});
  }
}

bool BaseChecks::accepts(const ScopedName& written, const Interface& base) {
  if (!is_usable(written, base)) return false;
  const Location location = written.location();
  std::vector<const Interface*> added = all_bases(base);
  added.push_back(&base);
  std::erase_if(added, [&](const Interface* each) { return !all_.insert(each).second; });
  const std::size_t base_count_max = context_.options.limits.base_count_max;
  if (all_.size() > base_count_max) {
    context_.diagnostics.fatal(location, quoted(interface_.name) + " has more than " +
                                             std::to_string(base_count_max) + " bases");
    return false;
  }
  check_words(location, base);
  for (const Interface* each : added) add_operations(location, *each);
  return true;
}

void check_not_inherited(Context& context, const Identifier& identifier) {
  for (const Symbol* symbol : Scopes::inherited(context.scopes.current(), identifier.name)) {
    if (!is_operation_or_attribute(symbol->declaration)) continue;
    context
        .error(identifier.location,
               quoted(identifier.name) + " is inherited and cannot be declared again")
        .notes.push_back({symbol->location, "it is inherited from here"});
  }
}

void check_oneway(Context& context, const Operation& operation, Location keyword) {
  const std::string name = "the oneway operation " + quoted(operation.name);
  if (operation.return_type->kind != TypeKind::void_type) {
    context.error(keyword, name + " must return void");
  }
  for (const Parameter& parameter : operation.parameters) {
    if (parameter.direction != Direction::in) {
      context.error(parameter.location, name + " can have parameters of direction 'in' only");
    }
  }
  if (!operation.raises.empty())
    context.error(operation.location, name + " cannot raise exceptions");
}

void check_complete(Context& context, const Type& type, Location location) {
  const Type* element = &unaliased(type);
  while (element->kind == TypeKind::array) element = &unaliased(*element->element);
  const Type& inner = *element;
  const auto* structure = as<Struct>(inner.declaration);
  const auto* union_type = as<Union>(inner.declaration);
  const bool is_complete = (structure == nullptr || structure->is_defined) &&
                           (union_type == nullptr || union_type->is_defined);
  if (is_complete) return;
  context
      .error(location,
             quoted(inner.declaration->name) +
                 " is not complete here: it would contain itself, or is defined only later")
      .hint = "a struct may contain itself through a sequence";
}

void check_labels(Context& context, Union& declaration) {
  std::map<std::string, std::size_t> seen;
  bool has_default = false;
  Location default_location;
  for (const UnionBranch& branch : declaration.branches) {
    if (branch.is_default) {
      if (has_default) context.error(branch.member.location, "the union has two default labels");
      has_default = true;
      default_location = branch.member.location;
    }
    for (const Value& label : branch.labels) {
      if (++seen[to_text(label)] == 2) {
        context.error(branch.member.location,
                      "the label " + to_text(label) + " appears twice in the union");
      }
    }
  }
  const Type& type = unaliased(*declaration.discriminator);
  WideInteger value_count = 0;
  if (type.kind == TypeKind::boolean) value_count = 2;
  if (type.kind == TypeKind::char8) value_count = 256;
  if (const auto* enumeration = as<Enum>(type.declaration)) {
    value_count = static_cast<WideInteger>(enumeration->enumerators.size());
  }
  if (const auto range = integer_range(type.kind)) value_count = range->greatest - range->least + 1;
  const bool is_covered = value_count != 0 && static_cast<WideInteger>(seen.size()) >= value_count;
  if (is_covered && has_default) {
    context.error(default_location,
                  "the default label is unreachable: the labels cover every value");
  }
  declaration.has_implicit_default = !is_covered && !has_default;
}

void check_forwards(Context& context) {
  for (const auto& [declaration, location] : context.forwards) {
    // orb.idl only names what the library has.
    if (location.file->is_builtin) continue;
    const auto* structure = as<Struct>(declaration);
    const auto* union_type = as<Union>(declaration);
    const auto* interface = as<Interface>(declaration);
    const auto* value = as<ValueType>(declaration);
    const std::string text = std::string(to_text(declaration->kind)) + ' ' +
                             quoted(declaration->name) + " is declared, but never defined";
    if ((structure != nullptr && !structure->is_defined) ||
        (union_type != nullptr && !union_type->is_defined)) {
      context.error(location, text);
    } else if ((interface != nullptr && !interface->is_defined) ||
               (value != nullptr && !value->is_defined)) {
      // An included file's are its owner's business.
      if (!location.file->is_main) continue;
      context.diagnostics.warning(Warning::undefined_forward, location, text);
    }
  }
}

}  // namespace perigee::idlc
