// Defines the functions of exceptions of local interfaces: <perigee/orb/local_exception.h>.
#pragma once

#include <perigee/cdr/encoder.h>
#include <perigee/orb/local_exception.h>

/// `CLASS`: the name of the class, with its scope.
#define PERIGEE_DEFINE_LOCAL_EXCEPTION(CLASS, NAME, ID)       \
  CLASS::~NAME() = default;                                   \
  const char* CLASS::_rep_id() const noexcept { return ID; }  \
  const char* CLASS::_name() const noexcept { return #NAME; } \
  void CLASS::_raise() const { throw *this; }                 \
  void CLASS::_encode(perigee::cdr::Encoder&) const {}
