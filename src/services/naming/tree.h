// The names of a store as clients see them: walks along names, makes references, and makes changes.
#pragma once

#include "services/access/access.h"
#include "services/naming/cache.h"
#include "services/naming/raise.h"
#include "services/naming/wall_clock.h"
#include <perigee/async.h>
#include <perigee/orb/with_policies.h>
#include <perigee/poa/peer_current.h>
#include <perigee/poa/poa.h>
#include <perigee/services/naming/options.h>

#include <CosNamingAsync.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace perigee::naming {

using ObjectRef = CORBA::object_reference<CORBA::Object>;
using ContextRef = IDL::traits<CosNaming::NamingContext>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

inline constexpr std::string_view root_key = "NameService";

/// The context of an operation: a context of this service, or of another naming service.
struct Place {
  ContextNumber context = root_context;
  ContextRef foreign;    ///< nil: an own context
  std::size_t rest = 0;  ///< the first component that this context has to resolve
};

/// The adapters of the two kinds of contexts.
struct ContextPoas {
  PoaRef root;   ///< the INSPOA: an id is the whole key
  PoaRef inner;  ///< persistent; ids contain the number of the context
};

/// Any thread. Lives as long as the servants.
class Tree {
 public:
  Tree(CORBA::object_reference<CORBA::ORB> orb, ContextPoas poas, std::unique_ptr<Store> store,
       Options options);
  ~Tree() { is_ending_ = true; }  // no further sweep
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  [[nodiscard]] Store& store() noexcept { return *store_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] WallTime now() const { return now_of(options_); }
  /// Before a change or a list: removes bindings whose leases have ended, at most once a minute, or
  /// after many changes with leases. Reads ignore expired bindings even before they are removed.
  /// The removal keeps lists fast.
  void sweep_at_times(WallTime now, bool is_leased);
  /// Before a list: begins to remove all bindings whose leases have ended, unless a removal is in
  /// progress or has failed within the last minute. Does not wait: a list leaves such bindings out,
  /// and its answer must not depend on how quickly the store makes changes.
  void begin_removal_of_expired();

  /// Raises InvalidName, and IMP_LIMIT.
  void check(const Name& name) const;
  /// The client of the request that this thread executes. Call client() and require_change() before
  /// the first co_await.
  [[nodiscard]] services::Client client() const;
  void require_change() const;  ///< raises NO_PERMISSION

  [[nodiscard]] ObjectRef reference_of(ContextNumber context) const;
  [[nodiscard]] PortableServer::ObjectId id_of(ContextNumber context) const;
  /// Raises OBJECT_NOT_EXIST for an id of another store.
  [[nodiscard]] ContextNumber number_of(const PortableServer::ObjectId& id) const;

  /// Targets of bindings. Raise BAD_PARAM for nil, and IMP_LIMIT.
  [[nodiscard]] Target object_target(const ObjectRef& object) const;
  [[nodiscard]] Target context_target(const ContextRef& context) const;

  /// Goes along all components but the last. Raises NotFound, CannotProceed, and OBJECT_NOT_EXIST
  /// if `start` does not exist.
  [[nodiscard]] Place walk(ContextNumber start, const Name& name);
  /// The binding of the last component, in the own context of `place`. Raises NotFound.
  [[nodiscard]] Resolved resolve_last(const Place& place, const Name& name);
  void require_context(ContextNumber context);  ///< raises OBJECT_NOT_EXIST

  /// Makes the change, and waits until it is durable. Raises the exceptions of store errors.
  [[nodiscard]] task<ChangeResult> change(Change change);
  /// Waits for a call of the foreign context of `place`. A system exception becomes CannotProceed.
  template <typename T>
  [[nodiscard]] task<T> forward(Place place, Name rest, perigee::call<T> call);
  /// The context of another naming service, for a call with a time limit. Raises TRANSIENT if too
  /// many such calls are in progress.
  template <typename Interface>
  [[nodiscard]] typename IDL::traits<Interface>::ref_type foreign(const Place& place) const;

 private:
  /// Counts a call of another naming service.
  class ForeignCall {
   public:
    explicit ForeignCall(Tree& tree) noexcept : tree_(tree) { ++tree_.foreign_calls_; }
    ~ForeignCall() { --tree_.foreign_calls_; }
    ForeignCall(const ForeignCall&) = delete;
    ForeignCall& operator=(const ForeignCall&) = delete;

   private:
    Tree& tree_;
  };

  [[nodiscard]] std::optional<Resolved> find(ContextNumber context, const Component& name);
  [[nodiscard]] Resolved to_resolved(const Binding& binding) const;
  [[noreturn]] void raise_missing(ContextNumber context, const Name& name, std::size_t index);
  [[nodiscard]] std::string octets_of(const ObjectRef& object) const;
  void require_call_left() const;
  /// Removes expired bindings in several changes, until none is left. Other changes are made
  /// between them. Does nothing while another sweep is in progress.
  void sweep(WallTime now);
  void sweep_part(WallTime now);

  const CORBA::object_reference<CORBA::ORB> orb_;
  const ContextPoas poas_;
  const Options options_;
  const IDL::traits<PeerCurrent>::ref_type current_;
  Cache cache_;
  std::atomic<std::size_t> foreign_calls_ = 0;
  std::atomic<std::size_t> leased_changes_ = 0;  // since the last sweep
  std::atomic<WallTime> next_sweep_ = 0;
  std::atomic<WallTime> no_removal_before_ = 0;  // after a failed sweep
  std::atomic<bool> is_sweeping_ = false;
  std::atomic<bool> is_ending_ = false;
  const std::unique_ptr<Store> store_;  // last: its destructor makes changes, which use the cache
};

template <typename T>
task<T> Tree::forward(Place place, Name rest, perigee::call<T> call) {
  const ForeignCall counted(*this);
  try {
    co_return co_await std::move(call);
  } catch (const CORBA::SystemException&) {
    throw CosNaming::NamingContext::CannotProceed(place.foreign, rest);
  }
}

template <typename Interface>
typename IDL::traits<Interface>::ref_type Tree::foreign(const Place& place) const {
  require_call_left();
  return with_timeout(IDL::traits<Interface>::unchecked_narrow(place.foreign),
                      options_.limits.foreign_call_time_max);
}

}  // namespace perigee::naming
