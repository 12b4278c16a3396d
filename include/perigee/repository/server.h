// The server of an Interface Repository: definitions in memory, which clients read and write by the
// interfaces of <perigee/repository.h>.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/object.h>
#include <perigee/orb/orb.h>
#include <perigee/repository/InterfaceRepositoryC.h>
#include <perigee/repository/options.h>

#include <memory>
#include <vector>

namespace perigee::repository {

struct Embedded;
class EmbeddedServer;

/// An Interface Repository that is served by an ORB. Any thread.
///
/// The objects belong to a POA `InterfaceRepository`, a child of the Root POA; activate the manager
/// of the Root POA to serve them. The destructor destroys this POA and waits for its requests: do
/// not call it in an upcall. References become invalid with the server. Clients without the right
/// to write get NO_PERMISSION.
class PERIGEE_API Server final {
 public:
  /// Raises the exceptions of `POA::create_POA`.
  explicit Server(const CORBA::object_reference<CORBA::ORB>& orb, const Options& options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The repository. Give it to clients, and to the servers whose objects shall answer
  /// `_get_interface`: `-ORBInitRef InterfaceRepository=<reference>`.
  [[nodiscard]] CORBA::object_reference<CORBA::Repository> reference() const;

 private:
  friend class EmbeddedServer;
  struct Parts;
  void load(const std::vector<Embedded>& descriptions);

  std::unique_ptr<Parts> parts_;
};

}  // namespace perigee::repository
