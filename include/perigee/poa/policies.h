// The policies of the POA. Source: CORBA 3.0, 11.3.8 and 11.3.9.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/policy.h>

#include <cstdint>
#include <string_view>

namespace PortableServer {
inline namespace perigee_v1 {

enum class ThreadPolicyValue : std::uint32_t {
  ORB_CTRL_MODEL,
  SINGLE_THREAD_MODEL,
  MAIN_THREAD_MODEL
};
enum class LifespanPolicyValue : std::uint32_t { TRANSIENT, PERSISTENT };
enum class IdUniquenessPolicyValue : std::uint32_t { UNIQUE_ID, MULTIPLE_ID };
enum class IdAssignmentPolicyValue : std::uint32_t { USER_ID, SYSTEM_ID };
enum class ImplicitActivationPolicyValue : std::uint32_t {
  IMPLICIT_ACTIVATION,
  NO_IMPLICIT_ACTIVATION,
};
enum class ServantRetentionPolicyValue : std::uint32_t { RETAIN, NON_RETAIN };
enum class RequestProcessingPolicyValue : std::uint32_t {
  USE_ACTIVE_OBJECT_MAP_ONLY,
  USE_DEFAULT_SERVANT,
  USE_SERVANT_MANAGER,
};

inline constexpr CORBA::PolicyType THREAD_POLICY_ID = 16;
inline constexpr CORBA::PolicyType LIFESPAN_POLICY_ID = 17;
inline constexpr CORBA::PolicyType ID_UNIQUENESS_POLICY_ID = 18;
inline constexpr CORBA::PolicyType ID_ASSIGNMENT_POLICY_ID = 19;
inline constexpr CORBA::PolicyType IMPLICIT_ACTIVATION_POLICY_ID = 20;
inline constexpr CORBA::PolicyType SERVANT_RETENTION_POLICY_ID = 21;
inline constexpr CORBA::PolicyType REQUEST_PROCESSING_POLICY_ID = 22;

/// A policy of the POA: a value, with the type number and type id of the standard. Made by
/// `POA::create_…_policy`.
#define PERIGEE_POA_POLICY(NAME, TYPE)                                                       \
  class PERIGEE_API NAME final : public CORBA::Policy {                                      \
   public:                                                                                   \
    using _ref_type = CORBA::object_reference<NAME>;                                         \
    static constexpr std::string_view _type_id = "IDL:omg.org/PortableServer/" #NAME ":1.0"; \
    explicit NAME(NAME##Value value) noexcept : value_(value) {}                             \
    ~NAME() override;                                                                        \
    [[nodiscard]] NAME##Value value() const noexcept { return value_; }                      \
    [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override { return TYPE; }   \
    [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;              \
                                                                                             \
   protected:                                                                                \
    [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override { \
      return repository_id == _type_id || repository_id == CORBA::Policy::_type_id;          \
    }                                                                                        \
                                                                                             \
   private:                                                                                  \
    NAME##Value value_;                                                                      \
  };
PERIGEE_POA_POLICY(ThreadPolicy, THREAD_POLICY_ID)
PERIGEE_POA_POLICY(LifespanPolicy, LIFESPAN_POLICY_ID)
PERIGEE_POA_POLICY(IdUniquenessPolicy, ID_UNIQUENESS_POLICY_ID)
PERIGEE_POA_POLICY(IdAssignmentPolicy, ID_ASSIGNMENT_POLICY_ID)
PERIGEE_POA_POLICY(ImplicitActivationPolicy, IMPLICIT_ACTIVATION_POLICY_ID)
PERIGEE_POA_POLICY(ServantRetentionPolicy, SERVANT_RETENTION_POLICY_ID)
PERIGEE_POA_POLICY(RequestProcessingPolicy, REQUEST_PROCESSING_POLICY_ID)
#undef PERIGEE_POA_POLICY

}  // namespace perigee_v1
}  // namespace PortableServer

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<PortableServer::ThreadPolicy>
    : perigee::stub::local_interface_traits<PortableServer::ThreadPolicy> {};
template <>
struct traits<PortableServer::LifespanPolicy>
    : perigee::stub::local_interface_traits<PortableServer::LifespanPolicy> {};
template <>
struct traits<PortableServer::IdUniquenessPolicy>
    : perigee::stub::local_interface_traits<PortableServer::IdUniquenessPolicy> {};
template <>
struct traits<PortableServer::IdAssignmentPolicy>
    : perigee::stub::local_interface_traits<PortableServer::IdAssignmentPolicy> {};
template <>
struct traits<PortableServer::ImplicitActivationPolicy>
    : perigee::stub::local_interface_traits<PortableServer::ImplicitActivationPolicy> {};
template <>
struct traits<PortableServer::ServantRetentionPolicy>
    : perigee::stub::local_interface_traits<PortableServer::ServantRetentionPolicy> {};
template <>
struct traits<PortableServer::RequestProcessingPolicy>
    : perigee::stub::local_interface_traits<PortableServer::RequestProcessingPolicy> {};
}  // namespace perigee_v1
}  // namespace IDL
