// All definitions of one Interface Repository, and the rules of CORBA 3.0, chapter 10, about names,
// repository ids, containers and dependencies. Knows no object references.
#pragma once

#include "repository/definition.h"
#include <perigee/repository/options.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace perigee::repository {

/// A new definition with a name.
struct NewName {
  const std::string& id;
  const std::string& name;
  const std::string& version;
};

/// Not safe for several threads: the servants hold a lock. All functions that take a definition
/// require that it belongs to this store.
///
/// Errors, with the minor codes of the OMG:
/// - BAD_PARAM 2: the repository id exists. 3: the name exists in the container.
/// - BAD_PARAM 4: the container cannot contain the definition. 5: a base has the name.
/// - BAD_INV_ORDER 1: other definitions use the definition. 2: it cannot be destroyed.
/// - BAD_PARAM without a code: a name or an id is not IDL.
/// - NO_RESOURCES: a limit is reached. IMP_LIMIT: the limit of all parts or of all octets.
class Store final {
 public:
  explicit Store(const Limits& limits);

  [[nodiscard]] Definition& root() noexcept { return *root_; }
  /// nullptr if there is no definition with the key, or with the id.
  [[nodiscard]] Definition* find(std::uint64_t key) noexcept;
  [[nodiscard]] Definition* find_id(const std::string& id) noexcept;
  [[nodiscard]] Definition& primitive(CORBA::PrimitiveKind kind);

  /// Looks up a scoped name by the scoping rules of IDL; nullptr if there is none.
  [[nodiscard]] Definition* lookup(Definition& container, std::string_view scoped_name);
  /// The contents; with those of bases if `with_inherited`.
  [[nodiscard]] std::vector<Definition*> contents(const Definition& container, Kind limit,
                                                  bool with_inherited) const;
  /// Searches `levels` levels of containers: 1 is only this one, -1 all.
  [[nodiscard]] std::vector<Definition*> lookup_name(const Definition& container,
                                                     std::string_view name, std::int32_t levels,
                                                     Kind limit, bool with_inherited) const;

  /// Makes a definition that is not in the repository yet; `commit` puts it there.
  [[nodiscard]] std::unique_ptr<Definition> prepare(Definition& container, Kind kind,
                                                    const NewName& name) const;
  Definition& commit(std::unique_ptr<Definition> prepared);
  /// A type without a name.
  Definition& add_anonymous(std::unique_ptr<Definition> prepared);

  void set_id(Definition& definition, const std::string& id);
  void set_name(Definition& definition, const std::string& name);
  void set_version(Definition& definition, const std::string& version);
  void move(Definition& definition, Definition& container, const NewName& name);
  void destroy(Definition& definition);

  /// Call it after the details have changed from `former`. Removes types without a name that only
  /// `former` used.
  void replaced(Definition& definition, const Details& former);

  /// Raises BAD_PARAM, OMG minor 5, if a member has the same name as a member of a base, or if two
  /// bases have a member of the same name. Call it after a change of the bases.
  void check_inherited(const Definition& definition) const;
  /// Raises NO_RESOURCES if the list is too long.
  void check_count(std::size_t count) const;
  /// Raises BAD_PARAM if the name is not an identifier of IDL.
  void check_identifier(const std::string& name) const;
  /// The number of changes. TypeCodes of older states are forgotten.
  [[nodiscard]] std::uint64_t state() const noexcept { return state_; }
  /// Each function that changes a definition calls it.
  void changed() noexcept { ++state_; }
  [[nodiscard]] const Limits& limits() const noexcept { return limits_; }

 private:
  Definition& keep(std::unique_ptr<Definition> definition);
  void check_total(const Definition& definition, const Size& size) const;
  /// Raises IMP_LIMIT if the store cannot take the definition, as it is now.
  [[nodiscard]] Size checked_size(const Definition& definition) const;
  void count(Definition& definition, const Size& size) noexcept;
  void erase(const Definition& definition);
  void check_id(const std::string& id) const;
  /// Raises NO_RESOURCES if the store cannot take another definition.
  void check_room() const;
  void check_text(const std::string& text) const;
  void check_place(const Definition& container, Kind kind, const std::string& name,
                   const Definition* moved) const;
  [[nodiscard]] std::vector<Definition*> subtree(Definition& definition) const;
  [[nodiscard]] std::vector<Definition*> doomed_with(Definition& definition) const;
  void drop_unused(const std::vector<Definition*>& candidates);
  static void attach(Definition& container, Definition& definition);
  static void detach(Definition& definition) noexcept;

  const Limits limits_;
  std::map<std::uint64_t, std::unique_ptr<Definition>> definitions_;
  std::unordered_map<std::string, Definition*> ids_;
  std::vector<Definition*> primitives_;
  Definition* root_ = nullptr;
  Size total_;
  std::uint64_t next_key_ = 0;
  std::uint64_t state_ = 1;
};

/// Only ASCII letters change. Names that are then equal clash.
[[nodiscard]] std::string in_lower_case(std::string_view name);

/// The standard's exceptions.
[[noreturn]] void raise_bad_param(std::uint32_t omg_minor, const std::string& text);
[[noreturn]] void raise_bad_order(std::uint32_t omg_minor, const std::string& text);

}  // namespace perigee::repository
