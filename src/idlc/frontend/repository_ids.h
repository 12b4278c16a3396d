// Repository ids: #pragma prefix, ID and version, typeid and typeprefix. CORBA 3.0, 10.7.
#pragma once

#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/model.h"

#include <map>
#include <string>
#include <vector>

namespace perigee::idlc {

class RepositoryIds final {
 public:
  RepositoryIds(Diagnostics& diagnostics, std::size_t prefix_size_max)
      : diagnostics_(diagnostics), prefix_size_max_(prefix_size_max) {}

  /// A prefix holds until the end of the scope or file. An included file starts without a prefix,
  /// and without the names of the scopes around its #include.
  void enter_file() { paths_.emplace_back(); }
  void enter_scope(const std::string& name) { paths_.push_back(joined(paths_.back(), name)); }
  void leave() {
    if (paths_.size() > 1) paths_.pop_back();
  }
  /// `#pragma prefix`: replaces the prefix and the names of all enclosing scopes, as in other
  /// compilers.
  void set_prefix(std::string prefix) { paths_.back() = std::move(prefix); }
  /// `typeprefix` of the current scope, which `owner` declared. The full name of the scope stays
  /// after the prefix.
  void set_scope_prefix(const std::string& prefix, const Declaration& owner);
  /// Reports a prefix that is too long: each declaration repeats the prefix.
  bool check_prefix(const std::string& prefix, Location location);

  /// Gives a new declaration its id, with the current prefix.
  void assign(Declaration& declaration);
  /// A further declaration of the same entity (a module's next opening, a forward declaration). It
  /// gets the id of `original`, unless the file sets its id or version.
  void share(Declaration& copy, const Declaration& original) { copies_[&copy] = &original; }

  /// Reports that a further declaration of the same entity has another prefix. The entity would
  /// have two ids. CORBA 3.0, 10.7.5.1.
  void check_declared_again(const Declaration& declaration, Location location);

  void set_id(Declaration& declaration, const std::string& id, Location location);
  void set_version(Declaration& declaration, const std::string& version, Location location);
  /// `typeprefix` for the declaration and for all declarations inside it so far.
  void set_type_prefix(Declaration& declaration, const std::string& prefix, Location location);

  /// An earlier declaration with that id, or null.
  [[nodiscard]] Declaration* find(const std::string& id) const;

  /// Copies the ids to the declarations given to `share`. Call once, at the end.
  void finish();

 private:
  struct Parts {
    std::string path;  ///< prefix and scopes, between "IDL:" and the name
    std::string version = "1.0";
    bool has_id = false;
    bool has_version = false;
  };
  static std::string joined(const std::string& path, const std::string& name) {
    return path.empty() ? name : path + '/' + name;
  }
  void compose(Declaration& declaration);

  Diagnostics& diagnostics_;
  std::size_t prefix_size_max_;
  std::vector<std::string> paths_ = {""};
  std::map<const Declaration*, Parts> parts_;
  std::multimap<std::string, Declaration*> by_name_;
  std::map<const Declaration*, std::string> type_prefixes_;
  std::map<Declaration*, const Declaration*> copies_;
};

}  // namespace perigee::idlc
