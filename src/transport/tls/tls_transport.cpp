// Moves ciphertext between the records and the inner transport.
#include "transport/tls/tls_transport.h"

#include <perigee/base/clock.h>
#include <perigee/base/log.h>

#include <array>
#include <cerrno>
#include <new>
#include <utility>

namespace perigee::transport::tls {
namespace {

constexpr std::size_t input_size = 4 * (record_size + record_overhead);       // whole records
constexpr std::size_t output_size = records_per_batch * (record_size + 512);  // headers and tags

/// Memory for one call, so that an idle connection has no buffers of its own.
struct Scratch {
  std::array<std::byte, input_size> input;
  std::array<std::byte, output_size> output;
  std::array<std::byte, record_size> plain;
};

Scratch& scratch() {
  thread_local const auto memory = std::make_unique_for_overwrite<Scratch>();
  return *memory;
}

constexpr IoResult protocol_error{0, IoStatus::failed, EPROTO};

// OpenSSL takes about 50 KiB, and up to 100 KiB more for a message that the peer has announced.
constexpr std::uint32_t handshake_memory = 160 * 1024;

}  // namespace

TlsTransport::TlsTransport(std::unique_ptr<Transport> inner, std::unique_ptr<TlsRecords> records,
                           std::string peer)
    : Transport({.opens = true,
                 .finishes = true,
                 .buffers = true,
                 .owes_output = true,
                 .opening_size = handshake_memory}),
      inner_(std::move(inner)),
      records_(std::move(records)),
      peer_(std::move(peer)) {}

Wants TlsTransport::wants(Step step) const noexcept {
  if (step == Step::open) return open_wants_;
  return step == Step::receive ? Wants::to_read : Wants::to_write;
}

IoResult TlsTransport::open(Wait wait) {
  for (;;) {
    const auto progress = records_->shake_hands(input_, unsent_);
    open_wants_ = Wants::to_write;
    if (progress == TlsRecords::Progress::failed) {
      (void)flush(Wait::no);  // the alert, if there is room for it
      return protocol_error;
    }
    const IoResult flushed = flush(wait);
    if (!flushed.ok() || progress == TlsRecords::Progress::done) {
      keep_input();
      buffered_ = records_->has_plain_octets(input_);
      return flushed;
    }
    open_wants_ = Wants::to_read;
    if (const IoResult received = receive_ciphertext(wait); !received.ok()) return received;
  }
}

// Sends the ciphertext that is left. If a call that may wait sends only a part, the time-out has
// passed.
IoResult TlsTransport::flush(Wait wait) {
  while (unsent_from_ != unsent_.size()) {
    const OctetSpan rest = OctetSpan(unsent_).subspan(unsent_from_);
    const IoResult sent = inner_->send({&rest, 1}, wait);
    unsent_from_ += sent.count;
    if (!sent.ok()) return {0, sent.status, sent.code};
    if (wait == Wait::yes && sent.count != rest.size()) return {0, IoStatus::timed_out, 0};
  }
  if (unsent_.capacity() != 0) [[unlikely]]
    unsent_ = {};  // an idle connection keeps no memory
  unsent_from_ = 0;
  return {};
}

// Keeps the octets that `inner_` does not take.
IoResult TlsTransport::send_ciphertext(OctetSpan ciphertext, Wait wait) {
  if (!unsent_.empty()) {  // octets that did not fit into the scratch memory: they come last
    unsent_.insert(unsent_.begin(), ciphertext.begin(), ciphertext.end());
    return flush(wait);
  }
  const IoResult sent = inner_->send({&ciphertext, 1}, wait);
  if (sent.count == ciphertext.size()) return sent;
  const OctetSpan rest = ciphertext.subspan(sent.count);
  unsent_.assign(rest.begin(), rest.end());
  if (!sent.ok()) return sent;
  return {0, wait == Wait::yes ? IoStatus::timed_out : IoStatus::would_block, 0};
}

IoResult TlsTransport::send(std::span<const OctetSpan> segments, Wait wait) {
  if (unsent_from_ != unsent_.size())
    if (const IoResult flushed = flush(wait); !flushed.ok()) return flushed;
  PlainOctets plain(segments);
  if (plain.empty()) {
    records_->take_output(unsent_);
    return flush(wait);
  }
  std::size_t done = std::exchange(ahead_, 0);
  plain.skip(done);
  Scratch& memory = scratch();
  while (!plain.empty()) {
    const auto encrypted = records_->encrypt(plain, memory.output, memory.plain, unsent_);
    if (encrypted.plain == 0) return {done, IoStatus::failed, EPROTO};
    const IoResult sent = send_ciphertext(OctetSpan(memory.output).first(encrypted.cipher), wait);
    done += encrypted.plain;
    if (!sent.ok()) return after_part(done, plain.empty(), sent);
    // The time-out limits this call, and each batch may have waited for all of it.
    if (wait == Wait::yes && send_timeout_.count() != 0) break;
  }
  return {done, IoStatus::ok, 0};
}

// Called when `done` octets were encrypted, and their last record has not left.
IoResult TlsTransport::after_part(std::size_t done, bool all, const IoResult& sent) noexcept {
  if (sent.status == IoStatus::failed) return {done - 1, sent.status, sent.code};
  ahead_ = all ? 1 : 0;
  done -= ahead_;
  return {done, done != 0 ? IoStatus::ok : sent.status, 0};
}

IoResult TlsTransport::receive_ciphertext(Wait wait) {
  Scratch& memory = scratch();
  const IoResult received = inner_->receive(memory.input, wait);
  if (received.ok()) input_ = OctetSpan(memory.input).first(received.count);
  more_input_ = received.ok() && received.count == memory.input.size();
  return received;
}

// Other connections use the scratch memory of this thread next.
void TlsTransport::keep_input() {
  if (input_.empty()) {
    if (kept_.capacity() != 0) [[unlikely]]
      kept_ = {};
  } else if (input_.data() < kept_.data() || input_.data() >= kept_.data() + kept_.size()) {
    kept_.assign(input_.begin(), input_.end());
    input_ = kept_;
  }
}

IoResult TlsTransport::receive(MutableOctetSpan space, Wait wait) {
  const bool is_limited = wait == Wait::yes && receive_timeout_.count() != 0;
  const TimePoint begin = is_limited ? steady_clock().now() : TimePoint{};
  for (;;) {
    if (!input_.empty() || buffered_ || ends_) {
      const auto decrypted = records_->decrypt(input_, space);
      buffered_ = decrypted.has_more;
      ends_ = decrypted.ends;
      if (decrypted.count != 0) {
        keep_input();
        return {decrypted.count, IoStatus::ok, 0};
      }
      if (decrypted.ends) return after_records(decrypted.progress);
      if (is_limited && steady_clock().now() - begin >= receive_timeout_)
        return {0, IoStatus::timed_out, 0};
    }
    const IoResult received = receive_ciphertext(wait);
    if (received.status == IoStatus::end_of_stream && records_->within_record())
      return protocol_error;
    if (!received.ok()) return received;
  }
}

// With TLS 1.3, a server refuses the client's certificate after the handshake of the client.
IoResult TlsTransport::after_records(TlsRecords::Progress progress) {
  if (progress == TlsRecords::Progress::closed) return {0, IoStatus::end_of_stream, 0};
  log::write(log::Level::warning, "tls", peer_ + ": " + records_->refusal().why);
  return protocol_error;
}

IoResult TlsTransport::finish(Wait wait) {
  if (!closed_) {
    if (const IoResult flushed = flush(wait); !flushed.ok()) return flushed;
    records_->close(unsent_);
    closed_ = true;
  }
  if (const IoResult flushed = flush(wait); !flushed.ok()) return flushed;
  inner_->shutdown_send();
  return {};
}

// Does not wait: a notice that does not fit is left out.
void TlsTransport::shutdown_send() noexcept {
  try {
    (void)finish(Wait::no);
  } catch (const std::bad_alloc&) {
    closed_ = true;
  }
  inner_->shutdown_send();
}

const PeerCertificate* TlsTransport::peer_certificate() const noexcept try {
  return records_->peer_certificate();
} catch (const std::exception&) {  // no memory: the peer counts as one without a certificate
  return nullptr;
}

}  // namespace perigee::transport::tls
