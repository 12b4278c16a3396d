// The pool of a client, whose blocks arrive at the server as links. Private to
// transport/shared_memory.
#pragma once

#include "ipc/shared_memory.h"
#include "transport/shared_memory/holds.h"
#include <perigee/ipc/handle.h>
#include <perigee/ipc/result.h>
#include <perigee/transport/sequence_links.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace perigee::transport::shared_memory {

/// The receiver's side of the links of one connection. Linked octets share its ownership, so it may
/// outlive the connection. Any thread, but one thread at a time follows links.
class PeerPool final : public std::enable_shared_from_this<PeerPool> {
 public:
  /// Maps the pool of a peer, of at most `size_max` octets. `words` are in `memory`. `own_end`: the
  /// `peer_end` of Loans is the other end of its pipe; its destructor tells the peer that no octet
  /// is used any longer. Errors: invalid_argument (a size that is not allowed), and those of
  /// ipc::size_of_readable_memory.
  static ipc::Result<std::shared_ptr<PeerPool>> map(
      int fd, std::size_t size_max, std::shared_ptr<const ipc::SharedMapping> memory,
      HoldWords& words, ipc::Handle own_end);

  /// The constructor for `map`.
  PeerPool(ipc::SharedMapping pool, std::uint64_t size,
           std::shared_ptr<const ipc::SharedMapping> memory, HoldWords& words,
           ipc::Handle own_end) noexcept
      : pool_(std::move(pool)),
        size_(size),
        memory_(std::move(memory)),
        words_(words),
        own_end_(std::move(own_end)) {}

  /// Empty if the link names octets outside of the pool, no word, or a word that is in use. Throws
  /// bad_alloc.
  [[nodiscard]] LinkedOctets follow(const Link& link);
  /// Called when the octets of the link are not used any longer.
  void give_back(std::uint32_t hold, std::uint32_t generation) noexcept {
    held_[hold].store(false, std::memory_order_relaxed);
    words_.given_back[hold].store(generation, std::memory_order_release);
  }

 private:
  const ipc::SharedMapping pool_;
  const std::uint64_t size_;  // octets
  const std::shared_ptr<const ipc::SharedMapping> memory_;
  HoldWords& words_;
  const ipc::Handle own_end_;
  std::array<std::atomic<bool>, holds_max> held_{};  // by the number of the word
};

}  // namespace perigee::transport::shared_memory
