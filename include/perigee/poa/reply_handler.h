// Reply handlers that are objects, for generated files (…AmiS.cpp). Not for applications.
#pragma once

#include <perigee/orb/object.h>
#include <perigee/poa/servant.h>
#include <perigee/poa/tie.h>

#include <memory>

namespace perigee::skeleton {

/// Makes a servant that passes requests to the handler and keeps the handler alive. Null for nil.
template <typename Handler>
CORBA::servant_reference<PortableServer::Servant> servant_of_handler(
    const CORBA::object_reference<Handler>& handler) {
  using Tie = typename CORBA::servant_traits<Handler>::template tie_type<Handler>;
  if (!handler) return {};
  // A tie holds a std::shared_ptr. This one does not own the handler directly: its deleter keeps a
  // reference to the handler.
  return CORBA::make_reference<Tie>(
      std::shared_ptr<Handler>(handler.get(), [kept = handler](Handler*) {}));
}

}  // namespace perigee::skeleton
