// The links of one connection through rings, and how both sides agree on them. Private to
// transport/shared_memory.
#pragma once

#include "transport/shared_memory/loans.h"
#include "transport/shared_memory/peer_pool.h"
#include <perigee/ipc/handle.h>
#include <perigee/ipc/result.h>
#include <perigee/transport/sequence_links.h>
#include <perigee/transport/shared_pool.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace perigee::transport::shared_memory {

/// The data that the connections of an ORB that trusts its peers share.
struct LinkTrust {
  std::shared_ptr<LazyPool> pool;  ///< the pool of the ORB
  std::shared_ptr<AllLoans> loans = std::make_shared<AllLoans>();
};

/// The client sends links, and the server follows them. Before both sides have agreed, and if they
/// do not agree, octets are not lent, and a received link is an error.
class RingLinks final : public SequenceLinks {
 public:
  /// The handles that the client passes to the server: its pool, and the end of a pipe.
  static constexpr std::size_t handle_count = 2;

  explicit RingLinks(std::shared_ptr<const LinkTrust> trust) noexcept : trust_(std::move(trust)) {}
  ~RingLinks() override;

  /// @name The client
  /// @{
  /// Makes the pool, if the ORB has none yet, and the pipe. False: the system refuses them. Does
  /// nothing more when it is called again after a success.
  [[nodiscard]] bool prepare();
  [[nodiscard]] bool prepared() const noexcept { return pool_.has_value(); }
  /// The handles to pass, after `prepare`.
  [[nodiscard]] std::array<int, handle_count> handles() const noexcept;
  /// Called when the handles were passed.
  void close_passed() noexcept { passed_end_.close(); }
  /// Called when the server has agreed: octets may be lent from now on. `words`, in `memory`,
  /// belong to the server. Call `prepare` before.
  void begin(const std::shared_ptr<const ipc::SharedMapping>& memory, const HoldWords& words);
  /// Called when the server has not agreed.
  void end() noexcept;
  /// @}

  /// Called when the server has the handles of the client: links may be followed from now on.
  /// `words`, in `memory`, belong to the server. Errors: the first handle is not a pool, the second
  /// is not a pipe, and those of the system.
  [[nodiscard]] ipc::Status accept(std::span<ipc::Handle, handle_count> from_client,
                                   const std::shared_ptr<const ipc::SharedMapping>& memory,
                                   HoldWords& words);

  [[nodiscard]] std::optional<Link> lend(OctetSpan octets) noexcept override {
    return loans_ ? loans_->lend(octets) : std::nullopt;
  }
  void note_queued(const Link& link, std::uint64_t position) noexcept override {
    loans_->note_queued(link, position);
  }
  void take_back(const Link& link) noexcept override { loans_->take_back(link); }
  void take_back_queued(std::uint64_t position) noexcept override {
    if (loans_) loans_->take_back_queued(position);
  }
  [[nodiscard]] LinkedOctets follow(const Link& link) override {
    return peer_ ? peer_->follow(link) : LinkedOctets{};
  }

 private:
  const std::shared_ptr<const LinkTrust> trust_;
  std::optional<shared_pool> pool_;  // the client's pool, after `prepare`
  ipc::Handle kept_end_;             // one end of the pipe; `loans_` has it later
  ipc::Handle passed_end_;           // for the server
  std::shared_ptr<Loans> loans_;     // the client's loans; null before the agreement
  // The server's view of the client's pool; null before the agreement.
  std::shared_ptr<PeerPool> peer_;
};

}  // namespace perigee::transport::shared_memory
