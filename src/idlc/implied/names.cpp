// Keeps the names of a model in lower case, with their scopes.
#include "idlc/implied/names.h"

#include "idlc/frontend/lexer.h"

#include <algorithm>

namespace perigee::idlc {
namespace {

const Declarations* contents_of(const Declaration& declaration) {
  if (const auto* module = as<Module>(&declaration)) return &module->contents;
  if (const auto* interface = as<Interface>(&declaration)) return &interface->contents;
  return nullptr;
}

}  // namespace

std::string scope_of(const Declaration& declaration) {
  return declaration.parent == nullptr ? "" : declaration.parent->scoped_name;
}

TakenNames::TakenNames(const Model& model) { add(model.definitions); }

void TakenNames::add(const Declarations& declarations) {
  for (const Declaration* each : declarations) {
    names_.insert(lower_case(each->scoped_name));
    if (const Declarations* contents = contents_of(*each)) add(*contents);
    // Enumerators are names of the scope around the enum.
    if (const auto* enumeration = as<Enum>(each))
      for (const Enumerator* enumerator : enumeration->enumerators)
        names_.insert(lower_case(enumerator->scoped_name));
  }
}

std::string TakenNames::take(const std::string& scope, const std::string& prefix,
                             const std::string& more, const std::string& rest) {
  std::string name = prefix + rest;
  for (std::string before = prefix; !names_.insert(lower_case(scope + "::" + name)).second;) {
    before += more;
    name = before + rest;
  }
  return name;
}

std::string TakenNames::take(const Interface& interface, const std::string& prefix,
                             const std::string& more, const std::string& rest, Hides hides) {
  const std::vector<const Interface*> bases = all_bases(interface);
  std::string before = prefix;
  const auto is_inherited = [&] {
    return std::ranges::any_of(bases, [&](const Interface* base) {
      return names_.contains(lower_case(base->scoped_name + "::" + before + rest));
    });
  };
  while (hides == Hides::nothing && is_inherited()) before += more;
  return take(interface.scoped_name, before, more, rest);
}

}  // namespace perigee::idlc
