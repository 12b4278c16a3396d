// PortableServer::Current and PeerCurrent: they answer from the upcall of the calling thread.
#pragma once

#include <perigee/poa/peer_current.h>
#include <perigee/poa/poa.h>

#include <optional>
#include <string>
#include <string_view>

namespace perigee::poa {

/// Stateless: looks at the thread's innermost upcall.
class UpcallCurrent final : public PortableServer::Current {
 public:
  [[nodiscard]] CORBA::object_reference<PortableServer::POA> get_POA() override;
  [[nodiscard]] PortableServer::ObjectId get_object_id() override;
  [[nodiscard]] CORBA::object_reference<CORBA::Object> get_reference() override;
  [[nodiscard]] CORBA::servant_reference<PortableServer::Servant> get_servant() override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override {
    return repository_id == _type_id || repository_id == CORBA::Current::_type_id;
  }
};

/// The same for the peer of the connection.
class UpcallPeer final : public PeerCurrent {
 public:
  [[nodiscard]] std::string peer() override;
  [[nodiscard]] std::optional<PeerIdentity> identity() override;
  [[nodiscard]] std::optional<PeerCertificate> certificate() override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override {
    return repository_id == _type_id || repository_id == CORBA::Current::_type_id;
  }
};

}  // namespace perigee::poa
