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

  /// Prefixes hold until the end of the scope or file; an included file starts without one.
  void push_empty() { prefixes_.emplace_back(); }
  void push_inherited() { prefixes_.push_back(prefixes_.back()); }
  void pop() {
    if (prefixes_.size() > 1) prefixes_.pop_back();
  }
  void set_prefix(std::string prefix) { prefixes_.back() = std::move(prefix); }
  /// Reports a prefix that is too long: each declaration repeats it.
  bool check_prefix(const std::string& prefix, Location location);

  /// Gives a new declaration its id, by the prefix that holds now.
  void assign(Declaration& declaration);
  /// The same thing declared once more (a module's next opening, a forward declaration): it follows
  /// `original`.
  void share(Declaration& copy, const Declaration& original) { copies_[&copy] = &original; }

  void set_id(Declaration& declaration, const std::string& id, Location location);
  void set_version(Declaration& declaration, const std::string& version, Location location);
  /// `typeprefix`: the declaration and all that was declared inside it so far.
  void set_type_prefix(Declaration& declaration, const std::string& prefix);

  /// Copies the ids to the declarations given to `share`. Call once, at the end.
  void finish();

 private:
  struct Parts {
    std::string prefix;
    std::string version = "1.0";
    bool has_id = false;
    bool has_version = false;
  };
  void compose(Declaration& declaration);

  Diagnostics& diagnostics_;
  std::size_t prefix_size_max_;
  std::vector<std::string> prefixes_ = {""};
  std::map<Declaration*, Parts> parts_;
  std::map<Declaration*, const Declaration*> copies_;
};

}  // namespace perigee::idlc
