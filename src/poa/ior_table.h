// The table of names that are whole object keys. The dispatcher asks it about unknown keys.
#pragma once

#include <perigee/base/octets.h>
#include <perigee/poa/ior_table.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace perigee::orb {
class OrbCore;
}

namespace perigee::poa {

/// One per ORB. Any thread. Shared by the dispatcher and the application's references.
class NameTable final : public IORTable::Table {
 public:
  explicit NameTable(std::weak_ptr<orb::OrbCore> core) noexcept : core_(std::move(core)) {}
  ~NameTable() override;

  void bind(const std::string& object_key, const std::string& ior) override;
  void rebind(const std::string& object_key, const std::string& ior) override;
  void unbind(const std::string& object_key) override;
  void set_locator(CORBA::object_reference<IORTable::Locator> the_locator) override;

  /// The target of requests with this key; nil: none. May call the locator; its system exceptions
  /// reach the caller.
  [[nodiscard]] CORBA::object_reference<CORBA::Object> find(OctetSpan object_key) const;
  /// The names, with the repository ids of their references. Without those of the locator.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> names() const;
  /// Removes all names and the locator. Their references would keep the ORB alive.
  void clear() noexcept;

 private:
  using Reference = CORBA::object_reference<CORBA::Object>;
  [[nodiscard]] Reference reference_of(const std::string& ior) const;

  const std::weak_ptr<orb::OrbCore> core_;
  mutable std::mutex mutex_;  // guards the members below
  std::map<std::string, Reference, std::less<>> references_;
  CORBA::object_reference<IORTable::Locator> locator_;
};

}  // namespace perigee::poa
