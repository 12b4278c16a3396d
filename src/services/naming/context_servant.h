// The operations of naming contexts, as coroutines: no thread waits for the store or for another
// naming service.
#pragma once

#include "services/naming/iterators.h"
#include "services/naming/tree.h"

#include <PerigeeNamingAsyncS.h>

#include <cstdint>
#include <optional>
#include <string>

namespace perigee::naming {

class ContextServant final : public CORBA::async_traits<PerigeeNaming::LeasingContext>::base_type {
 public:
  /// With `context`, the servant serves only this context. Without it, the id of a request's object
  /// says which context is meant. `tree` and `iterators` live as long as the servant.
  ContextServant(Tree& tree, Iterators& iterators,
                 IDL::traits<PortableServer::Current>::ref_type current,
                 std::optional<ContextNumber> context);

  task<void> bind(Name n, ObjectRef obj) override;
  task<void> rebind(Name n, ObjectRef obj) override;
  task<void> bind_context(Name n, ContextRef nc) override;
  task<void> rebind_context(Name n, ContextRef nc) override;
  task<ObjectRef> resolve(Name n) override;
  task<void> unbind(Name n) override;
  task<ContextRef> new_context() override;
  task<ContextRef> bind_new_context(Name n) override;
  task<void> destroy() override;
  task<CosNaming::NamingContext_list_results> list(std::uint32_t how_many) override;

  task<std::string> to_string(Name n) override;
  task<Name> to_name(std::string sn) override;
  task<std::string> to_url(std::string addr, std::string sn) override;
  task<ObjectRef> resolve_str(std::string sn) override;

  task<void> bind_leased(Name n, ObjectRef obj, std::uint32_t seconds) override;
  task<void> rebind_leased(Name n, ObjectRef obj, std::uint32_t seconds) override;
  task<void> renew(Name n, std::uint32_t seconds) override;

 private:
  [[nodiscard]] ContextNumber context() const;
  /// The context that contains the name to change. Checks the client and the name. The caller must
  /// await the task at once.
  [[nodiscard]] task<Place> place_of_change(const Name& name);
  /// Changes the last component of the name. In a context of another naming service, `call` makes
  /// the same call of that service. In an own context, `complete` sets the members of the change
  /// that differ between operations.
  template <typename Interface, typename Call, typename Complete>
  [[nodiscard]] task<void> change_last(Name n, Change::Kind kind, Call call, Complete complete);
  [[nodiscard]] Name name_of_text(const std::string& text) const;
  [[nodiscard]] WallTime end_of_lease(std::uint32_t seconds) const;

  Tree& tree_;
  Iterators& iterators_;
  const IDL::traits<PortableServer::Current>::ref_type current_;
  const std::optional<ContextNumber> context_;
};

}  // namespace perigee::naming
