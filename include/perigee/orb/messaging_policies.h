// The policies of module Messaging that apply to calls. Made by `ORB::create_policy`, set by
// `Object::_set_policy_overrides`, PolicyCurrent or PolicyManager. See docs/policies.md.
// Source: CORBA 3.0, 22.2.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/policy.h>

#include <cstdint>
#include <string_view>

namespace TimeBase {
inline namespace perigee_v1 {
/// In units of 100 nanoseconds.
using TimeT = std::uint64_t;
}  // namespace perigee_v1
}  // namespace TimeBase

namespace Messaging {
inline namespace perigee_v1 {

inline constexpr CORBA::PolicyType REBIND_POLICY_TYPE = 23;
inline constexpr CORBA::PolicyType SYNC_SCOPE_POLICY_TYPE = 24;
/// Not supported: `create_policy` raises PolicyError. The same holds for
/// REPLY_START_TIME_POLICY_TYPE.
inline constexpr CORBA::PolicyType REQUEST_START_TIME_POLICY_TYPE = 27;
inline constexpr CORBA::PolicyType REQUEST_END_TIME_POLICY_TYPE = 28;
inline constexpr CORBA::PolicyType REPLY_START_TIME_POLICY_TYPE = 29;
inline constexpr CORBA::PolicyType REPLY_END_TIME_POLICY_TYPE = 30;
inline constexpr CORBA::PolicyType RELATIVE_REQ_TIMEOUT_POLICY_TYPE = 31;
inline constexpr CORBA::PolicyType RELATIVE_RT_TIMEOUT_POLICY_TYPE = 32;
/// Not supported: `create_policy` raises PolicyError.
inline constexpr CORBA::PolicyType QUEUE_ORDER_POLICY_TYPE = 35;

/// When a oneway call returns.
using SyncScope = std::int16_t;
/// The call returns at once. The request waits in a buffer: see <perigee/orb/buffering_policy.h>.
inline constexpr SyncScope SYNC_NONE = 0;
inline constexpr SyncScope SYNC_WITH_TRANSPORT = 1;  ///< the transport has it: the default
inline constexpr SyncScope SYNC_WITH_SERVER = 2;     ///< the server has it, and found the object
inline constexpr SyncScope SYNC_WITH_TARGET = 3;  ///< the object executed it; raises its exceptions

/// The steps that the ORB may take by itself during a call.
using RebindMode = std::int16_t;
inline constexpr RebindMode TRANSPARENT = 0;  ///< follow forwards, and connect again: the default
/// Connect again. A forward raises REBIND if an earlier call of the reference was answered.
inline constexpr RebindMode NO_REBIND = 1;
inline constexpr RebindMode NO_RECONNECT =
    2;  ///< not supported: `create_policy` raises PolicyError

/// How long a synchronous or asynchronous call may take in all: connecting, sending and waiting for
/// the reply. When the time has passed, the call raises TIMEOUT. Zero: no limit. Calls within the
/// process have this limit only if their servant defers the reply.
class PERIGEE_API RelativeRoundtripTimeoutPolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<RelativeRoundtripTimeoutPolicy>;
  static constexpr std::string_view _type_id =
      "IDL:omg.org/Messaging/RelativeRoundtripTimeoutPolicy:1.0";

  explicit RelativeRoundtripTimeoutPolicy(TimeBase::TimeT expiry) noexcept : expiry_(expiry) {}
  ~RelativeRoundtripTimeoutPolicy() override;
  [[nodiscard]] TimeBase::TimeT relative_expiry() const noexcept { return expiry_; }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  TimeBase::TimeT expiry_;
};

/// How long a request may take to be sent: connecting, and giving the request to the transport.
/// When the time has passed, the call raises TIMEOUT, COMPLETED_NO. Zero: no limit. Calls within
/// the process ignore the policy.
class PERIGEE_API RelativeRequestTimeoutPolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<RelativeRequestTimeoutPolicy>;
  static constexpr std::string_view _type_id =
      "IDL:omg.org/Messaging/RelativeRequestTimeoutPolicy:1.0";

  explicit RelativeRequestTimeoutPolicy(TimeBase::TimeT expiry) noexcept : expiry_(expiry) {}
  ~RelativeRequestTimeoutPolicy() override;
  [[nodiscard]] TimeBase::TimeT relative_expiry() const noexcept { return expiry_; }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  TimeBase::TimeT expiry_;
};

/// The time at which a call ends at the latest, by the system's clock: as
/// RelativeRoundtripTimeoutPolicy, with an absolute time. If both are set, the earlier limit holds.
/// A call that begins later raises TIMEOUT.
class PERIGEE_API ReplyEndTimePolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<ReplyEndTimePolicy>;
  static constexpr std::string_view _type_id = "IDL:omg.org/Messaging/ReplyEndTimePolicy:1.0";

  /// `end_time`: since 1582-10-15, UTC, as the member `time` of TimeBase::UtcT.
  explicit ReplyEndTimePolicy(TimeBase::TimeT end_time) noexcept : end_time_(end_time) {}
  ~ReplyEndTimePolicy() override;
  [[nodiscard]] TimeBase::TimeT end_time() const noexcept { return end_time_; }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  TimeBase::TimeT end_time_;
};

/// The time at which a request is sent at the latest: as RelativeRequestTimeoutPolicy, with an
/// absolute time.
class PERIGEE_API RequestEndTimePolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<RequestEndTimePolicy>;
  static constexpr std::string_view _type_id = "IDL:omg.org/Messaging/RequestEndTimePolicy:1.0";

  /// `end_time`: see ReplyEndTimePolicy.
  explicit RequestEndTimePolicy(TimeBase::TimeT end_time) noexcept : end_time_(end_time) {}
  ~RequestEndTimePolicy() override;
  [[nodiscard]] TimeBase::TimeT end_time() const noexcept { return end_time_; }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  TimeBase::TimeT end_time_;
};

/// Whether calls follow location forwards by themselves.
class PERIGEE_API RebindPolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<RebindPolicy>;
  static constexpr std::string_view _type_id = "IDL:omg.org/Messaging/RebindPolicy:1.0";

  /// TRANSPARENT or NO_REBIND.
  explicit RebindPolicy(RebindMode mode) noexcept : mode_(mode) {}
  ~RebindPolicy() override;
  [[nodiscard]] RebindMode rebind_mode() const noexcept { return mode_; }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  RebindMode mode_;
};

/// The step that a request must have reached before a oneway call returns.
class PERIGEE_API SyncScopePolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<SyncScopePolicy>;
  static constexpr std::string_view _type_id = "IDL:omg.org/Messaging/SyncScopePolicy:1.0";

  explicit SyncScopePolicy(SyncScope synchronization) noexcept : scope_(synchronization) {}
  ~SyncScopePolicy() override;
  [[nodiscard]] SyncScope synchronization() const noexcept { return scope_; }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  SyncScope scope_;
};

}  // namespace perigee_v1
}  // namespace Messaging

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<Messaging::RelativeRoundtripTimeoutPolicy>
    : perigee::stub::local_interface_traits<Messaging::RelativeRoundtripTimeoutPolicy> {};
template <>
struct traits<Messaging::RelativeRequestTimeoutPolicy>
    : perigee::stub::local_interface_traits<Messaging::RelativeRequestTimeoutPolicy> {};
template <>
struct traits<Messaging::ReplyEndTimePolicy>
    : perigee::stub::local_interface_traits<Messaging::ReplyEndTimePolicy> {};
template <>
struct traits<Messaging::RequestEndTimePolicy>
    : perigee::stub::local_interface_traits<Messaging::RequestEndTimePolicy> {};
template <>
struct traits<Messaging::RebindPolicy>
    : perigee::stub::local_interface_traits<Messaging::RebindPolicy> {};
template <>
struct traits<Messaging::SyncScopePolicy>
    : perigee::stub::local_interface_traits<Messaging::SyncScopePolicy> {};
}  // namespace perigee_v1
}  // namespace IDL
