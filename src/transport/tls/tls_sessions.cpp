// Stores sessions when OpenSSL reports them: with TLS 1.3 this is after the handshake.
#include "transport/tls/tls_sessions.h"

#include <new>

namespace perigee::transport::tls {
namespace {

// OpenSSL gives these numbers out once per process.
int sessions_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

int server_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

bool is_usable(SSL_SESSION& session) {
  const X509* const certificate = SSL_SESSION_get0_peer(&session);
  return certificate != nullptr && SSL_SESSION_is_resumable(&session) == 1 &&
         X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0;
}

}  // namespace

void TlsSessions::attach(SSL_CTX& context) {
  SSL_CTX_set_ex_data(&context, sessions_index(), this);
  SSL_CTX_set_session_cache_mode(&context,
                                 SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
  SSL_CTX_sess_set_new_cb(&context, take_session);
}

void TlsSessions::use(SSL& connection, const std::string& server) {
  SSL_set_ex_data(&connection, server_index(), const_cast<std::string*>(&server));
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(server);
  if (found == sessions_.end()) return;
  if (is_usable(*found->second))
    SSL_set_session(&connection, found->second.get());
  else
    sessions_.erase(found);
}

void TlsSessions::forget(const std::string& server) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(server);
}

// 1: the session belongs to the table now. 0: OpenSSL keeps it.
int TlsSessions::take_session(SSL* connection, SSL_SESSION* session) noexcept try {
  auto* const sessions =
      static_cast<TlsSessions*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), sessions_index()));
  const auto* const server =
      static_cast<const std::string*>(SSL_get_ex_data(connection, server_index()));
  if (sessions == nullptr || server == nullptr || SSL_SESSION_is_resumable(session) == 0) return 0;
  const std::lock_guard lock(sessions->mutex_);
  auto& table = sessions->sessions_;
  if (table.size() >= servers_max && !table.contains(*server)) table.erase(table.begin());
  table[*server].reset(session);
  return 1;
} catch (const std::bad_alloc&) {
  return 0;
}

}  // namespace perigee::transport::tls
