// A naming service inside a program: CosNaming for clients, with the names in a Store.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/orb.h>
#include <perigee/services/naming/options.h>
#include <perigee/services/naming/store.h>

#include <memory>

namespace perigee::naming {

/// The service. Its root context has the key NameService: clients reach it as
/// `corbaloc::host:port/NameService`. Any thread; all thread strategies. Servants never wait: a
/// change replies when the store has made it, and a call of another naming service replies when
/// that service has replied.
class PERIGEE_API NamingService {
 public:
  /// Offers the store's names in the ORB. The program activates the manager of the Root POA, and
  /// runs the ORB. Raises the exceptions of POA functions, for example if an adapter
  /// "PerigeeNaming" or an object NameService exists already.
  NamingService(const CORBA::object_reference<CORBA::ORB>& orb, std::unique_ptr<Store> store,
                Options options = {});
  NamingService(const NamingService&) = delete;
  NamingService& operator=(const NamingService&) = delete;
  /// Call `ORB::shutdown(true)` before, so that no request is in progress.
  ~NamingService();

  /// The root context, a CosNaming::NamingContextExt.
  [[nodiscard]] CORBA::object_reference<CORBA::Object> root() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace perigee::naming
