// The interfaces of an object, without an IDL file.
#pragma once

#include "call/interfaces.h"
#include "remote/definition_source.h"
#include <perigee/orb/orb.h>

#include <chrono>
#include <string>

namespace perigee::tool {

/// Where a command finds the interface of an object.
struct InterfaceQuery {
  CORBA::object_reference<CORBA::Object> object;
  /// Nil: the object itself describes its interface.
  CORBA::object_reference<CORBA::Repository> repository;
  /// The repository id or the scoped name of the interface; empty: that of the object.
  std::string interface;
  /// `of_one` needs no repository if the object itself describes its interface.
  Contents contents = Contents::of_all;
};

/// Throws DescriptionError, with what to do, and the system exceptions of the calls.
[[nodiscard]] InterfaceSource find_source(const CORBA::object_reference<CORBA::ORB>& orb,
                                          const InterfaceQuery& query);

/// An interface whose operations a command can call.
struct RemoteInterface {
  Interfaces interfaces;
  std::string id;  ///< of the interface
};

/// Reads the interface and the types that it uses. Takes at most `time_max` plus the time limit of
/// one call; 0: no limit. Throws the exceptions of `find_source`.
[[nodiscard]] RemoteInterface interfaces_of(const CORBA::object_reference<CORBA::ORB>& orb,
                                            const InterfaceSource& source,
                                            std::chrono::milliseconds time_max);

/// Throws DescriptionError if the text breaks a rule of IDL.
void check_idl(const std::string& text);

}  // namespace perigee::tool
