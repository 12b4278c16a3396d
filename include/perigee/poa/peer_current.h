// The client of the present upcall: the other end of the connection of its request.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/peer.h>
#include <perigee/orb/current.h>

#include <optional>
#include <string>
#include <string_view>

namespace perigee {

/// Shows a servant its client. One object, from `resolve_initial_references("PeerCurrent")`, with a
/// state of its own in each upcall. Any thread.
///
/// Outside of upcalls the functions raise PortableServer::Current::NoContext.
class PERIGEE_API PeerCurrent : public virtual CORBA::Current {
 public:
  using _ref_type = CORBA::object_reference<PeerCurrent>;
  static constexpr std::string_view _type_id = "IDL:perigee/PeerCurrent:1.0";

  ~PeerCurrent() override;
  /// The client's address, as in logs: "iiop://10.0.0.7:40000". Empty for a call within the
  /// process.
  [[nodiscard]] virtual std::string peer() = 0;
  /// The identity of the client, if the operating system reports it: the process, user and group at
  /// the other end of a UNIX-domain connection. Empty for transports without proof of identity
  /// (TCP), and for a call within the process.
  [[nodiscard]] virtual std::optional<PeerIdentity> identity() = 0;
  /// The certificate of the client, if the connection uses TLS and the client has one. Empty for
  /// other transports, and for a call within the process. Check `is_verified` before the names.
  [[nodiscard]] virtual std::optional<PeerCertificate> certificate() = 0;

 protected:
  PeerCurrent() = default;
};

}  // namespace perigee

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<perigee::PeerCurrent> : perigee::stub::local_interface_traits<perigee::PeerCurrent> {
};
}  // namespace perigee_v1
}  // namespace IDL
