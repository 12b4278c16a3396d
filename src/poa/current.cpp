// Returns the data of the innermost upcall of the calling thread.
#include "poa/current.h"

#include "poa/adapter.h"
#include "poa/upcall.h"

namespace perigee::poa {

namespace {

const Upcall& current_or_raise() {
  if (const Upcall* upcall = Upcall::current()) return *upcall;
  throw PortableServer::Current::NoContext();
}

}  // namespace

CORBA::object_reference<PortableServer::POA> UpcallCurrent::get_POA() {
  return CORBA::object_reference<PortableServer::POA>(current_or_raise().object().adapter);
}

PortableServer::ObjectId UpcallCurrent::get_object_id() { return current_or_raise().object().id; }

CORBA::object_reference<CORBA::Object> UpcallCurrent::get_reference() {
  const ServedObject& object = current_or_raise().object();
  return object.adapter->reference_to(object);
}

CORBA::servant_reference<PortableServer::Servant> UpcallCurrent::get_servant() {
  return current_or_raise().object().servant;
}

std::string UpcallPeer::peer() { return std::string(current_or_raise().request().peer()); }

std::optional<PeerIdentity> UpcallPeer::identity() {
  return current_or_raise().request().peer_identity();
}

std::optional<PeerCertificate> UpcallPeer::certificate() {
  const PeerCertificate* const certificate = current_or_raise().request().peer_certificate();
  return certificate != nullptr ? std::optional(*certificate) : std::nullopt;
}

}  // namespace perigee::poa
