// Defines the functions of policy classes that are not in their headers. Include it in sources
// only.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/orb/policy.h>

#include <string_view>

/// `CLASS`: the name of the class, in its namespace. `TYPE`: its policy type. `VALUE`: the member
/// from which a copy is made.
#define PERIGEE_DEFINE_CALL_POLICY(CLASS, TYPE, VALUE)                                  \
  CLASS::~CLASS() = default;                                                            \
  CORBA::PolicyType CLASS::policy_type() const noexcept { return TYPE; }                \
  CORBA::object_reference<CORBA::Policy> CLASS::copy() const {                          \
    return CORBA::object_reference<CORBA::Policy>(perigee::make_counted<CLASS>(VALUE)); \
  }                                                                                     \
  bool CLASS::_implements(std::string_view repository_id) const noexcept {              \
    return repository_id == _type_id || repository_id == CORBA::Policy::_type_id;       \
  }
