// Turns the declarations of an interface into calls.
#include "idlc/implied/calls.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace perigee::idlc {
namespace {

void add_attribute(const Attribute& attribute, const Type& void_type, std::vector<Call>& calls) {
  Call get;
  get.name = "get_" + attribute.name;
  get.half = Half::get;
  get.origin = &attribute;
  get.return_type = attribute.type;
  get.raises = attribute.get_raises;
  calls.push_back(std::move(get));
  if (attribute.is_readonly) return;
  Call set;
  set.name = "set_" + attribute.name;
  set.half = Half::set;
  set.origin = &attribute;
  set.return_type = &void_type;
  set.parameters.push_back(
      {"attr_" + attribute.name, attribute.location, Direction::in, attribute.type, {}});
  set.raises = attribute.set_raises;
  calls.push_back(std::move(set));
}

void add_calls(const Interface& interface, const Type& void_type, std::vector<Call>& calls) {
  for (const Declaration* each : interface.contents) {
    if (const auto* operation = as<Operation>(each))
      calls.push_back({operation->name, Half::operation, operation, operation->is_oneway, false,
                       operation->return_type, operation->parameters, operation->raises,
                       operation->contexts});
    if (const auto* attribute = as<Attribute>(each)) add_attribute(*attribute, void_type, calls);
  }
}

/// The abstract bases that no concrete base has.
std::vector<const Interface*> own_abstract_bases(const Interface& interface) {
  std::unordered_set<const Interface*> inherited;
  for (const Interface* base : concrete_bases(interface))
    for (const Interface* above : all_bases(*base)) inherited.insert(above);
  std::vector<const Interface*> result;
  for (const Interface* base : all_bases(interface))
    if (base->is_abstract && !inherited.contains(base)) result.push_back(base);
  return result;
}

/// The abstract bases whose calls several concrete bases declare.
std::vector<const Interface*> joined_abstract_bases(const Interface& interface) {
  if (concrete_bases(interface).size() < 2) return {};
  std::unordered_map<const Interface*, int> declared;
  const std::vector<const Interface*> bases = all_bases(interface);
  for (const Interface* base : bases) {
    if (base->is_abstract) continue;
    for (const Interface* own : own_abstract_bases(*base)) ++declared[own];
  }
  std::vector<const Interface*> result;
  std::ranges::copy_if(bases, std::back_inserter(result),
                       [&](const Interface* base) { return declared[base] > 1; });
  return result;
}

}  // namespace

std::vector<const Interface*> concrete_bases(const Interface& interface) {
  std::vector<const Interface*> result;
  std::ranges::copy_if(interface.bases, std::back_inserter(result),
                       [](const Interface* base) { return !base->is_abstract; });
  return result;
}

std::vector<Call> calls_of(const Interface& interface, const Type& void_type, Joined joined) {
  std::vector<Call> calls;
  for (const Interface* base : own_abstract_bases(interface)) add_calls(*base, void_type, calls);
  const std::size_t own = calls.size();
  if (joined == Joined::declare)
    for (const Interface* base : joined_abstract_bases(interface))
      add_calls(*base, void_type, calls);
  for (Call& call : std::span(calls).subspan(own)) call.is_joined = true;
  add_calls(interface, void_type, calls);
  return calls;
}

}  // namespace perigee::idlc
