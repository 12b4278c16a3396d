// The floor: C programs that move messages with SSL_write and SSL_read over a blocking socket.
#include "connections/raw_giop.h"
#include "cubit/workloads.h"
#include "harness/raw_socket.h"
#include "peers.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace perigee::bench {
namespace {

// The first data of a client: the sizes of this connection's messages.
struct Sizes {
  std::uint32_t request;
  std::uint32_t reply;
};

struct FreeSsl {
  void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
};
using Ssl = std::unique_ptr<SSL, FreeSsl>;

void check_ssl(bool succeeded, const char* what) {
  if (!succeeded)
    throw std::runtime_error(std::string(what) + ": " + ERR_error_string(ERR_get_error(), nullptr));
}

bool read_all(SSL& ssl, char* octets, std::size_t size) {
  while (size > 0) {
    const int count = SSL_read(&ssl, octets, static_cast<int>(size));
    if (count <= 0) return false;
    octets += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool write_all(SSL& ssl, const char* octets, std::size_t size) {
  return SSL_write(&ssl, octets, static_cast<int>(size)) == static_cast<int>(size);
}

SSL_CTX* make_context(const SSL_METHOD* method, const std::string& reads) {
  SSL_CTX* const context = SSL_CTX_new(method);
  check_ssl(context != nullptr, "SSL_CTX_new");
  SSL_CTX_set_read_ahead(context, reads == "ahead" ? 1 : 0);
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  return context;
}

void serve_connection(SSL_CTX* context, int fd) {
  const Ssl ssl(SSL_new(context));
  SSL_set_fd(ssl.get(), fd);
  Sizes sizes{};
  if (SSL_accept(ssl.get()) == 1 && read_all(*ssl, reinterpret_cast<char*>(&sizes), sizeof sizes)) {
    std::vector<char> octets(std::max(sizes.request, sizes.reply));
    while (read_all(*ssl, octets.data(), sizes.request) &&
           write_all(*ssl, octets.data(), sizes.reply)) {
    }
    SSL_shutdown(ssl.get());
  }
  close(fd);
}

SSL_SESSION* last_session = nullptr;  // there is one thread

int keep_session(SSL* /*ssl*/, SSL_SESSION* session) {
  SSL_SESSION_free(last_session);
  last_session = session;
  return 1;
}

/// Messages of fixed sizes. Each contains a number that must come back.
class Connection {
 public:
  Connection(SSL_CTX* context, std::uint16_t port, SSL_SESSION* session)
      : fd_(connect_raw(port)), ssl_(SSL_new(context)) {
    SSL_set_fd(ssl_.get(), fd_);
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), "127.0.0.1");
    if (session != nullptr) SSL_set_session(ssl_.get(), session);
    check_ssl(SSL_connect(ssl_.get()) == 1, "SSL_connect");
  }
  ~Connection() {
    SSL_shutdown(ssl_.get());
    close(fd_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] bool is_resumed() const { return SSL_session_reused(ssl_.get()) == 1; }

  /// The first call, with the sizes in the same record.
  bool begin(const Sizes& sizes) {
    sizes_ = sizes;
    octets_.resize(sizeof sizes + std::max(sizes.request, sizes.reply));
    std::memcpy(octets_.data(), &sizes, sizeof sizes);
    if (!write_all(*ssl_, octets_.data(), sizeof sizes + sizes.request)) return false;
    return read_all(*ssl_, octets_.data(), sizes.reply);
  }
  bool call() {
    ++number_;
    std::memcpy(octets_.data(), &number_, sizeof number_);
    return write_all(*ssl_, octets_.data(), sizes_.request) &&
           read_all(*ssl_, octets_.data(), sizes_.reply) &&
           std::memcmp(octets_.data(), &number_, sizeof number_) == 0;
  }

 private:
  int fd_;
  Ssl ssl_;
  Sizes sizes_{};
  std::vector<char> octets_;
  std::uint32_t number_ = 0;
};

// Connects, makes one call, and closes.
bool connect_once(SSL_CTX* context, std::uint16_t port, const Sizes& sizes, bool resumes) {
  SSL_SESSION* const session = resumes ? last_session : nullptr;
  Connection connection(context, port, session);
  return connection.begin(sizes) && connection.is_resumed() == (session != nullptr);
}

}  // namespace

int run_tls_floor_server(const std::string& folder, const std::string& reads) {
  SSL_CTX* const context = make_context(TLS_server_method(), reads);
  check_ssl(SSL_CTX_use_certificate_chain_file(context, (folder + "/server.pem").c_str()) == 1 &&
                SSL_CTX_use_PrivateKey_file(context, (folder + "/server.key").c_str(),
                                            SSL_FILETYPE_PEM) == 1,
            "the server's certificate");
  const int listener = open_raw_listener();
  for (;;)
    if (const int fd = accept_raw(listener); fd >= 0)
      std::thread(serve_connection, context, fd).detach();  // lives until the client disconnects
}

int run_tls_floor_client(const std::string& port, const std::string& folder,
                         const std::string& reads, const TlsFloorCall& call) {
  SSL_CTX* const context = make_context(TLS_client_method(), reads);
  check_ssl(SSL_CTX_load_verify_file(context, (folder + "/authority.pem").c_str()) == 1,
            "the authority");
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
  SSL_CTX_sess_set_new_cb(context, keep_session);
  const auto number = static_cast<std::uint16_t>(std::stoul(port));
  const Sizes sizes{static_cast<std::uint32_t>(call.request),
                    static_cast<std::uint32_t>(call.reply)};
  if (call.workload == "connect" || call.workload == "resume") {
    const bool resumes = call.workload == "resume";
    return cubit::serve_commands(
        {{call.workload, [&] { return connect_once(context, number, sizes, resumes); }}});
  }
  Connection connection(context, number, nullptr);
  check_call(connection.begin(sizes), "the first call");
  return cubit::serve_commands({{call.workload, [&connection] { return connection.call(); }}});
}

}  // namespace perigee::bench
