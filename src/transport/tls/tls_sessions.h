// The TLS sessions that a client can resume. Private to transport/tls.
#pragma once

#include "transport/tls/openssl.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace perigee::transport::tls {

/// The last session with each server. A resumed session costs no signature and no check of the
/// certificate: the session keeps the result of the first check. So it is used only until the
/// certificate expires. Any thread.
class TlsSessions {
 public:
  /// Makes the context's connections store their sessions here. The sessions must outlive the
  /// connections.
  void attach(SSL_CTX& context);
  /// Lets a new connection resume the last session of `server`, and store its sessions under this
  /// name. `server` names the address, the expected name and whether certificates are checked. It
  /// must outlive the connection.
  void use(SSL& connection, const std::string& server);
  /// Forgets the session of `server`: a handshake with it has failed.
  void forget(const std::string& server);

 private:
  static int take_session(SSL* connection, SSL_SESSION* session) noexcept;

  static constexpr std::size_t servers_max = 1'000;  // about 2 KiB each

  std::mutex mutex_;  // guards the sessions
  std::map<std::string, Session> sessions_;
};

}  // namespace perigee::transport::tls
