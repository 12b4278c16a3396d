// An Interface Repository inside a server, with descriptions of the IDL files that the server was
// built with. `perigee-idl --repository` generates the descriptions.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/orb.h>
#include <perigee/repository/embedded_octets.h>
#include <perigee/repository/options.h>
#include <perigee/repository/server.h>

#include <vector>

namespace perigee::repository {

/// An Interface Repository with embedded descriptions, for the server's own `_get_interface`.
///
/// The constructor registers the repository as the initial reference `InterfaceRepository`, unless
/// the ORB has one by `-ORBInitRef`. The objects are those of `Server`; no client may change them.
/// The destructor removes this initial reference: `_get_interface` then raises INTF_REPOS. Keep the
/// object as long as clients may call `_get_interface`, and destroy it before the ORB. Any thread.
class PERIGEE_API EmbeddedServer final {
 public:
  /// Descriptions may repeat a definition, but must not contain different definitions with the same
  /// repository id. Raises INITIALIZE for octets that are not from perigee-idl, BAD_PARAM if two
  /// descriptions differ in a definition, NO_RESOURCES and IMP_LIMIT beyond `limits`, and the
  /// exceptions of `POA::create_POA`.
  EmbeddedServer(const CORBA::object_reference<CORBA::ORB>& orb,
                 const std::vector<Embedded>& descriptions, const Limits& limits = {});
  ~EmbeddedServer();
  EmbeddedServer(const EmbeddedServer&) = delete;
  EmbeddedServer& operator=(const EmbeddedServer&) = delete;

  [[nodiscard]] CORBA::object_reference<CORBA::Repository> reference() const {
    return server_.reference();
  }

 private:
  CORBA::object_reference<CORBA::ORB> orb_;
  Server server_;
  bool is_registered_ = true;  // false: -ORBInitRef has named another repository
};

}  // namespace perigee::repository
