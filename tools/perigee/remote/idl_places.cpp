// Decides in which scope of the IDL text each definition stands: CORBA 3.0, 3.20.
#include "remote/idl_places.h"

#include "idl_nodes.h"
#include "idlc/frontend/compile.h"
#include "remote/type_text.h"
#include <perigee/base/printable.h>

#include <set>

namespace perigee::tool {

namespace {

constexpr std::string_view corba_ids = "IDL:omg.org/CORBA/";

bool can_contain_types(const cdr::TypeNode& node) {
  return is_interface(node) || node.kind == cdr::TypeKind::tk_value;
}

void add_ids(const idlc::Declarations& declarations, std::set<std::string, std::less<>>& ids) {
  for (const idlc::Declaration* const each : declarations) {
    const bool is_only_declared = idlc::as<idlc::Forward>(each) != nullptr;
    if (!is_only_declared) ids.insert(each->repository_id);
    if (const auto* const module = idlc::as<idlc::Module>(each)) add_ids(module->contents, ids);
  }
}

/// The repository ids of <orb.idl>.
std::set<std::string, std::less<>> ids_of_orb_idl() {
  idlc::MemoryFiles files;
  files.add("orb", "#include <orb.idl>\n");
  const auto model = read_model("orb", {.files = {}, .include_folders = {}, .macros = {}}, files);
  std::set<std::string, std::less<>> ids;
  if (model) add_ids((*model)->definitions, ids);
  return ids;
}

}  // namespace

IdlPlaces::IdlPlaces(const Description& description) {
  std::map<std::string, const Described*, std::less<>> by_name;
  bool has_corba = false;
  for (const std::string& id : description.order()) {
    by_name.emplace(description.find(id)->scoped_name, description.find(id));
    has_corba |= id.starts_with(corba_ids);
  }
  const auto included = has_corba ? ids_of_orb_idl() : std::set<std::string, std::less<>>();
  for (const auto& [scoped_name, described] : by_name) {
    IdlPlace place;
    place.is_included = included.contains(described->id);
    const auto parts = parts_of(scoped_name);
    std::string scope;
    bool is_inside_type = false;
    for (std::size_t index = 0; index + 1 < parts.size(); ++index) {
      scope += "::" + parts[index];
      const auto found = by_name.find(scope);
      if (is_inside_type)
        place.name += parts[index] + '_';
      else if (found == by_name.end() && place.container.empty())
        place.modules.push_back(parts[index]);
      else if (found != by_name.end() && can_contain_types(*found->second->node))
        place.container = found->second->id;
      else
        is_inside_type = true, place.name += parts[index] + '_';
    }
    place.name += parts.back();
    places_.emplace(described->id, std::move(place));
  }
}

const IdlPlace& IdlPlaces::of(std::string_view id) const {
  const auto found = places_.find(id);
  if (found == places_.end())
    throw DescriptionError("the Interface Repository uses " + printable(id) +
                           ", which it does not describe");
  return found->second;
}

std::string IdlPlaces::path_of(std::string_view id, std::string_view separator,
                               bool is_escaped) const {
  const IdlPlace& place = of(id);
  const auto text = [is_escaped](const std::string& name) {
    return is_escaped ? escaped(name) : name;
  };
  std::string path;
  for (const std::string& module : place.modules) path += text(module) + std::string(separator);
  if (!place.container.empty()) path += text(of(place.container).name) + std::string(separator);
  return path + text(place.name);
}

std::string IdlPlaces::scoped_name(std::string_view id) const {
  return "::" + path_of(id, "::", true);
}

std::string IdlPlaces::default_id(std::string_view id, std::string_view prefix) const {
  return "IDL:" + std::string(prefix) + (prefix.empty() ? "" : "/") + path_of(id, "/", false) +
         ":1.0";
}

std::string IdlPlaces::prefix_for(std::string_view id) const {
  const std::string end = '/' + path_of(id, "/", false) + ":1.0";
  if (!id.starts_with("IDL:") || !id.ends_with(end) || id.size() <= end.size() + 4) return {};
  return std::string(id.substr(4, id.size() - end.size() - 4));
}

}  // namespace perigee::tool
