// The base of servants whose objects have different interfaces: it returns the interface of each
// object.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/object.h>
#include <perigee/poa/poa.h>

#include <string>

namespace perigee::poa {

/// An adapter asks a servant with this base for the interface of each object. It asks other
/// servants for `Servant::_primary_interface()`.
class PERIGEE_API ServantInterfaces {
 public:
  /// The repository id of the most derived interface of the object. Called by any thread.
  virtual std::string _primary_interface(const PortableServer::ObjectId& id,
                                         CORBA::object_reference<PortableServer::POA> poa) = 0;

 protected:
  ~ServantInterfaces() = default;
};

}  // namespace perigee::poa
