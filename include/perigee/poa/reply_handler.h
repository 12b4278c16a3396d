// Makes servants of AMI reply handlers, so that the POA can activate them. For generated files
// (…AmiS.cpp), not for applications.
#pragma once

#include <perigee/orb/object.h>
#include <perigee/poa/servant.h>
#include <perigee/poa/tie.h>

#include <memory>

namespace perigee::skeleton {

/// Makes a servant that passes requests to the handler and keeps the handler alive. If the handler
/// is nil, the servant is null.
template <typename Handler>
CORBA::servant_reference<PortableServer::Servant> servant_of_handler(
    const CORBA::object_reference<Handler>& handler) {
  using Tie = typename CORBA::servant_traits<Handler>::template tie_type<Handler>;
  if (!handler) return {};
  // The tie holds a std::shared_ptr. The deleter of this pointer deletes nothing: it only keeps a
  // reference to the handler.
  return CORBA::make_reference<Tie>(
      std::shared_ptr<Handler>(handler.get(), [kept = handler](Handler*) {}));
}

}  // namespace perigee::skeleton
