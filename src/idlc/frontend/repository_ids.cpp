// Composes repository ids.
#include "idlc/frontend/repository_ids.h"

#include <charconv>

namespace perigee::idlc {

namespace {

/// "::A::B" as "A/B".
std::string path_of(const std::string& scoped_name) {
  std::string path;
  for (std::size_t i = 2; i < scoped_name.size(); ++i) {
    if (scoped_name[i] != ':') {
      path += scoped_name[i];
    } else {
      path += '/';
      ++i;
    }
  }
  return path;
}

/// A decimal number below 65536.
bool is_version_part(std::string_view text) {
  constexpr std::uint32_t greatest = 65535;
  std::uint32_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, value);  // NOLINT
  return code == std::errc() && end == last && value <= greatest;
}

/// CORBA 3.0, 10.7.5.3: major and minor.
bool is_version(std::string_view text) {
  const auto point = text.find('.');
  return point != std::string_view::npos && is_version_part(text.substr(0, point)) &&
         is_version_part(text.substr(point + 1));
}

}  // namespace

void RepositoryIds::assign(Declaration& declaration) {
  parts_[&declaration].path = paths_.back();
  by_name_.emplace(declaration.scoped_name, &declaration);
  compose(declaration);
}

/// "IDL:" prefix "/" names of the scopes and the declaration, separated by "/", ":" version.
void RepositoryIds::compose(Declaration& declaration) {
  const Parts& parts = parts_[&declaration];
  if (parts.has_id) return;
  declaration.repository_id = "IDL:" + joined(parts.path, declaration.name) + ':' + parts.version;
}

bool RepositoryIds::check_prefix(const std::string& prefix, Location location) {
  if (prefix.size() <= prefix_size_max_) return true;
  diagnostics_.error(location, "a prefix of repository ids has at most " +
                                   std::to_string(prefix_size_max_) + " octets");
  return false;
}

void RepositoryIds::check_declared_again(const Declaration& declaration, Location location) {
  const auto known = parts_.find(&declaration);
  const bool is_set_apart =
      known == parts_.end() || known->second.has_id || type_prefixes_.contains(&declaration);
  if (is_set_apart || known->second.path == paths_.back()) return;
  const std::string id =
      "IDL:" + joined(paths_.back(), declaration.name) + ':' + known->second.version;
  diagnostics_
      .error(location, "'" + declaration.name + "' has another prefix where it was declared " +
                           "before: its repository id would be \"" + id + "\" here and \"" +
                           declaration.repository_id + "\" there")
      .notes.push_back({declaration.location, "it was declared here"});
}

void RepositoryIds::set_id(Declaration& declaration, const std::string& id, Location location) {
  const auto colon = id.find(':');
  if (colon == std::string::npos || colon == 0) {
    diagnostics_.error(location,
                       "the repository id \"" + id + "\" does not begin with a format like IDL:");
    return;
  }
  Parts& parts = parts_[&declaration];
  if ((parts.has_id || parts.has_version) && declaration.repository_id != id) {
    diagnostics_.error(location, "the repository id of '" + declaration.name +
                                     "' is already set to \"" + declaration.repository_id + '"');
    return;
  }
  parts.has_id = true;
  declaration.repository_id = id;
}

void RepositoryIds::set_version(Declaration& declaration, const std::string& version,
                                Location location) {
  if (!is_version(version)) {
    diagnostics_.error(location, "'" + version + "' is not a version").hint =
        "two decimal numbers below 65536 with a '.' between them, as in 1.2";
    return;
  }
  Parts& parts = parts_[&declaration];
  if (parts.has_id || (parts.has_version && parts.version != version)) {
    diagnostics_.error(location, "the repository id of '" + declaration.name +
                                     "' is already set to \"" + declaration.repository_id + '"');
    return;
  }
  parts.has_version = true;
  parts.version = version;
  compose(declaration);
}

void RepositoryIds::set_scope_prefix(const std::string& prefix, const Declaration& owner) {
  paths_.back() = joined(prefix, path_of(owner.scoped_name));
}

/// CORBA 3.0, 3.15.2: the prefix is put in front of the scoped names of the declaration and of its
/// contents.
void RepositoryIds::set_type_prefix(Declaration& declaration, const std::string& prefix,
                                    Location location) {
  const auto [known, is_new] = type_prefixes_.emplace(&declaration, prefix);
  if (!is_new && known->second != prefix) {
    diagnostics_.error(location, "the prefix of '" + declaration.name + "' is already set to \"" +
                                     known->second + '"');
  }
  if (!is_new) return;
  const auto compose_again = [&](Declaration& each) {
    const std::string name = path_of(each.scoped_name);
    const auto slash = name.rfind('/');
    parts_[&each].path =
        slash == std::string::npos ? prefix : joined(prefix, name.substr(0, slash));
    compose(each);
  };
  const auto [first, last] = by_name_.equal_range(declaration.scoped_name);
  for (auto each = first; each != last; ++each) compose_again(*each->second);
  const std::string inside = declaration.scoped_name + "::";
  for (auto each = by_name_.lower_bound(inside);
       each != by_name_.end() && each->first.starts_with(inside); ++each) {
    compose_again(*each->second);
  }
}

Declaration* RepositoryIds::find(const std::string& id) const {
  for (const auto& [name, declaration] : by_name_) {
    if (declaration->repository_id == id) return declaration;
  }
  return nullptr;
}

void RepositoryIds::finish() {
  for (const auto& [copy, original] : copies_) {
    const Parts& own = parts_[copy];
    if (!own.has_id && !own.has_version) copy->repository_id = original->repository_id;
  }
}

}  // namespace perigee::idlc
