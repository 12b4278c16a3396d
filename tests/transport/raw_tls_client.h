// A client that uses OpenSSL directly, for the records of a server in memory.
#pragma once

#include "transport/tls/openssl.h"
#include "transport/tls/tls_records.h"
#include <perigee/base/octets.h>

#include <openssl/ssl.h>

#include <string>

namespace perigee::test {

class RawClient {
 public:
  /// `version_max`: TLS1_1_VERSION and so on; 0: the newest. The client also allows old versions,
  /// weak ciphers and compression.
  explicit RawClient(int version_max = 0)
      : context_(SSL_CTX_new(TLS_client_method())), connection_(SSL_new(context_.get())) {
    SSL_set_security_level(connection_.get(), 0);
    SSL_clear_options(connection_.get(), SSL_OP_NO_COMPRESSION);
    SSL_set_min_proto_version(connection_.get(), TLS1_VERSION);
    SSL_set_max_proto_version(connection_.get(), version_max);
    in_ = BIO_new(BIO_s_mem());
    out_ = BIO_new(BIO_s_mem());
    SSL_set_bio(connection_.get(), in_, out_);
    SSL_set_connect_state(connection_.get());
  }

  /// Makes the handshake. Returns when both sides have completed it or the server has refused it.
  transport::tls::TlsRecords::Progress open(transport::tls::TlsRecords& server) {
    using Progress = transport::tls::TlsRecords::Progress;
    Octets to_client;
    Progress progress = Progress::needs_input;
    while (SSL_do_handshake(connection_.get()) != 1 || progress == Progress::needs_input) {
      const Octets sent = take();
      OctetSpan input = sent;
      if (progress == Progress::needs_input) progress = server.shake_hands(input, to_client);
      if (progress == Progress::failed) break;
      give(to_client);
      to_client.clear();
    }
    return progress;
  }
  /// The octets of a key update.
  [[nodiscard]] Octets update_keys() {
    SSL_key_update(connection_.get(), SSL_KEY_UPDATE_NOT_REQUESTED);
    SSL_do_handshake(connection_.get());
    return take();
  }
  /// The octets of a second handshake on the same connection (TLS 1.2).
  [[nodiscard]] Octets renegotiate() {
    SSL_renegotiate(connection_.get());
    SSL_do_handshake(connection_.get());
    return take();
  }
  [[nodiscard]] Octets encrypt(const std::string& text) {
    SSL_write(connection_.get(), text.data(), static_cast<int>(text.size()));
    return take();
  }
  void give(OctetSpan octets) { BIO_write(in_, octets.data(), static_cast<int>(octets.size())); }
  /// The octets for the server.
  [[nodiscard]] Octets take() {
    Octets octets(BIO_ctrl_pending(out_));
    BIO_read(out_, octets.data(), static_cast<int>(octets.size()));
    return octets;
  }
  [[nodiscard]] SSL& connection() noexcept { return *connection_; }

 private:
  transport::tls::Context context_;
  transport::tls::Ssl connection_;
  BIO* in_ = nullptr;  // the connection owns both
  BIO* out_ = nullptr;
};

}  // namespace perigee::test
