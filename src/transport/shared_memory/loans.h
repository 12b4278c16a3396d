// The blocks of a pool that one peer uses through links. Private to transport/shared_memory.
#pragma once

#include "ipc/shared_memory.h"
#include "transport/shared_memory/holds.h"
#include <perigee/ipc/handle.h>
#include <perigee/transport/sequence_links.h>
#include <perigee/transport/shared_pool.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace perigee::transport::shared_memory {

/// The sender's side of the links of one connection. Any thread.
class Loans final {
 public:
  /// `words` are in `memory`, and belong to the receiver. `peer_end` is the end of a pipe
  /// whose other end the receiver closes when it uses no octet of the pool any longer.
  Loans(shared_pool pool, std::shared_ptr<const ipc::SharedMapping> memory, const HoldWords& words,
        ipc::Handle peer_end)
      : pool_(std::move(pool)),
        memory_(std::move(memory)),
        words_(words),
        peer_end_(std::move(peer_end)) {}

  /// Empty: the octets are not in a block of the pool, all words are in use, or there is no memory.
  [[nodiscard]] std::optional<Link> lend(OctetSpan octets) noexcept;
  void note_queued(const Link& link, std::uint64_t position) noexcept;
  void take_back(const Link& link) noexcept;
  void take_back_queued(std::uint64_t position) noexcept;

  /// Takes back the blocks that the receiver no longer uses.
  void collect() noexcept;
  /// Called when the connection has ended. Does the same as `collect`, or takes back all blocks if
  /// the receiver has closed its end of the pipe. True if no block is lent any longer.
  [[nodiscard]] bool collect_after_end() noexcept;
  /// The pool never uses the lent blocks again, since the receiver may still use them.
  void retire() noexcept;

 private:
  struct Loan {
    shared_buffer block;  // empty: the word is free
    std::uint32_t generation = 0;
    std::uint64_t position = 0;  // of the message in the queue; 0: it was sent at once
  };

  [[nodiscard]] std::optional<std::uint32_t> free_word();
  void add_words();
  void collect_some() noexcept;
  void collect_locked() noexcept;
  void collect_word(std::uint32_t index) noexcept;
  void end(std::uint32_t index) noexcept;

  const shared_pool pool_;
  const std::shared_ptr<const ipc::SharedMapping> memory_;
  const HoldWords& words_;
  const ipc::Handle peer_end_;

  std::mutex mutex_;         // guards the members below
  std::vector<Loan> loans_;  // by the number of the word
  std::vector<std::uint32_t> free_;
  std::uint32_t next_ = 0;          // the word that `collect_some` has looked at last
  std::uint32_t last_ = 0;          // the word of the newest loan
  std::uint64_t newest_block_ = 0;  // generation of the newest block that was lent
};

/// The loans of all connections of one ORB, also of ended connections whose peers still use blocks.
/// Any thread.
class AllLoans final : public BlockHolder {
 public:
  AllLoans() = default;
  AllLoans(const AllLoans&) = delete;
  AllLoans& operator=(const AllLoans&) = delete;
  ~AllLoans() override;

  void add(std::shared_ptr<Loans> loans);
  /// Called when the connection of these loans has ended.
  void end(const std::shared_ptr<Loans>& loans) noexcept;
  void collect() noexcept override;

 private:
  struct Entry {
    std::shared_ptr<Loans> loans;
    bool ended = false;
  };

  void forget_oldest_ended() noexcept;

  std::mutex mutex_;            // guards the member below
  std::vector<Entry> entries_;  // the oldest first
};

}  // namespace perigee::transport::shared_memory
