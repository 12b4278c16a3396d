// What an application gives to a POA so that servants and adapters are made when requests need
// them: servant activators, servant locators, adapter activators. Source: CORBA 3.0, 11.3.3
// to 11.3.6.
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
/// Called by the threads that serve requests, one at a time for each adapter, without locks that an
/// application could meet. Derived and made with `CORBA::make_reference`.
///
/// A request that `incarnate` makes in its own thread gets TRANSIENT (OMG minor 1) where it might
/// wait for its own end, as for an object that is being incarnated: it may be tried again. Circles
/// of several threads, as of two adapters whose activators call objects of each other, are not
/// seen.
class PERIGEE_API ServantActivator : public ServantManager {
 public:
  using _ref_type = CORBA::object_reference<ServantActivator>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableServer/ServantActivator:2.3";
  ~ServantActivator() override;

  /// The servant of an object that is not active: it stays active. Called once per activation,
  /// however many requests wait for it. May throw ForwardRequest or a system exception: the client
  /// gets it. Nil is OBJ_ADAPTER, OMG minor 7.
  virtual CORBA::servant_reference<Servant> incarnate(const ObjectId& oid,
                                                      CORBA::object_reference<POA> adapter) = 0;
  /// The object is not active any more, and no request uses it. Exceptions are dropped.
  /// `cleanup_in_progress`: since its adapter is being destroyed, or its manager was deactivated.
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
/// says otherwise; `preinvoke`, the upcall and `postinvoke` of one request by one thread.
class PERIGEE_API ServantLocator : public ServantManager {
 public:
  using _ref_type = CORBA::object_reference<ServantLocator>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableServer/ServantLocator:1.0";
  /// Means something to the locator only.
  using Cookie = void*;
  ~ServantLocator() override;

  /// The servant for this request. May throw ForwardRequest or a system exception: the client gets
  /// it. Nil is OBJ_ADAPTER, OMG minor 7.
  virtual CORBA::servant_reference<Servant> preinvoke(const ObjectId& oid,
                                                      CORBA::object_reference<POA> adapter,
                                                      const std::string& operation,
                                                      Cookie& the_cookie) = 0;
  /// After the upcall, also after one that threw. The reply has usually been sent: what is thrown
  /// here reaches the client only if it has not, and is logged otherwise.
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

  /// Creates the child `name` of `parent`, and says whether it did. Requests to the child wait
  /// until this returns. A system exception becomes OBJ_ADAPTER, OMG minor 1.
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
