// Makes the contexts from options and files. All settings of a context are in this file: versions,
// cipher suites, and checks of certificates.
#include "transport/tls/tls_contexts.h"

#include <perigee/base/log.h>

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

namespace perigee::transport::tls {
namespace {

// 112 bits: RSA keys of 2048 bits at least, no SHA-1. See SSL_CTX_set_security_level(3).
constexpr int security_level = 2;
constexpr unsigned char session_context[] = "perigee";
constexpr int chain_length_max = 8;

// TLS 1.0 and 1.1 are not allowed (RFC 8996). Compression leaks contents. A peer that renegotiates
// makes this side do costly work. Early data, which an attacker can repeat, is off by default.
Checked set_versions(SSL_CTX& context, const TlsOptions& options) {
  const bool newest = options.version_min == TlsVersion::tls_1_3;
  SSL_CTX_set_min_proto_version(&context, newest ? TLS1_3_VERSION : TLS1_2_VERSION);
  SSL_CTX_set_security_level(&context, security_level);
  SSL_CTX_set_options(
      &context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // The buffers of idle connections are freed, except those of KeptBuffers.
  SSL_CTX_set_mode(&context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Forward secrecy and authenticated encryption, in TLS 1.2, too.
  SSL_CTX_set_cipher_list(&context, "ECDHE+AESGCM:ECDHE+CHACHA20");
  if (options.cipher_suites.empty()) return {};
  if (SSL_CTX_set_ciphersuites(&context, options.cipher_suites.c_str()) == 1) return {};
  return bad_file_by_openssl("the cipher suites " + options.cipher_suites,
                             "write names of TLS 1.3 suites with colons between them");
}

Checked use_certificate(SSL_CTX& context, const TlsOptions& options) {
  const std::string& path = options.certificate_file;
  if (SSL_CTX_use_certificate_chain_file(&context, path.c_str()) != 1)
    return bad_file_by_openssl(path, "its certificate cannot be used");
  const std::string& key_path = options.key_file.empty() ? path : options.key_file;
  const auto key = read_key(key_path, options.passphrase_file);
  if (!key) return std::unexpected(key.error());
  if (SSL_CTX_use_PrivateKey(&context, key->get()) != 1 || SSL_CTX_check_private_key(&context) != 1)
    return bad_file_by_openssl(key_path, "the key does not belong to the certificate in " + path);
  return {};
}

Checked trust_authorities(SSL_CTX& context, const TlsOptions& options) {
  const std::string& path = options.authorities;
  std::error_code failed;
  const bool is_folder = std::filesystem::is_directory(path, failed);
  const int loaded = is_folder ? SSL_CTX_load_verify_dir(&context, path.c_str())
                               : SSL_CTX_load_verify_file(&context, path.c_str());
  if (loaded != 1) return bad_file_by_openssl(path, "it has no certificates of authorities");
  return {};
}

// A chain is refused if a certificate of it is revoked, or if an authority of it has no list.
Checked use_revocations(SSL_CTX& context, const std::string& path) {
  X509_STORE* const store = SSL_CTX_get_cert_store(&context);
  X509_LOOKUP* const lookup = X509_STORE_add_lookup(store, X509_LOOKUP_file());
  if (lookup == nullptr || X509_load_crl_file(lookup, path.c_str(), X509_FILETYPE_PEM) < 1)
    return bad_file_by_openssl(path, "it has no list of revoked certificates");
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
  return {};
}

Checked set_trust(SSL_CTX& context, const TlsOptions& options) {
  SSL_CTX_set_verify_depth(&context, chain_length_max);
  if (!options.authorities.empty())
    if (const auto trusted = trust_authorities(context, options); !trusted) return trusted;
  if (options.revoked_file.empty()) return {};
  return use_revocations(context, options.revoked_file);
}

/// The open file of the key log, for the callback. The context owns it.
struct KeyLog {
  explicit KeyLog(int handle) noexcept : fd(handle) {}
  ~KeyLog() { ::close(fd); }
  KeyLog(const KeyLog&) = delete;
  KeyLog& operator=(const KeyLog&) = delete;
  const int fd;
};

int key_log_index() {
  static const int index = SSL_CTX_get_ex_new_index(
      0, nullptr, nullptr, nullptr, [](void*, void* key_log, CRYPTO_EX_DATA*, int, long, void*) {
        delete static_cast<KeyLog*>(key_log);
      });
  return index;
}

// One write, so that lines of several threads do not mix.
void log_key(const SSL* connection, const char* line) {
  const auto* const key_log =
      static_cast<const KeyLog*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), key_log_index()));
  if (key_log == nullptr) return;
  const std::string text = std::string(line) + '\n';
  static_cast<void>(!::write(key_log->fd, text.data(), text.size()));
}

// Other users must have no access to the file: its lines decrypt all recordings.
Checked log_keys(SSL_CTX& context, const std::string& path) {
  constexpr int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  const int fd = ::open(path.c_str(), flags, S_IRUSR | S_IWUSR);
  if (fd < 0) return bad_file(path, std::generic_category().message(errno));
  auto key_log = std::make_unique<KeyLog>(fd);
  struct stat status{};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
    return bad_file(path, "it is not a regular file");
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return bad_file(path, "other users may read it: chmod 600");
  if (SSL_CTX_set_ex_data(&context, key_log_index(), key_log.get()) != 1)
    return bad_file_by_openssl(path, "the secrets cannot be written to it");
  [[maybe_unused]] const KeyLog* const owned = key_log.release();  // by the context
  SSL_CTX_set_keylog_callback(&context, log_key);
  return {};
}

using Made = std::expected<Context, IoError>;

Made make_context(const SSL_METHOD* method, const TlsOptions& options) {
  Context context(SSL_CTX_new(method));
  if (context == nullptr) return bad_file_by_openssl("OpenSSL", "it cannot be used");
  Checked checked = set_versions(*context, options);
  if (checked && !options.certificate_file.empty()) checked = use_certificate(*context, options);
  if (checked) checked = set_trust(*context, options);
  if (checked && !options.key_log_file.empty()) checked = log_keys(*context, options.key_log_file);
  if (!checked) return std::unexpected(checked.error());
  return context;
}

Made make_client(const TlsOptions& options) {
  Made context = make_context(TLS_client_method(), options);
  if (!context) return context;
  if (options.authorities.empty()) SSL_CTX_set_default_verify_paths(context->get());
  SSL_CTX_set_verify(context->get(), options.verify_servers ? SSL_VERIFY_PEER : SSL_VERIFY_NONE,
                     nullptr);
  return context;
}

// The authorities of the system certify web sites, not clients: a server needs authorities of its
// own.
Made make_server(const TlsOptions& options) {
  Made context = make_context(TLS_server_method(), options);
  if (!context) return context;
  SSL_CTX& made = **context;
  SSL_CTX_set_session_id_context(&made, session_context, sizeof session_context);
  if (options.client_certificates == ClientCertificates::off) return context;
  // A resumed session would count although the certificate has expired since.
  SSL_CTX_set_options(&made, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(&made, 0);
  SSL_CTX_set_session_cache_mode(&made, SSL_SESS_CACHE_OFF);
  if (options.authorities.empty())
    return bad_file("the authorities of clients",
                    "client certificates need -ORBTlsAuthorities with the authorities to trust");
  const bool required = options.client_certificates == ClientCertificates::required;
  SSL_CTX_set_verify(&made, SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                     nullptr);
  if (STACK_OF(X509_NAME)* const names = SSL_load_client_CA_file(options.authorities.c_str()))
    SSL_CTX_set_client_CA_list(&made, names);  // a hint for clients with several certificates
  ERR_clear_error();
  return context;
}

}  // namespace

Checked ContextSource::reload() {
  const std::lock_guard reading(reading_);
  auto made = std::make_shared<TlsContexts>();
  made->kept_buffers = kept_buffers_;
  Made client = make_client(options_);
  if (!client) return std::unexpected(client.error());
  made->client = std::move(*client);
  made->sessions.attach(*made->client);
  if (!options_.certificate_file.empty()) {
    Made server = make_server(options_);
    if (!server) return std::unexpected(server.error());
    made->server = std::move(*server);
  }
  const std::lock_guard lock(mutex_);
  contexts_ = std::move(made);
  return {};
}

SharedContexts ContextSource::current() const {
  const std::lock_guard lock(mutex_);
  return contexts_;
}

}  // namespace perigee::transport::tls
