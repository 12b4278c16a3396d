// Interface Repositories of servers that describe the IDL that they were built with:
// `perigee-idl --repository` generates the descriptions.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/orb.h>
#include <perigee/repository/embedded_octets.h>
#include <perigee/repository/server.h>

#include <vector>

namespace perigee::repository {

/// An Interface Repository with embedded descriptions, for the server's own `_get_interface`.
///
/// The constructor registers the repository as the initial reference `InterfaceRepository`, unless
/// the ORB has one by `-ORBInitRef`. The objects are those of `Server`; no client may change them.
/// Keep it until the ORB ends. Any thread.
class PERIGEE_API EmbeddedServer final {
 public:
  /// Several descriptions may have the same definitions. Raises INITIALIZE for octets that are not
  /// from perigee-idl, BAD_PARAM if two descriptions contradict each other, NO_RESOURCES and
  /// IMP_LIMIT beyond the limits of `Limits`, and the exceptions of `POA::create_POA`.
  EmbeddedServer(const CORBA::object_reference<CORBA::ORB>& orb,
                 const std::vector<Embedded>& descriptions);

  [[nodiscard]] CORBA::object_reference<CORBA::Repository> reference() const {
    return server_.reference();
  }

 private:
  Server server_;
};

}  // namespace perigee::repository
