// Turns OpenSSL's reasons into sentences that say what to do. A user would have to look up the
// reasons.
#include "transport/tls/tls_refusal.h"

#include "transport/tls/tls_certificate.h"

#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <exception>
#include <vector>

namespace perigee::transport::tls {
namespace {

struct Meaning {
  long code;
  const char* text;
};

constexpr Meaning checks[] = {
    {X509_V_ERR_CERT_HAS_EXPIRED, "the peer's certificate, or one of its authorities, has expired"},
    {X509_V_ERR_CERT_NOT_YET_VALID,
     "the peer's certificate, or one of its authorities, is not valid yet"},
    {X509_V_ERR_CERT_REVOKED, "the peer's certificate, or one of its authorities, is revoked"},
    {X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
     "the peer's certificate is self-signed and not among the trusted authorities"},
    {X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
     "the authority of the peer's certificate is not trusted: see -ORBTlsAuthorities"},
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
     "the authority of the peer's certificate is not trusted: see -ORBTlsAuthorities"},
    {X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
     "the authority of the peer's certificate is not trusted: see -ORBTlsAuthorities"},
    {X509_V_ERR_EE_KEY_TOO_SMALL, "the key of the peer's certificate is too short"},
    {X509_V_ERR_CA_KEY_TOO_SMALL, "the key of an authority of the peer's certificate is too short"},
    {X509_V_ERR_CA_MD_TOO_WEAK, "the peer's certificate is signed with a weak digest"},
    {X509_V_ERR_UNABLE_TO_GET_CRL,
     "an authority of the peer's certificate has no list in -ORBTlsRevoked"},
    {X509_V_ERR_CRL_HAS_EXPIRED, "a list in -ORBTlsRevoked has expired"},
    {X509_V_ERR_INVALID_PURPOSE,
     "the peer's certificate is not for this use: its extended key usage lacks serverAuth or "
     "clientAuth"},
};

constexpr Meaning reasons[] = {
    {SSL_R_WRONG_VERSION_NUMBER, "the peer does not speak TLS"},
    {SSL_R_HTTP_REQUEST, "the peer does not speak TLS, but HTTP"},
    {SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE,
     "the client has sent no certificate, but -ORBTlsClientCertificates is 'required'"},
    {SSL_R_UNSUPPORTED_PROTOCOL, "the peer supports no version of TLS that this side allows"},
    {SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, "the peer allows no version of TLS that this side has"},
    {SSL_R_NO_SHARED_CIPHER, "both sides have no cipher suite in common"},
    {SSL_R_TLSV1_ALERT_UNKNOWN_CA, "the peer does not trust the authority of our certificate"},
    {SSL_R_SSLV3_ALERT_BAD_CERTIFICATE,
     "the peer has refused our certificate (-ORBTlsCertificate)"},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED, "the peer says that our certificate has expired"},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED, "the peer says that our certificate is revoked"},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN,
     "the peer has refused our certificate (-ORBTlsCertificate)"},
    {SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED,
     "the server requires a client certificate: see -ORBTlsCertificate"},
    {SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE,
     "the peer has refused the handshake: both sides have no parameters in common, or it requires "
     "a client certificate"},
};

template <std::size_t size>
const char* meaning_of(const Meaning (&meanings)[size], long code) {
  const auto* const found = std::ranges::find(meanings, code, &Meaning::code);
  return found == std::end(meanings) ? nullptr : found->text;
}

void add_names(std::string& text, const std::vector<std::string>& names) {
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
}

int names_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

// Called by OpenSSL for each certificate of the chain. Does not change the result of the check.
int note_names(int is_valid, X509_STORE_CTX* check) noexcept try {
  const int error = X509_STORE_CTX_get_error(check);
  const bool is_other_name =
      error == X509_V_ERR_HOSTNAME_MISMATCH || error == X509_V_ERR_IP_ADDRESS_MISMATCH;
  if (is_valid != 0 || !is_other_name) return is_valid;
  const auto* const connection = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(check, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* const names = static_cast<std::string*>(SSL_get_ex_data(connection, names_index()));
  const X509* const certificate = X509_STORE_CTX_get_current_cert(check);
  if (names == nullptr || certificate == nullptr) return is_valid;
  const PeerCertificate described = describe(*certificate);
  names->clear();
  add_names(*names, described.dns_names);
  add_names(*names, described.ip_addresses);
  return is_valid;
} catch (const std::exception&) {  // no memory for the names
  return 0;
}

std::string wrong_name(const std::string& expected, const std::string& names) {
  return "the peer's certificate is not for '" + expected + "'; it has these names: " +
         (names.empty() ? "none (names in the subject do not count)" : names);
}

}  // namespace

void note_wrong_names(SSL& connection, std::string& names) {
  SSL_set_ex_data(&connection, names_index(), &names);
  SSL_set_verify(&connection, SSL_get_verify_mode(&connection), note_names);
}

Transport::Refusal refusal_of(SSL& connection, const std::string& expected_name,
                              const std::string& names) {
  const unsigned long error = ERR_peek_error();
  const long reason = ERR_GET_REASON(error);
  const char* const text = ERR_reason_error_string(error);
  ERR_clear_error();
  if (const long check = SSL_get_verify_result(&connection);
      check != X509_V_OK && reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    if (check == X509_V_ERR_HOSTNAME_MISMATCH || check == X509_V_ERR_IP_ADDRESS_MISMATCH)
      return {IoErrorKind::untrusted, wrong_name(expected_name, names)};
    const char* const meaning = meaning_of(checks, check);
    return {IoErrorKind::untrusted,
            meaning != nullptr ? meaning : X509_verify_cert_error_string(check)};
  }
  const bool is_about_trust = reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE ||
                              reason == SSL_R_TLSV1_ALERT_UNKNOWN_CA ||
                              reason == SSL_R_SSLV3_ALERT_BAD_CERTIFICATE ||
                              reason == SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED ||
                              reason == SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED ||
                              reason == SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN ||
                              reason == SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED;
  const auto kind = is_about_trust ? IoErrorKind::untrusted : IoErrorKind::system;
  if (const char* const meaning = meaning_of(reasons, reason)) return {kind, meaning};
  return {kind, text != nullptr ? text : "the handshake has failed"};
}

}  // namespace perigee::transport::tls
