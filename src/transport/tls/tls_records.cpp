// One SSL object, whose BIO reads and writes memory.
#include "transport/tls/tls_records.h"

#include "transport/tls/tls_certificate.h"
#include "transport/tls/tls_refusal.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace perigee::transport::tls {
namespace {

constexpr std::size_t copied_max = 4096;  // longer segments are encrypted where they are
// The limit of one call of `encrypt`.
constexpr std::size_t plain_octets_max = records_per_batch * record_size;
constexpr std::size_t record_header_size = 5;

/// Calls `leave` at the end of a call, also after an exception.
template <typename Port>
struct LeavePort {
  ~LeavePort() { port.leave(); }
  Port& port;
};

bool is_address(const std::string& host) {
  std::byte octets[16];
  return ::inet_pton(AF_INET, host.c_str(), octets) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), octets) == 1;
}

}  // namespace

OctetSpan PlainOctets::next(MutableOctetSpan place) noexcept {
  const OctetSpan first = front();
  if (first.size() >= copied_max || segments_.size() == 1)
    return first.first(std::min(first.size(), record_size));
  std::size_t count = 0;
  std::size_t at = at_;
  for (const OctetSpan& segment : segments_) {
    const OctetSpan rest = segment.subspan(at);
    const std::size_t copied = std::min(rest.size(), place.size() - count);
    if (copied != 0) std::memcpy(place.data() + count, rest.data(), copied);
    count += copied;
    at = 0;
    if (count == place.size()) break;
  }
  return place.first(count);
}

void PlainOctets::skip(std::size_t count) noexcept {
  while (count != 0) {
    const std::size_t part = std::min(count, front().size());
    at_ += part;
    count -= part;
    skip_empty();
  }
}

std::unique_ptr<TlsRecords> TlsRecords::make(Setup setup) {
  const bool is_client = setup.role == messaging::Role::opener;
  const Context& context = is_client ? setup.contexts->client : setup.contexts->server;
  Ssl connection(SSL_new(context.get()));
  if (connection == nullptr) return nullptr;
  std::unique_ptr<TlsRecords> records(new TlsRecords(std::move(setup), std::move(connection)));
  SSL& made = *records->connection_;
  records->connect_to_port();
  SSL_set_msg_callback(&made, note_message);
  SSL_set_msg_callback_arg(&made, records.get());
  if (SSL_get_rbio(&made) == nullptr) return nullptr;
  if (!is_client)
    SSL_set_accept_state(&made);
  else if (!prepare_client(made, records->setup_))
    return nullptr;
  else
    note_wrong_names(made, records->names_);
  return records;
}

TlsRecords::TlsRecords(Setup setup, Ssl connection)
    : setup_(std::move(setup)), connection_(std::move(connection)) {}

// OpenSSL does not resume the session of a connection that has ended without a close_notify. So
// the flags say that both sides have sent it, unless the connection has failed.
TlsRecords::~TlsRecords() {
  if (!failed_) SSL_set_shutdown(connection_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  if (keeps_buffers_) setup_.contexts->kept_buffers->give_back();
}

// Names in the subject's common name do not count (RFC 9525), and a wildcard stands for a whole
// label.
bool TlsRecords::prepare_client(SSL& connection, const Setup& setup) {
  SSL_set_connect_state(&connection);
  if (!is_address(setup.host)) SSL_set_tlsext_host_name(&connection, setup.host.c_str());
  if (!setup.verify) {
    SSL_set_verify(&connection, SSL_VERIFY_NONE, nullptr);
  } else {
    SSL_set_hostflags(&connection,
                      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    const std::string& name = setup.expected_name;
    if (name.empty()) return false;  // OpenSSL would check no name
    SSL_set_verify(&connection, SSL_VERIFY_PEER, nullptr);
    const int known = is_address(name)
                          ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(&connection), name.c_str())
                          : SSL_set1_host(&connection, name.c_str());
    if (known != 1) return false;
  }
  setup.contexts->sessions.use(connection, setup.session);
  return true;
}

const BIO_METHOD* TlsRecords::port_method() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* const made =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "perigee octets");
    if (made == nullptr) throw std::bad_alloc();
    BIO_meth_set_write(made, write_port);
    BIO_meth_set_read(made, read_port);
    BIO_meth_set_ctrl(made, control_port);
    return made;
  }();
  return method;
}

// The SSL object owns its BIO.
void TlsRecords::connect_to_port() {
  BIO* const bio = BIO_new(port_method());
  if (bio == nullptr) return;
  BIO_set_data(bio, &port_);
  BIO_set_init(bio, 1);
  SSL_set_bio(connection_.get(), bio, bio);
}

int TlsRecords::write_port(BIO* bio, const char* data, int size) noexcept try {
  Port& port = *static_cast<Port*>(BIO_get_data(bio));
  const auto count = static_cast<std::size_t>(size);
  const auto* const octets = reinterpret_cast<const std::byte*>(data);
  if (port.rest.empty() && count <= port.place.size() - port.placed) {
    std::memcpy(port.place.data() + port.placed, octets, count);
    port.placed += count;
  } else {
    port.rest.insert(port.rest.end(), octets, octets + count);
  }
  return size;
} catch (const std::bad_alloc&) {
  return -1;
}

int TlsRecords::read_port(BIO* bio, char* data, int size) noexcept {
  Port& port = *static_cast<Port*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const std::size_t count = std::min(static_cast<std::size_t>(size), port.input.size());
  if (count == 0) {
    port.lacks_input = true;
    BIO_set_retry_read(bio);
    return -1;
  }
  std::memcpy(data, port.input.data(), count);
  port.input = port.input.subspan(count);
  return static_cast<int>(count);
}

long TlsRecords::control_port(BIO* /*bio*/, int command, long /*argument*/,
                              void* /*pointer*/) noexcept {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

// SSL_get_error would need an empty list of errors, which belongs to the thread and may hold errors
// of the application. If OpenSSL has asked for more input than there was, the call has failed for
// lack of input.
TlsRecords::Progress TlsRecords::progress_after_failure() noexcept {
  if (port_.lacks_input) return Progress::needs_input;
  // OpenSSL notes a fatal alert as an end, too.
  const bool ended = (SSL_get_shutdown(connection_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
  if (ended && ERR_peek_error() == 0) return Progress::closed;
  failed_ = true;
  return Progress::failed;
}

TlsRecords::Progress TlsRecords::shake_hands(OctetSpan& input, Octets& output) {
  const std::lock_guard lock(mutex_);
  const LeavePort leave{port_};
  ERR_clear_error();
  port_.take(input);
  const int result = SSL_do_handshake(connection_.get());
  input = port_.input;
  take_rest(output);
  if (result == 1) {
    note_handshake_done();
    return Progress::done;
  }
  const Progress progress = progress_after_failure();
  if (progress == Progress::needs_input) return progress;
  failed_ = true;
  refusal_ = refusal_of(*connection_, setup_.expected_name, names_);
  if (setup_.role == messaging::Role::opener) setup_.contexts->sessions.forget(setup_.session);
  return Progress::failed;
}

// Connections in the handshake do not count: a client that stalls takes no place of KeptBuffers.
void TlsRecords::note_handshake_done() noexcept {
  if (handshake_done_) return;
  handshake_done_ = true;
  keeps_buffers_ = setup_.contexts->kept_buffers->take();
  if (keeps_buffers_) SSL_clear_mode(connection_.get(), SSL_MODE_RELEASE_BUFFERS);
}

TlsRecords::Encrypted TlsRecords::encrypt(PlainOctets& plain, MutableOctetSpan place,
                                          MutableOctetSpan scratch, Octets& rest) {
  const std::lock_guard lock(mutex_);
  const LeavePort leave{port_};
  if (failed_) return {};
  Octets earlier;
  take_rest(earlier);
  port_.place = place;
  port_.placed = 0;
  bool written = earlier.empty() || [&] {
    BIO* const bio = SSL_get_wbio(connection_.get());
    return write_port(bio, reinterpret_cast<const char*>(earlier.data()),
                      static_cast<int>(earlier.size())) > 0;
  }();
  Encrypted result;
  while (written && !plain.empty() && result.plain < plain_octets_max) {
    const OctetSpan piece = plain.next(scratch.first(record_size));
    std::size_t count = 0;
    written = SSL_write_ex(connection_.get(), piece.data(), piece.size(), &count) == 1;
    plain.skip(count);
    result.plain += count;
  }
  result.cipher = port_.placed;
  take_rest(rest);
  if (!written) {
    failed_ = true;
    ERR_clear_error();
    result.plain = 0;
  }
  return result;
}

TlsRecords::Decrypted TlsRecords::decrypt(OctetSpan& input, MutableOctetSpan space) {
  const std::lock_guard lock(mutex_);
  const LeavePort leave{port_};
  if (failed_) return {.progress = Progress::failed, .ends = true};
  if (ERR_peek_error() != 0) [[unlikely]]
    ERR_clear_error();  // an error of the application would count as one of this connection
  port_.take(input);
  Decrypted result;
  while (result.count < space.size()) {
    const MutableOctetSpan room = space.subspan(result.count);
    std::size_t count = 0;
    if (SSL_read_ex(connection_.get(), room.data(), room.size(), &count) != 1) {
      result.progress = progress_after_failure();
      break;
    }
    result.count += count;
    if (port_.input.empty() && SSL_pending(connection_.get()) == 0) break;
  }
  input = port_.input;
  result.has_more = holds_record(input);
  result.ends = result.progress == Progress::closed || result.progress == Progress::failed;
  note_output();
  received_ += result.count;
  const char* const why = result.progress != Progress::failed ? why_abusive() : nullptr;
  if (why != nullptr) [[unlikely]] {
    failed_ = true;
    refusal_ = {IoErrorKind::system, why};
    return {.progress = Progress::failed, .ends = true};
  }
  if (result.progress == Progress::failed)
    refusal_ = refusal_of(*connection_, setup_.expected_name, names_);
  return result;
}

void TlsRecords::note_message(int is_written, int /*version*/, int type, const void* /*message*/,
                              std::size_t /*size*/, SSL* /*connection*/, void* records) noexcept {
  if (is_written != 0 || type != SSL3_RT_HANDSHAKE) return;
  auto& self = *static_cast<TlsRecords*>(records);
  if (self.handshake_done_) ++self.messages_received_;
}

// A key update or a ticket costs this side much more time than the peer. With TLS 1.2, OpenSSL has
// octets to send by itself only if the peer asks for a renegotiation, and each request would take
// memory for its refusal. Null: the peer does not do this too often.
const char* TlsRecords::why_abusive() const noexcept {
  constexpr std::uint64_t messages_max = 128;
  constexpr std::uint64_t octets_per_message = std::uint64_t{64} * 1024;
  if (!port_.rest.empty() && SSL_version(connection_.get()) < TLS1_3_VERSION)
    return "the peer asks for a renegotiation, which is not allowed";
  if (messages_received_ > messages_max + received_ / octets_per_message)
    return "the peer changes its keys too often";
  return nullptr;
}

void TlsRecords::take_rest(Octets& output) {
  if (port_.rest.empty()) return;
  output.insert(output.end(), port_.rest.begin(), port_.rest.end());
  port_.rest.clear();
  has_output_.store(false, std::memory_order_release);
}

void TlsRecords::note_output() noexcept {
  if (!port_.rest.empty()) [[unlikely]]
    has_output_.store(true, std::memory_order_release);
}

bool TlsRecords::holds_record(OctetSpan input) const noexcept {
  if (SSL_pending(connection_.get()) > 0) return true;
  if (input.size() < record_header_size) return false;
  const std::size_t length =
      (std::to_integer<std::size_t>(input[3]) << 8u) | std::to_integer<std::size_t>(input[4]);
  return input.size() - record_header_size >= length;
}

bool TlsRecords::has_plain_octets(OctetSpan input) {
  const std::lock_guard lock(mutex_);
  return holds_record(input);
}

bool TlsRecords::within_record() {
  const std::lock_guard lock(mutex_);
  return SSL_has_pending(connection_.get()) != 0;
}

void TlsRecords::take_output(Octets& output) {
  const std::lock_guard lock(mutex_);
  take_rest(output);
}

void TlsRecords::close(Octets& output) {
  const std::lock_guard lock(mutex_);
  if (failed_ || !handshake_done_) return;
  if (SSL_shutdown(connection_.get()) < 0) ERR_clear_error();
  take_rest(output);
}

const PeerCertificate* TlsRecords::peer_certificate() {
  std::call_once(described_, [this] {
    const std::lock_guard lock(mutex_);
    if (!handshake_done_) return;
    const Certificate certificate(SSL_get1_peer_certificate(connection_.get()));
    if (certificate == nullptr) return;
    PeerCertificate described = describe(*certificate);
    described.is_verified = SSL_get_verify_mode(connection_.get()) != SSL_VERIFY_NONE &&
                            SSL_get_verify_result(connection_.get()) == X509_V_OK;
    certificate_ = std::make_unique<const PeerCertificate>(std::move(described));
  });
  return certificate_.get();
}

}  // namespace perigee::transport::tls
