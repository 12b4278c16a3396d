// A connection through two rings in shared memory. Private to transport/shared_memory.
#pragma once

#include "transport/shared_memory/peer_watch.h"
#include "transport/shared_memory/ring.h"
#include "transport/shared_memory/ring_links.h"
#include "transport/shared_memory/ring_quota.h"
#include "transport/shared_memory/rings.h"
#include "transport/shared_memory/spin.h"
#include <perigee/ipc/handle.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace perigee::transport::shared_memory {

/// Moves octets through the rings. The socket of the rendezvous stays open: it wakes reactors by
/// one octet for each wake, and its end shows that the peer has ended.
///
/// The word `receiver_waits` in the ring says how the receiver waits. While a reactor watches an
/// idle receiver, the word is `polls`: when the peer sends, it wakes the reactor, as a socket
/// would. A blocking receive sets the word to `spins` or `sleeps`, and back to `polls` before it
/// reads the ring a last time.
class RingTransport final : public Transport {
 public:
  /// Objects of the protocol that its connections share.
  struct Shared {
    std::shared_ptr<PeerWatcher> watcher;
    std::shared_ptr<const LinkTrust> trust;  ///< null: sequences are never linked
  };

  /// The client's end: `made` goes to the server in `open`.
  RingTransport(std::unique_ptr<Transport> socket, std::string peer, const Shared& shared,
                Rings::Made made);
  /// The server's end: the memory arrives in `open`, which refuses it if the quota is used up.
  RingTransport(std::unique_ptr<Transport> socket, std::string peer, const Shared& shared,
                std::shared_ptr<RingQuota> quota);
  ~RingTransport() override;

  IoResult open(Wait wait) override;
  [[nodiscard]] Wants wants(Step step) const noexcept override;
  [[nodiscard]] Refusal refusal() const override { return refusal_; }

  IoResult send(std::span<const OctetSpan> segments, Wait wait) override;
  void await_sendable(std::chrono::milliseconds limit) noexcept override;
  [[nodiscard]] MutableOctetSpan begin_direct(std::size_t hint) noexcept override;
  IoResult commit(std::size_t count) noexcept override;

  IoResult receive(MutableOctetSpan space, Wait wait) override {
    return receive_scattered(space, {}, wait);
  }
  IoResult receive_scattered(MutableOctetSpan first, MutableOctetSpan second, Wait wait) override;
  [[nodiscard]] bool buffered() const noexcept override;
  bool begin_watch() noexcept override;
  void end_watch() noexcept override { watched_.store(false); }
  [[nodiscard]] bool holds_input() const noexcept override;

  [[nodiscard]] SequenceLinks* links() noexcept override { return links_.get(); }

  IoResult set_receive_timeout(std::chrono::microseconds timeout) override;
  IoResult set_send_timeout(std::chrono::microseconds timeout) override;
  void shutdown_send() noexcept override;
  void interrupt() noexcept override;
  [[nodiscard]] int readiness_fd() const noexcept override { return socket_->readiness_fd(); }
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }
  [[nodiscard]] std::optional<PeerIdentity> peer_identity() const noexcept override {
    return socket_->peer_identity();
  }

 private:
  /// The time limit of one blocking call.
  class TimeLeft;

  RingTransport(std::unique_ptr<Transport> socket, std::string peer, const Shared& shared);

  // Opening (ring_opening.cpp).
  [[nodiscard]] IoResult say_hello(Wait wait);
  [[nodiscard]] IoResult read_answer(Wait wait);
  [[nodiscard]] IoResult answer_hello(Wait wait);
  [[nodiscard]] IoResult take_hello(const Hello& hello, std::span<ipc::Handle> handles);
  [[nodiscard]] IoResult accept_hello(std::span<ipc::Handle> of_links);
  [[nodiscard]] IoResult refuse_hello(std::string why, Answer with = Answer::refused);
  [[nodiscard]] IoResult refused(std::string why);
  void use(const Ring& outgoing, const Ring& incoming) noexcept;

  // Sending.
  [[nodiscard]] int output_error() const noexcept;
  [[nodiscard]] IoResult await_room(Wait wait, TimeLeft& left);
  [[nodiscard]] bool is_receiver_here() const noexcept;
  void publish() noexcept;
  void wake_peer(ipc::SharedWord& waits) noexcept;
  void end_output(Ended how) noexcept;

  // Receiving.
  [[nodiscard]] IoResult take(std::uint32_t available, MutableOctetSpan first,
                              MutableOctetSpan second) noexcept;
  [[nodiscard]] bool can_use_room(std::uint32_t available) const noexcept;
  [[nodiscard]] IoResult look_again(MutableOctetSpan first, MutableOctetSpan second) noexcept;
  [[nodiscard]] IoResult await_octets(MutableOctetSpan first, MutableOctetSpan second);
  [[nodiscard]] IoStatus input_state(int& code) noexcept;
  [[nodiscard]] bool has_input() const noexcept;
  void note_receiver(Waits waits) const noexcept;
  void note_idle_receiver() const noexcept;

  // Both.
  void sleep(ipc::SharedWord& word, std::chrono::nanoseconds limit);
  [[nodiscard]] bool start_watch();
  void drain_socket() const noexcept;
  void drain_all_but_one() const noexcept;
  void wake_own_threads() const noexcept;
  bool note_peer_end() const noexcept;
  [[nodiscard]] bool is_over() const noexcept { return peer_ended_.load() || interrupted_.load(); }

  const std::unique_ptr<Transport> socket_;
  const std::string peer_;
  const std::shared_ptr<PeerWatcher> watcher_;

  std::shared_ptr<RingQuota> quota_;  // the quota of a server
  RingQuota::Share share_;            // declared before the memory: it ends after the mapping
  std::optional<Rings> rings_;
  const std::unique_ptr<RingLinks> links_;  // null: sequences are never linked
  ipc::Handle memory_;                      // the client's handle, until the server has it
  bool said_hello_ = false;
  Wants open_wants_ = Wants::to_read;
  Refusal refusal_;

  std::atomic<bool> opened_ = false;  // the rings may be used
  std::atomic<bool> interrupted_ = false;
  mutable std::atomic<bool> peer_ended_ = false;  // the socket has reported the end
  mutable std::mutex drain_mutex_;                // one thread at a time reads the socket
  std::mutex watch_lock_;                         // guards the start of the watch
  std::unique_ptr<PeerWatcher::Watch> watch_;
  std::atomic<bool> has_watch_ = false;
  std::atomic<std::uint32_t> sleepers_ = 0;

  // The state of sending.
  RingSender sender_{ring_before_opening()};
  BriefWait send_wait_;
  std::size_t lent_ = 0;                      // octets that `begin_direct` has lent
  std::atomic<std::uint32_t> published_ = 0;  // octets, modulo 2^32; not in shared memory
  std::uint32_t sender_polls_ = 0;            // since the last drain: sends that may cause a wake
  std::atomic<std::chrono::microseconds> send_timeout_{};

  // The state of receiving.
  mutable RingReceiver receiver_{ring_before_opening()};
  BriefWait receive_wait_;
  std::atomic<bool> watched_ = true;  // by a reactor
  mutable Waits noted_ = polls;
  mutable std::atomic<std::uint32_t> wakes_ = 0;  // upper bound of the octets in the socket
  mutable bool flooded_ = false;          // the peer sends too many octets through the socket
  bool blocks_ = false;                   // the last receive could wait
  bool was_emptied_ = true;               // the last receive took all octets
  std::atomic<std::uint32_t> taken_ = 0;  // octets, modulo 2^32; not in shared memory
  std::atomic<std::chrono::microseconds> receive_timeout_{};
};

}  // namespace perigee::transport::shared_memory
