// Small functions about the model that every back end needs.
#include "idlc/frontend/model.h"

#include <algorithm>
#include <unordered_set>

namespace perigee::idlc {

const Type& unaliased(const Type& type) {
  const Type* current = &type;
  while (current->kind == TypeKind::alias) current = as<Typedef>(current->declaration)->type;
  return *current;
}

const Annotation* Declaration::annotation(std::string_view annotation_name) const {
  const auto found = std::ranges::find(annotations, annotation_name, &Annotation::name);
  return found == annotations.end() ? nullptr : &*found;
}

namespace {

void add_bases(const Interface& interface, std::unordered_set<const Interface*>& known,
               std::vector<const Interface*>& result) {
  for (const Interface* base : interface.bases) {
    if (!known.insert(base).second) continue;
    add_bases(*base, known, result);
    result.push_back(base);
  }
}

}  // namespace

std::vector<const Interface*> all_bases(const Interface& interface) {
  std::unordered_set<const Interface*> known;
  std::vector<const Interface*> result;
  add_bases(interface, known, result);
  return result;
}

}  // namespace perigee::idlc
