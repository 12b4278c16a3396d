// The TLS records of one connection, in memory. Private to transport/tls.
#pragma once

#include "transport/tls/openssl.h"
#include "transport/tls/tls_contexts.h"
#include <perigee/base/octets.h>
#include <perigee/base/peer.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace perigee::transport::tls {

/// A position in segments that are encrypted piece by piece.
class PlainOctets {
 public:
  explicit PlainOctets(std::span<const OctetSpan> segments) noexcept : segments_(segments) {
    skip_empty();
  }
  [[nodiscard]] bool empty() const noexcept { return segments_.empty(); }
  /// The next octets to encrypt: at least one, and at most as many as fit into one record. Octets
  /// of short segments are copied to `place`, so that they share a record.
  [[nodiscard]] OctetSpan next(MutableOctetSpan place) noexcept;
  void skip(std::size_t count) noexcept;

 private:
  void skip_empty() noexcept {
    while (!segments_.empty() && at_ == segments_.front().size()) {
      segments_ = segments_.subspan(1);
      at_ = 0;
    }
  }
  [[nodiscard]] OctetSpan front() const noexcept { return segments_.front().subspan(at_); }

  std::span<const OctetSpan> segments_;
  std::size_t at_ = 0;  // octets of the first segment that are done
};

inline constexpr std::size_t record_size = std::size_t{16} * 1024;  ///< RFC 8446, 5.1
inline constexpr std::size_t record_overhead = 22;  ///< of AES-GCM in TLS 1.3: RFC 8446, 5.2
/// The records that one call of `encrypt` makes. `perigee bench tls` has measured the CPU time of a
/// call with 1 MiB, relative to a C program: 1.06 with four records, 0.91 with three, 0.95 with
/// two, 1.02 with one.
inline constexpr std::size_t records_per_batch = 3;

/// Encrypts, decrypts and makes the handshake. All calls of OpenSSL for the connection are here,
/// under a lock that is never held during input and output. One sender and one receiver.
class TlsRecords {
 public:
  struct Setup {
    SharedContexts contexts;
    messaging::Role role = messaging::Role::opener;
    std::string host;           ///< of the server, for its choice of a certificate (SNI)
    std::string expected_name;  ///< in the server's certificate
    std::string session;        ///< names the sessions that the connection may resume
    bool verify = true;         ///< on the client's side: check the server's certificate
  };
  /// Null if there is no memory.
  static std::unique_ptr<TlsRecords> make(Setup setup);
  ~TlsRecords();
  TlsRecords(const TlsRecords&) = delete;
  TlsRecords& operator=(const TlsRecords&) = delete;

  enum class Progress : std::uint8_t { done, needs_input, closed, failed };

  /// Goes on with the handshake. Takes octets from the front of `input`, and appends octets for the
  /// peer to `output`, also after a failure.
  Progress shake_hands(OctetSpan& input, Octets& output);
  /// The reason why the handshake failed.
  [[nodiscard]] const Transport::Refusal& refusal() const noexcept { return refusal_; }

  struct Encrypted {
    std::size_t plain = 0;   ///< octets that were encrypted; 0: the connection has failed
    std::size_t cipher = 0;  ///< octets in `place`
  };
  /// Encrypts several records into `place`, after the octets that the connection has to send by
  /// itself. Octets that do not fit are appended to `rest`.
  Encrypted encrypt(PlainOctets& plain, MutableOctetSpan place, MutableOctetSpan scratch,
                    Octets& rest);
  struct Decrypted {
    std::size_t count = 0;
    Progress progress = Progress::done;
    bool has_more = false;  ///< the next `decrypt` gives octets without further input
    bool ends = false;      ///< the next `decrypt` reports the end or a failure
  };
  /// Decrypts records from the front of `input`, until `space` is full or the input is used up.
  Decrypted decrypt(OctetSpan& input, MutableOctetSpan space);
  /// Whether the first `decrypt` after the handshake gives octets without further input.
  [[nodiscard]] bool has_plain_octets(OctetSpan input);
  /// Whether the input ended within a record. Called by the receiver.
  [[nodiscard]] bool within_record();

  /// Octets that the connection has to send by itself, such as an answer to a key update. Any
  /// thread.
  [[nodiscard]] bool has_output() const noexcept {
    return has_output_.load(std::memory_order_acquire);
  }
  void take_output(Octets& output);
  /// Appends the notice that nothing more will be sent (close_notify).
  void close(Octets& output);
  /// The peer's certificate; null if there is none. Any thread, after the handshake.
  [[nodiscard]] const PeerCertificate* peer_certificate();

 private:
  /// Memory that OpenSSL reads ciphertext from and writes it to, during one call.
  struct Port {
    void take(OctetSpan octets) noexcept {
      input = octets;
      lacks_input = false;
    }

    /// The memory belongs to the caller, so it is used in one call only.
    void leave() noexcept {
      input = {};
      place = {};
      placed = 0;
    }

    OctetSpan input;
    bool lacks_input = false;  // OpenSSL has asked for more octets than there are
    MutableOctetSpan place;
    std::size_t placed = 0;
    Octets rest;  // octets that did not fit into `place`
  };

  TlsRecords(Setup setup, Ssl connection);
  static bool prepare_client(SSL& connection, const Setup& setup);
  void connect_to_port();
  [[nodiscard]] Progress progress_after_failure() noexcept;
  [[nodiscard]] bool holds_record(OctetSpan input) const noexcept;
  void note_output() noexcept;
  void take_rest(Octets& output);
  void note_handshake_done() noexcept;
  [[nodiscard]] const char* why_abusive() const noexcept;

  static void note_message(int is_written, int version, int type, const void* message,
                           std::size_t size, SSL* connection, void* records) noexcept;
  static const BIO_METHOD* port_method();
  static int write_port(BIO* bio, const char* data, int size) noexcept;
  static int read_port(BIO* bio, char* data, int size) noexcept;
  static long control_port(BIO* bio, int command, long argument, void* pointer) noexcept;

  const Setup setup_;  // outlives connection_, which points to setup_.session
  std::mutex mutex_;   // guards the members below
  Ssl connection_;
  Port port_;
  bool handshake_done_ = false;
  bool keeps_buffers_ = false;           // counts in KeptBuffers
  std::uint64_t received_ = 0;           // decrypted octets
  std::uint64_t messages_received_ = 0;  // of the handshake protocol, after the handshake
  bool failed_ = false;
  std::atomic<bool> has_output_{false};  // written under the lock
  Transport::Refusal refusal_;
  std::string names_;  // in a certificate that is not for the expected name
  std::once_flag described_;
  std::unique_ptr<const PeerCertificate> certificate_;
};

}  // namespace perigee::transport::tls
