// A TLS connection over another transport. Private to transport/tls.
#pragma once

#include "transport/tls/tls_records.h"
#include <perigee/transport/transport.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace perigee::transport::tls {

/// Encrypts and decrypts what `inner` moves. The threads wait in `inner` only, without the lock of
/// the records.
///
/// If `inner` takes only a part of the ciphertext, the rest is kept in `unsent_`. If `send` has
/// encrypted all octets by then, it reports one octet less, so that the caller calls again.
/// `ahead_` counts this octet.
class TlsTransport final : public Transport {
 public:
  /// `peer`: the peer's address, as text for logs.
  TlsTransport(std::unique_ptr<Transport> inner, std::unique_ptr<TlsRecords> records,
               std::string peer);

  IoResult open(Wait wait) override;
  IoResult finish(Wait wait) override;
  [[nodiscard]] Wants wants(Step step) const noexcept override;
  IoResult send(std::span<const OctetSpan> segments, Wait wait) override;
  [[nodiscard]] bool has_output() const noexcept override { return records_->has_output(); }
  IoResult receive(MutableOctetSpan space, Wait wait) override;
  [[nodiscard]] bool buffered() const noexcept override { return buffered_ || more_input_; }
  IoResult set_receive_timeout(std::chrono::microseconds timeout) override {
    receive_timeout_ = timeout;
    return inner_->set_receive_timeout(timeout);
  }
  IoResult set_send_timeout(std::chrono::microseconds timeout) override {
    send_timeout_ = timeout;
    return inner_->set_send_timeout(timeout);
  }
  void shutdown_send() noexcept override;
  void interrupt() noexcept override { inner_->interrupt(); }
  [[nodiscard]] int readiness_fd() const noexcept override { return inner_->readiness_fd(); }
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }
  [[nodiscard]] const PeerCertificate* peer_certificate() const noexcept override;
  [[nodiscard]] Refusal refusal() const override { return records_->refusal(); }

 private:
  [[nodiscard]] IoResult flush(Wait wait);
  [[nodiscard]] IoResult send_ciphertext(OctetSpan ciphertext, Wait wait);
  [[nodiscard]] IoResult after_part(std::size_t done, bool all, const IoResult& sent) noexcept;
  [[nodiscard]] IoResult receive_ciphertext(Wait wait);
  [[nodiscard]] IoResult after_records(TlsRecords::Progress progress);
  void keep_input();

  const std::unique_ptr<Transport> inner_;
  const std::unique_ptr<TlsRecords> records_;
  const std::string peer_;

  // The state of sending.
  Octets unsent_;  // ciphertext that `inner_` has not taken
  std::size_t unsent_from_ = 0;
  std::size_t ahead_ = 0;  // octets of the next segments that are encrypted already: 0 or 1
  bool closed_ = false;
  std::chrono::microseconds send_timeout_{0};

  // The state of receiving.
  OctetSpan input_;  // ciphertext, in `kept_` or in the memory of the thread
  Octets kept_;
  bool buffered_ = false;    // the next `receive` gives octets without reading from `inner_`
  bool ends_ = false;        // the records have reported, or will report, an end or a failure
  bool more_input_ = false;  // `inner_` may have octets that no further event reports
  std::chrono::microseconds receive_timeout_{0};

  Wants open_wants_ = Wants::to_read;
};

}  // namespace perigee::transport::tls
