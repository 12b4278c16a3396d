// Composition of repository ids.
#include "idlc/frontend/repository_ids.h"

namespace perigee::idlc {

void RepositoryIds::assign(Declaration& declaration) {
  parts_[&declaration].prefix = prefixes_.back();
  compose(declaration);
}

/// "IDL:" prefix "/" scoped name with "/" between the parts ":" version.
void RepositoryIds::compose(Declaration& declaration) {
  const Parts& parts = parts_[&declaration];
  if (parts.has_id) return;
  std::string path;
  const std::string& name = declaration.scoped_name;
  for (std::size_t i = 2; i < name.size(); ++i) {
    if (name[i] != ':') {
      path += name[i];
    } else {
      path += '/';
      ++i;
    }
  }
  declaration.repository_id =
      "IDL:" + (parts.prefix.empty() ? "" : parts.prefix + '/') + path + ':' + parts.version;
}

bool RepositoryIds::check_prefix(const std::string& prefix, Location location) {
  if (prefix.size() <= prefix_size_max_) return true;
  diagnostics_.error(location, "a prefix of repository ids has at most " +
                                   std::to_string(prefix_size_max_) + " octets");
  return false;
}

void RepositoryIds::set_id(Declaration& declaration, const std::string& id, Location location) {
  const auto colon = id.find(':');
  if (colon == std::string::npos || colon == 0) {
    diagnostics_.error(location, "the repository id \"" + id + "\" has no format, as in \"IDL:…\"");
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

void RepositoryIds::set_type_prefix(Declaration& declaration, const std::string& prefix) {
  const std::string inside = declaration.scoped_name + "::";
  for (auto& [declared, parts] : parts_) {
    if (declared != &declaration && !declared->scoped_name.starts_with(inside)) continue;
    parts.prefix = prefix;
    compose(*declared);
  }
}

void RepositoryIds::finish() {
  for (const auto& [copy, original] : copies_) copy->repository_id = original->repository_id;
}

}  // namespace perigee::idlc
