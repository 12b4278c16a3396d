// Checks the rules about whole declarations: bases, labels, local and incomplete types.
#include "idlc/frontend/checks.h"

#include "idlc/frontend/constants.h"
#include "idlc/frontend/lexer.h"

#include <algorithm>
#include <set>

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
  // CORBA::Policy and CORBA::Current became local with CORBA 3. Older files derive ordinary
  // interfaces from them, so this stays allowed.
  const bool is_free = base.location.file->is_builtin;
  if (base.is_local && !interface_.is_local && !is_free) {
    context_.error(location, quoted(interface_.name) + " inherits from the local interface " +
                                 quoted(base.name) + ", so it must be local, too");
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
    diagnostic.notes.push_back({known->second->location, "one declaration is here"});
    diagnostic.notes.push_back({declaration->location, "the other declaration is here"});
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

namespace {

/// Whether the type is a local interface, or contains one.
bool is_local(const Context& context, const Type& type) {
  if (const auto* interface = as<Interface>(type.declaration)) {
    // See BaseChecks::check_words.
    return interface->is_local && !interface->location.file->is_builtin;
  }
  if (type.declaration != nullptr) return context.local_types.contains(type.declaration);
  return (type.element != nullptr && is_local(context, *type.element)) ||
         (type.key != nullptr && is_local(context, *type.key));
}

}  // namespace

void limit_depth(Context& context, const Declaration& declaration, std::size_t inner_depth) {
  const std::size_t depth_max = context.options.limits.type_depth_max;
  context.types.set_depth(declaration, inner_depth + 1);
  if (inner_depth < depth_max) return;
  context.diagnostics.fatal(declaration.location, "types are nested more than " +
                                                      std::to_string(depth_max) + " levels deep");
}

void note_local(Context& context, const Declaration& declaration, const Type& part) {
  if (is_local(context, part)) context.local_types.insert(&declaration);
}

void check_local(Context& context, const Operation& operation) {
  const auto* interface = as<Interface>(operation.parent);
  if (interface == nullptr || interface->is_local) return;
  const auto report = [&](Location location, const std::string& what) {
    context.error(location, what + " is local, but " + quoted(interface->name) + " is not").hint =
        "only operations of a local interface can use local types";
  };
  if (is_local(context, *operation.return_type)) {
    report(operation.location, "the result's type " + quoted(to_text(*operation.return_type)));
  }
  for (const Parameter& parameter : operation.parameters) {
    if (!is_local(context, *parameter.type)) continue;
    report(parameter.location, "the parameter's type " + quoted(to_text(*parameter.type)));
  }
  for (const Exception* exception : operation.raises) {
    if (!context.local_types.contains(exception)) continue;
    report(operation.location, "the exception " + quoted(exception->name));
  }
}

void check_local(Context& context, const Attribute& attribute) {
  const auto* interface = as<Interface>(attribute.parent);
  if (interface == nullptr || interface->is_local || !is_local(context, *attribute.type)) return;
  context
      .error(attribute.location, "the attribute's type " + quoted(to_text(*attribute.type)) +
                                     " is local, but " + quoted(interface->name) + " is not")
      .hint = "only attributes of a local interface can have local types";
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

namespace {

/// Looks in a type for a struct or union that is not defined yet. Each typedef is visited once:
/// otherwise maps of maps would take exponential time.
class IncompletePart final {
 public:
  const Declaration* in(const Type& type) {
    const Declaration* declaration = type.declaration;
    const auto* structure = as<Struct>(declaration);
    const auto* union_type = as<Union>(declaration);
    if ((structure != nullptr && !structure->is_defined) ||
        (union_type != nullptr && !union_type->is_defined)) {
      return declaration;
    }
    if (const auto* alias = as<Typedef>(declaration)) {
      return seen_.insert(alias).second ? in(*alias->type) : nullptr;
    }
    const Declaration* found = type.key == nullptr ? nullptr : in(*type.key);
    return found != nullptr || type.element == nullptr ? found : in(*type.element);
  }

 private:
  std::set<const Declaration*> seen_;
};

/// The type that values contain directly: the type itself, or the elements of an array.
const Type& by_value(const Type& type) {
  const Type* part = &unaliased(type);
  while (part->kind == TypeKind::array) part = &unaliased(*part->element);
  return *part;
}

bool is_template(const Type& type) {
  return type.kind == TypeKind::sequence || type.kind == TypeKind::map;
}

void report_incomplete(Context& context, const Declaration& part, const Type& type,
                       Location location) {
  const bool is_element = is_template(by_value(type));
  Diagnostic& diagnostic = context.error(
      location,
      quoted(part.name) + " is not defined yet" +
          (is_element ? ", and so " + quoted(to_text(type)) + " cannot be used here" : ""));
  diagnostic.notes.push_back({part.location, "it is only declared here"});
  if (is_element) {
    diagnostic.hint = "until " + quoted(part.name) +
                      " is defined, only members of unions, and of structs without a base, can "
                      "be sequences of it";
  }
}

/// Whether the type is a sequence of the struct or union, or a sequence of such sequences.
bool is_sequence_of(const Type& type, const Declaration& part) {
  const Type* element = &unaliased(type);
  if (element->kind != TypeKind::sequence) return false;
  while (element->kind == TypeKind::sequence) element = &unaliased(*element->element);
  return element->declaration == &part;
}

/// CORBA 3.0, 3.11.2.3 allows sequences of an undefined struct only inside its own definition. As
/// an extension, they are also allowed in unions and in structs without a base, so that two structs
/// can hold sequences of each other. A struct that is never defined is reported by check_forwards.
/// In C++, arrays and maps that contain an incomplete class do not compile, and neither does a
/// class that is derived from a struct with a sequence of an incomplete class.
bool may_hold_later(Context& context, const Type& type, const Declaration& part) {
  if (context.scopes.is_inside(part)) return true;
  Declaration* owner = context.scopes.current().owner();
  auto* structure = as<Struct>(owner);
  auto* union_type = as<Union>(owner);
  const bool is_plain_struct = structure != nullptr && structure->base == nullptr;
  if (!is_sequence_of(type, part) || (!is_plain_struct && union_type == nullptr)) return false;
  (is_plain_struct ? structure->has_later_parts : union_type->has_later_parts) = true;
  return true;
}

}  // namespace

void check_member(Context& context, const Type& type, Location location) {
  const Type& part = by_value(type);
  if (!is_template(part) && part.declaration != nullptr &&
      context.scopes.is_inside(*part.declaration)) {
    if (part.kind != TypeKind::structure && part.kind != TypeKind::union_type) return;
    context.error(location, quoted(part.declaration->name) + " cannot contain itself").hint =
        "it can hold a sequence of itself";
    return;
  }
  const Declaration* found = IncompletePart().in(part);
  if (found == nullptr) return;
  if (!is_template(part) || !may_hold_later(context, type, *found))
    report_incomplete(context, *found, type, location);
}

void check_struct_base(Context& context, const Struct& base, Location location) {
  for (const Struct* each = &base; each != nullptr; each = each->base) {
    for (const Member& member : each->members) {
      const Declaration* found = IncompletePart().in(*member.type);
      if (found == nullptr || context.scopes.is_inside(*found)) continue;
      return report_incomplete(context, *found, *member.type, location);
    }
  }
}

void check_complete(Context& context, const Type& type, Location location) {
  if (const Declaration* found = IncompletePart().in(type))
    report_incomplete(context, *found, type, location);
}

void check_alias(Context& context, const Type& type, Location location) {
  if (!is_template(by_value(type))) check_member(context, type, location);
}

void LabelChecks::add(const Value& label, Location location) {
  const auto [known, is_new] = labels_.emplace(to_text(label), location);
  if (is_new) return;
  context_.error(location, "the label " + known->first + " appears twice in the union")
      .notes.push_back({known->second, "it appears here first"});
}

void LabelChecks::add_default(Location location) {
  if (default_) {
    context_.error(location, "the union has two default labels")
        .notes.push_back({*default_, "the first one is here"});
  } else {
    default_ = location;
  }
}

void LabelChecks::finish(Union& declaration) {
  const Type& type = unaliased(*declaration.discriminator);
  WideInteger value_count = 0;
  if (type.kind == TypeKind::boolean) value_count = 2;
  if (type.kind == TypeKind::char8) value_count = 256;
  if (const auto* enumeration = as<Enum>(type.declaration)) {
    value_count = static_cast<WideInteger>(enumeration->enumerators.size());
  }
  if (const auto range = integer_range(type.kind)) value_count = range->greatest - range->least + 1;
  const bool is_covered =
      value_count != 0 && static_cast<WideInteger>(labels_.size()) >= value_count;
  if (is_covered && default_) {
    context_.error(*default_, "the default label is unreachable: the labels cover every value");
  }
  declaration.has_implicit_default = !is_covered && !default_;
}

void warn_of_anonymous(Context& context, const Type& type, Location location) {
  const bool is_bounded_string =
      (type.kind == TypeKind::string || type.kind == TypeKind::wstring) && type.bound != 0;
  const bool is_anonymous = is_bounded_string || type.kind == TypeKind::sequence ||
                            type.kind == TypeKind::map || type.kind == TypeKind::array ||
                            (type.kind == TypeKind::fixed && type.digits != 0);
  if (!is_anonymous) return;
  context.diagnostics
      .warning(Warning::anonymous_types, location,
               "a type without a name, " + quoted(to_text(type)) + ", is deprecated here")
      .hint = "give it a name by typedef";
}

void check_includes(Context& context) {
  // If a file is used, the file that first included it also counts as used.
  const auto with_includers = [](const std::set<const SourceFile*>& files) {
    std::set<const SourceFile*> result;
    for (const SourceFile* file : files) {
      for (; file != nullptr && result.insert(file).second;) file = file->includer;
    }
    return result;
  };
  const auto used = with_includers(context.scopes.used_files());
  const auto declaring = with_includers(context.files_with_definitions);
  for (const SourceFile& file : context.model.files) {
    const bool is_judged = file.is_direct && !file.is_builtin && !file.is_part &&
                           file.includer != nullptr && file.includer->is_main &&
                           declaring.contains(&file);
    if (!is_judged || used.contains(&file)) continue;
    context.diagnostics.warning(Warning::unused_include, {file.includer, file.include_line, 1},
                                "no declaration of " + quoted(file.include_name) + " is used");
  }
}

void check_forwards(Context& context) {
  for (const auto& [declaration, location] : context.forwards) {
    // A forward declaration in orb.idl needs no definition: the library has the type.
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
      // For an included file, the compilation of that file itself gives the warning.
      if (!location.file->is_main) continue;
      context.diagnostics.warning(Warning::undefined_forward, location, text);
    }
  }
}

}  // namespace perigee::idlc
