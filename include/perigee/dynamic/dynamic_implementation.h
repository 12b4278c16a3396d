// PortableServer::DynamicImplementation: a servant of objects whose interfaces the program learns
// at run time. No skeleton is needed. Source: CORBA 3.0, 11.3.9 and 8.
#pragma once

#include <perigee/base/export.h>
#include <perigee/dynamic/server_request.h>
#include <perigee/orb/object.h>
#include <perigee/poa/poa.h>
#include <perigee/poa/servant.h>
#include <perigee/poa/servant_interfaces.h>

#include <string>
#include <string_view>

namespace PortableServer {
inline namespace perigee_v1 {

/// The base of dynamic servants. As with every servant, several threads may call it at once. One
/// servant may serve objects of different interfaces. As a default servant, it may serve all
/// objects of an adapter.
class PERIGEE_API DynamicImplementation : public Servant, public perigee::poa::ServantInterfaces {
 public:
  ~DynamicImplementation() override;

  /// Serves one request of any operation that the interface declares. An exception that is thrown
  /// is sent to the client, but a user exception becomes UNKNOWN: use `set_exception` for it. If
  /// `invoke` returns without `arguments`, `set_exception` or `defer`, the client gets
  /// BAD_INV_ORDER.
  virtual void invoke(CORBA::object_reference<CORBA::ServerRequest> request) = 0;
  /// The repository id of the most derived interface of an object. Called for references that
  /// adapters make, and for `_is_a` and `_repository_id`.
  std::string _primary_interface(const ObjectId& id, CORBA::object_reference<POA> poa) override = 0;

  /// Whether the id is that of the object's interface, or of CORBA::Object. Override it for
  /// interfaces that derive from other interfaces. During an upcall, the object is the object of
  /// the upcall. Otherwise it is the object that `_this` returns.
  bool _is_a(const std::string& repository_id) override;
  /// The definition of the interface of the present upcall's object. See Servant::_get_interface.
  CORBA::object_reference<CORBA::Object> _get_interface() override;
  /// Empty: the interface depends on the object.
  [[nodiscard]] std::string_view _primary_interface() const noexcept final;
  /// The object of the present upcall. Outside of an upcall, an active object of the servant, found
  /// as `_this` of a skeleton finds it.
  CORBA::object_reference<CORBA::Object> _this();
  void _dispatch(perigee::orb::ServerRequest& request) final;

 protected:
  DynamicImplementation() = default;
};

}  // namespace perigee_v1
}  // namespace PortableServer
