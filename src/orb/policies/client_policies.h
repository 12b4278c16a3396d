// The client's policies: the policies of an object, a thread and an ORB, and the effective policies
// of a call. The level that is nearest to the call wins: object, thread, ORB.
#pragma once

#include "orb/connection/oneway_buffer.h"
#include "orb/policies/protocol_preference.h"
#include <perigee/base/export.h>
#include <perigee/orb/messaging_policies.h>
#include <perigee/orb/policy.h>
#include <perigee/orb/service_context_policy.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace perigee::orb {

class CallHooks;
class OrbCore;
class Reference;

/// A time of the system's clock in the unit of the standard policies: 100 ns since 1582-10-15.
[[nodiscard]] TimeBase::TimeT units_since_1582(std::chrono::system_clock::time_point time) noexcept;

/// The policy values that calls use.
struct CallPolicies {
  std::optional<TimeBase::TimeT> roundtrip_timeout;
  std::optional<TimeBase::TimeT> request_timeout;
  std::optional<TimeBase::TimeT> connection_timeout;
  std::optional<TimeBase::TimeT> reply_end;    // since 1582-10-15
  std::optional<TimeBase::TimeT> request_end;  // the same
  std::optional<bool> no_rebind;               // true: NO_REBIND
  std::optional<Messaging::SyncScope> sync_scope;
  std::optional<BufferingLimits> buffering;
  std::optional<std::uint32_t> link_size_min;                  // octets
  std::optional<bool> bidirectional;                           // true: BOTH
  std::shared_ptr<const ProtocolPreference> protocols;         // shared: immutable
  std::optional<bool> is_protected;                            // by QOPPolicy
  std::optional<bool> trusts_target;                           // by EstablishTrustPolicy
  std::shared_ptr<const ProtocolPreference> server_protocols;  // only for the ORB

  /// Takes the values that are not set here from `outer`.
  void complete_with(const CallPolicies& outer) noexcept;
  /// The protocols of a call, as the policies of protocols and security say; null: all.
  [[nodiscard]] std::shared_ptr<const ProtocolPreference> preference() const;
  /// A policy limits the whole call.
  [[nodiscard]] bool has_time_limit() const noexcept { return roundtrip_timeout || reply_end; }
  /// The limit of a whole call that begins now; zero: none; negative: its time is over.
  [[nodiscard]] std::chrono::microseconds time_limit() const noexcept;
  /// The same for a request until it is sent.
  [[nodiscard]] std::chrono::microseconds send_limit() const noexcept;
  /// The limit of connecting in one call, if a policy sets it; zero: none.
  [[nodiscard]] std::optional<std::chrono::milliseconds> connect_limit() const noexcept;
};

/// The level at which policies are set.
enum class PolicyLevel : std::uint8_t { orb, thread, object };

/// The policies of one level, at most one of each type. Immutable. Calls that use them may continue
/// to use them after another list has replaced them.
class PolicyOverrides {
 public:
  [[nodiscard]] const CallPolicies& values() const noexcept { return values_; }
  /// The policies of these types; all policies if `types` is empty.
  [[nodiscard]] CORBA::PolicyList list(const CORBA::PolicyTypeSeq& types) const;
  /// Nil if there is none.
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> find(CORBA::PolicyType type) const;
  /// Nil if there is none. Not a member of `values`: only few calls have this policy, and all calls
  /// with policies copy the values.
  [[nodiscard]] const CORBA::object_reference<ServiceContextPolicy>& contexts() const noexcept {
    return contexts_;
  }

 private:
  friend std::shared_ptr<const PolicyOverrides> override_policies(const PolicyOverrides* existing,
                                                                  const CORBA::PolicyList& policies,
                                                                  CORBA::SetOverrideType set_add,
                                                                  PolicyLevel level);
  CORBA::PolicyList policies_;
  CallPolicies values_;
  CORBA::object_reference<ServiceContextPolicy> contexts_;
};

/// The policies of a level after `set_policy_overrides`; null if there are none. Raises as
/// PolicyManager says.
[[nodiscard]] std::shared_ptr<const PolicyOverrides> override_policies(
    const PolicyOverrides* existing, const CORBA::PolicyList& policies,
    CORBA::SetOverrideType set_add, PolicyLevel level);

/// Whether clients set policies of this type.
[[nodiscard]] PERIGEE_INTERNAL_API bool is_client_policy(CORBA::PolicyType type) noexcept;

/// The levels of the ORB and of its threads. Any thread. Functions for the thread level apply to
/// the calling thread.
class ClientPolicies : public std::enable_shared_from_this<ClientPolicies> {
 public:
  /// `in_use`: calls look at policies from the beginning.
  explicit ClientPolicies(bool in_use = false);
  ClientPolicies(const ClientPolicies&) = delete;
  ClientPolicies& operator=(const ClientPolicies&) = delete;

  /// False until a policy has been set for the ORB or a thread. Until then calls need not look at
  /// policies. Always true with -ORBCallTimeout.
  [[nodiscard]] bool in_use() const noexcept { return in_use_.load(std::memory_order_relaxed); }
  /// @name The hooks of interceptors
  /// They are here because a usual call then has one test, `in_use`, for policies and interceptors.
  /// @{
  [[nodiscard]] CallHooks* call_hooks() const noexcept {
    return call_hooks_.load(std::memory_order_acquire);
  }
  void set_call_hooks(CallHooks* hooks) noexcept {
    call_hooks_.store(hooks, std::memory_order_release);
    if (hooks != nullptr) in_use_.store(true);
  }
  /// The hooks of calls with a ServiceContextPolicy, if there are no interceptors. Called once,
  /// before policies are set. `hooks` outlives this object.
  void set_context_hooks(CallHooks& hooks) noexcept { context_hooks_ = &hooks; }
  /// Called before a ServiceContextPolicy is set at any level.
  void use_contexts() noexcept {
    uses_contexts_.store(true);
    CallHooks* none = nullptr;  // interceptors find the contexts themselves
    call_hooks_.compare_exchange_strong(none, context_hooks_);
  }
  [[nodiscard]] bool uses_contexts() const noexcept { return uses_contexts_.load(); }
  /// @}
  /// The thread's policies, completed with the ORB's policies. Takes a lock only after the policies
  /// of the ORB or of the thread have changed.
  [[nodiscard]] CallPolicies effective();
  /// The ServiceContextPolicy of the thread, or else of the ORB; nil if there is none. Takes a lock
  /// only after the policies of the ORB or of the thread have changed.
  [[nodiscard]] CORBA::object_reference<ServiceContextPolicy> effective_contexts();

  [[nodiscard]] PERIGEE_INTERNAL_API std::shared_ptr<const PolicyOverrides> of_orb() const;
  void set_of_orb(std::shared_ptr<const PolicyOverrides> overrides);
  /// The ORB's BidirectionalPolicy, without a lock.
  [[nodiscard]] std::optional<bool> bidirectional_of_orb() const noexcept {
    const Bidirectional value = bidirectional_.load(std::memory_order_relaxed);
    if (value == Bidirectional::unset) return std::nullopt;
    return value == Bidirectional::both;
  }
  [[nodiscard]] std::shared_ptr<const PolicyOverrides> of_thread() const;
  void set_of_thread(std::shared_ptr<const PolicyOverrides> overrides);

 private:
  struct ThreadLevel;
  enum class Bidirectional : std::uint8_t { unset, normal, both };

  /// The thread's level for each ORB whose policies it has used.
  static std::vector<ThreadLevel>& thread_levels();
  [[nodiscard]] ThreadLevel* find_thread_level() const;
  ThreadLevel& make_thread_level();
  /// The thread's level, with its effective policies.
  ThreadLevel& effective_level();
  /// Makes the effective policies of the level. `changes` is the count of changes before.
  void renew(ThreadLevel& level, std::uint64_t changes) const;

  const std::uint64_t number_;  // never used again by another object
  std::atomic<bool> in_use_{false};
  std::atomic<CallHooks*> call_hooks_{nullptr};
  CallHooks* context_hooks_ = nullptr;
  std::atomic<bool> uses_contexts_{false};
  std::atomic<Bidirectional> bidirectional_{Bidirectional::unset};  // of the ORB
  std::atomic<std::uint64_t> changes_{0};                           // of the ORB's level
  mutable std::mutex mutex_;                                        // guards the members below
  std::shared_ptr<const PolicyOverrides> of_orb_;
};

}  // namespace perigee::orb
