// Compares declarations of a file with those of the built-in orb.idl.
#include "idlc/frontend/redeclared_builtins.h"

#include "idlc/frontend/builtin_files.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace perigee::idlc {
namespace {

/// Ignores typedefs. Terminates quickly, because the types of orb.idl are small.
bool is_same_type(const Type& builtin, const Type& own) {
  const Type& a = unaliased(builtin);
  const Type& b = unaliased(own);
  if (a.kind != b.kind || a.bound != b.bound || a.dimensions != b.dimensions ||
      a.digits != b.digits || a.scale != b.scale) {
    return false;
  }
  if (a.declaration != nullptr) return a.declaration->scoped_name == b.declaration->scoped_name;
  return a.element == nullptr || is_same_type(*a.element, *b.element);
}

bool is_same_parameter(const Parameter& builtin, const Parameter& own) {
  return builtin.direction == own.direction && is_same_type(*builtin.type, *own.type);
}

bool is_same_operation(const Operation& builtin, const Operation& own) {
  return builtin.is_oneway == own.is_oneway &&
         is_same_type(*builtin.return_type, *own.return_type) &&
         std::ranges::equal(builtin.parameters, own.parameters, is_same_parameter) &&
         builtin.raises.size() == own.raises.size();
}

/// Compares operations and attributes.
bool is_same_member(const Declaration* builtin, const Declaration* own) {
  if (builtin->name != own->name) return false;
  const auto* operation = as<Operation>(builtin);
  const auto* own_operation = as<Operation>(own);
  if (operation != nullptr && own_operation != nullptr)
    return is_same_operation(*operation, *own_operation);
  const auto* attribute = as<Attribute>(builtin);
  const auto* own_attribute = as<Attribute>(own);
  return attribute != nullptr && own_attribute != nullptr &&
         attribute->is_readonly == own_attribute->is_readonly &&
         is_same_type(*attribute->type, *own_attribute->type);
}

bool is_same(const Interface& builtin, const Interface& own) {
  if (!is_same_head(builtin, own.is_local, own.is_abstract)) return false;
  return !own.is_defined || !builtin.is_defined ||
         (builtin.bases.size() == own.bases.size() &&
          std::ranges::equal(builtin.contents, own.contents, is_same_member));
}

bool is_same(const Exception& builtin, const Exception& own) {
  return std::ranges::equal(builtin.members, own.members, [](const Member& a, const Member& b) {
    return a.name == b.name && is_same_type(*a.type, *b.type);
  });
}

/// An enum of an older CORBA may lack the last enumerators.
bool is_same(const Enum& builtin, const Enum& own) {
  return own.enumerators.size() <= builtin.enumerators.size() &&
         std::ranges::equal(own.enumerators,
                            std::span(builtin.enumerators).first(own.enumerators.size()), {},
                            &Enumerator::name, &Enumerator::name);
}

bool is_same(const Constant& builtin, const Constant& own) {
  return is_same_type(*builtin.type, *own.type) && builtin.value == own.value;
}

template <typename WithType>
bool is_same(const WithType& builtin, const WithType& own) {
  return is_same_type(*builtin.type, *own.type);
}

template <typename T>
bool are_same(const Declaration& builtin, const Declaration& own) {
  const T* a = as<T>(&builtin);
  const T* b = as<T>(&own);
  return a != nullptr && b != nullptr && is_same(*a, *b);
}

/// CORBA 3.0, 10.7.1 declares TypeCode as an interface. Each language maps its operations in its
/// own way, so they are not compared. The scope of the built-in TypeCode has the exceptions.
bool is_same_type_code(const Interface& own, const Scope& builtin_names) {
  return std::ranges::all_of(own.contents, [&](const Declaration* declaration) {
    if (as<Operation>(declaration) != nullptr || as<Attribute>(declaration) != nullptr) return true;
    const Symbol* builtin = builtin_names.find_exact(declaration->name);
    return builtin != nullptr && are_same<Exception>(*builtin->declaration, *declaration);
  });
}

bool is_same_declaration(const Scopes& scopes, const Declaration& builtin, const Declaration& own) {
  if (builtin.kind == DeclarationKind::native) {
    const Scope* names = scopes.scope_of(&builtin);  // only TypeCode has names
    const auto* interface = as<Interface>(&own);
    return own.kind == DeclarationKind::native ||
           (names != nullptr && interface != nullptr && is_same_type_code(*interface, *names));
  }
  // CORBA 3.0, 4.2 declares AbstractBase as a native type.
  const auto* abstract = as<Interface>(&builtin);
  if (own.kind == DeclarationKind::native) return abstract != nullptr && abstract->is_abstract;
  return are_same<Typedef>(builtin, own) || are_same<Interface>(builtin, own) ||
         are_same<Exception>(builtin, own) || are_same<Enum>(builtin, own) ||
         are_same<Constant>(builtin, own) || are_same<ValueBox>(builtin, own);
}

/// False for an enum or exception for which the library has no C++ type: then code is generated for
/// the declaration of the file.
bool is_preferred(const Declaration& builtin) {
  const bool needs_class =
      builtin.kind == DeclarationKind::enumeration || builtin.kind == DeclarationKind::exception;
  return !needs_class || has_library_type(builtin.scoped_name);
}

/// Removes the node of the last definition from the contents. Searches from the end, so that many
/// definitions do not take quadratic time.
void remove_from_contents(Declarations& contents, const Declaration* own) {
  const auto is_own = [own](const Declaration* declaration) {
    const auto* forward = as<Forward>(declaration);
    return declaration == own || (forward != nullptr && forward->declared == own);
  };
  const auto found = std::find_if(contents.rbegin(), contents.rend(), is_own);
  if (found != contents.rend()) contents.erase(std::prev(found.base()));
}

/// The name means the built-in declaration again. No code is generated for the file's declaration.
void restore(Context& context, const RedeclaredBuiltin& redeclared) {
  context.scopes.current().insert(redeclared.builtin);
  const Declaration* own = redeclared.own;
  if (as<Enumerator>(own) != nullptr) return;
  remove_from_contents(*context.contents, own);
  if (!context.forwards.empty() && context.forwards.back().first == own)
    context.forwards.pop_back();
}

void warn_of_difference(Context& context, const RedeclaredBuiltin& redeclared) {
  const Declaration& own = *redeclared.own;
  Diagnostic& diagnostic = context.diagnostics.warning(
      Warning::builtin, own.location,
      "'" + own.scoped_name + "' differs from its declaration in the built-in orb.idl");
  diagnostic.hint = "this declaration is used; it may clash with the C++ headers of Perigee";
  diagnostic.notes.push_back({redeclared.builtin.location, "the built-in declaration"});
}

/// Reports the second definition of the name in one file. Several files may each have one.
void report_second(Context& context, const RedeclaredBuiltin& redeclared) {
  const Declaration& own = *redeclared.own;
  const auto* interface = as<Interface>(&own);
  if (interface != nullptr && !interface->is_defined) return;
  const Declaration* builtin = redeclared.builtin.declaration;
  const auto [first, is_new] = context.redeclared_builtins.emplace(builtin, own.location);
  if (is_new || first->second.file != own.location.file) return;
  context.error(own.location, "'" + own.name + "' is already declared")
      .notes.push_back({first->second, "it was declared here"});
}

}  // namespace

bool is_same_head(const Interface& builtin, bool is_local, bool is_abstract) {
  return builtin.is_abstract == is_abstract && (builtin.is_local || !is_local);
}

void settle_redeclared(Context& context) {
  const Declaration* restored_enum = nullptr;
  for (const RedeclaredBuiltin& redeclared : context.scopes.take_redeclared()) {
    const Declaration& builtin = *redeclared.builtin.declaration;
    const auto* enumerator = as<Enumerator>(redeclared.own);
    if (enumerator != nullptr && as<Enumerator>(&builtin) != nullptr) {
      // The decision about the enum applies to its enumerators.
      if (enumerator->enumeration == restored_enum) restore(context, redeclared);
      continue;
    }
    report_second(context, redeclared);
    if (!is_same_declaration(context.scopes, builtin, *redeclared.own)) {
      if (!redeclared.own->is_imported) warn_of_difference(context, redeclared);
    } else if (is_preferred(builtin)) {
      restore(context, redeclared);
      restored_enum = redeclared.own;
    } else {
      // The declaration of the file may lack the prefix omg.org.
      context.ids.share(*redeclared.own, builtin);
    }
  }
}

}  // namespace perigee::idlc
