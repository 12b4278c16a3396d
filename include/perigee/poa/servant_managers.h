// Objects of the application that make servants and adapters when requests need them: servant
// activators, servant locators, adapter activators. Source: CORBA 3.0, 11.3.3 to 11.3.6.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/object.h>
#include <perigee/poa/servant.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace PortableServer {
inline namespace perigee_v1 {

/// Names an object inside its POA.
using ObjectId = std::vector<std::uint8_t>;

/// Base of the two kinds of servant managers.
class PERIGEE_API ServantManager : public CORBA::Object {
 public:
  using _ref_type = CORBA::object_reference<ServantManager>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableServer/ServantManager:1.0";
  ~ServantManager() override;

 protected:
  ServantManager() = default;
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;
};

/// Makes the servants of a RETAIN adapter when they are first needed.
///
/// Called by the threads that serve requests, one at a time for each adapter. The calling thread
/// holds no lock that an application could wait for. Derive a class from this one, and make the
/// object with `CORBA::make_reference`.
///
/// `incarnate` may send a request on its own thread that would wait for the end of `incarnate`, for
/// example to the object that is being incarnated. Such a request gets TRANSIENT (OMG minor 1), and
/// may be tried again. Deadlocks between several threads are not detected, for example if the
/// activators of two adapters call each other's objects.
class PERIGEE_API ServantActivator : public ServantManager {
 public:
  using _ref_type = CORBA::object_reference<ServantActivator>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableServer/ServantActivator:2.3";
  ~ServantActivator() override;

  /// Makes the servant of an object that is not active; the object then stays active. Called once
  /// per activation, however many requests wait for it. May throw ForwardRequest or a system
  /// exception, which the client gets. If the result is nil, the client gets OBJ_ADAPTER, OMG
  /// minor 7.
  virtual CORBA::servant_reference<Servant> incarnate(const ObjectId& oid,
                                                      CORBA::object_reference<POA> adapter) = 0;
  /// Called when the object is no longer active and no request uses it. Exceptions are dropped.
  /// `cleanup_in_progress`: its adapter is being destroyed, or its manager was deactivated.
  /// `remaining_activations`: the servant still serves other objects of the adapter.
  virtual void etherealize(const ObjectId& oid, CORBA::object_reference<POA> adapter,
                           CORBA::servant_reference<Servant> serv, bool cleanup_in_progress,
                           bool remaining_activations) = 0;

 protected:
  ServantActivator() = default;
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;
};

/// Chooses a servant for each request to a NON_RETAIN adapter.
///
/// Called by the threads that serve requests, several at once unless the adapter's thread policy
/// excludes this. One thread calls `preinvoke`, the upcall and `postinvoke` of a request.
class PERIGEE_API ServantLocator : public ServantManager {
 public:
  using _ref_type = CORBA::object_reference<ServantLocator>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableServer/ServantLocator:1.0";
  /// A value that `preinvoke` sets and `postinvoke` gets. The ORB does not use it.
  using Cookie = void*;
  ~ServantLocator() override;

  /// Returns the servant for this request. May throw ForwardRequest or a system exception, which
  /// the client gets. If the result is nil, the client gets OBJ_ADAPTER, OMG minor 7.
  virtual CORBA::servant_reference<Servant> preinvoke(const ObjectId& oid,
                                                      CORBA::object_reference<POA> adapter,
                                                      const std::string& operation,
                                                      Cookie& the_cookie) = 0;
  /// Called after the upcall, also if the servant threw. Usually the reply has been sent by then,
  /// and an exception that is thrown here is logged. If the reply has not been sent, the client
  /// gets this exception.
  virtual void postinvoke(const ObjectId& oid, CORBA::object_reference<POA> adapter,
                          const std::string& operation, Cookie the_cookie,
                          CORBA::servant_reference<Servant> the_servant) = 0;

 protected:
  ServantLocator() = default;
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;
};

/// Makes adapters when a request, or `find_POA`, needs them.
class PERIGEE_API AdapterActivator : public CORBA::Object {
 public:
  using _ref_type = CORBA::object_reference<AdapterActivator>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableServer/AdapterActivator:1.0";
  ~AdapterActivator() override;

  /// Creates the child `name` of `parent`. Returns whether the child was created. Requests to the
  /// child wait until this function returns. A system exception becomes OBJ_ADAPTER, OMG minor 1.
  virtual bool unknown_adapter(CORBA::object_reference<POA> parent, const std::string& name) = 0;

 protected:
  AdapterActivator() = default;
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;
};

}  // namespace perigee_v1
}  // namespace PortableServer

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<PortableServer::ServantManager>
    : perigee::stub::local_interface_traits<PortableServer::ServantManager> {};
template <>
struct traits<PortableServer::ServantActivator>
    : perigee::stub::local_interface_traits<PortableServer::ServantActivator> {};
template <>
struct traits<PortableServer::ServantLocator>
    : perigee::stub::local_interface_traits<PortableServer::ServantLocator> {};
template <>
struct traits<PortableServer::AdapterActivator>
    : perigee::stub::local_interface_traits<PortableServer::AdapterActivator> {};
}  // namespace perigee_v1
}  // namespace IDL
