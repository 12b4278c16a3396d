// Maps the pool of a peer for reading, and follows links into it.
#include "transport/shared_memory/peer_pool.h"

#include "ipc/mapping.h"
#include <perigee/cdr/pinned_memory.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace perigee::transport::shared_memory {
namespace {

/// The octets of one link. Its end gives them back to the peer.
class HeldOctets final : public cdr::PinnedMemory {
 public:
  using _pooled = void;  // each linked message has such an object

  HeldOctets(std::shared_ptr<PeerPool> pool, const Link& link) noexcept
      : pool_(std::move(pool)), hold_(link.hold), generation_(link.generation) {}
  ~HeldOctets() override { pool_->give_back(hold_, generation_); }

 private:
  const std::shared_ptr<PeerPool> pool_;
  const std::uint32_t hold_;
  const std::uint32_t generation_;
};

}  // namespace

ipc::Result<std::shared_ptr<PeerPool>> PeerPool::map(
    int fd, std::size_t size_max, std::shared_ptr<const ipc::SharedMapping> memory,
    HoldWords& words, ipc::Handle own_end) {
  const auto size = ipc::size_of_readable_memory(fd);
  if (!size) return std::unexpected(size.error());
  // The client rounds the size of its pool up to whole pages.
  if (*size == 0 || *size - std::min(*size, ipc::page_size()) >= size_max)
    return std::unexpected(std::make_error_code(std::errc::invalid_argument));
  auto pool = ipc::SharedMapping::map(fd, 0, *size, ipc::Access::read);
  if (!pool) return std::unexpected(pool.error());
  return std::make_shared<PeerPool>(std::move(*pool), *size, std::move(memory), words,
                                    std::move(own_end));
}

// `offset` is compared first, so the subtraction cannot wrap.
LinkedOctets PeerPool::follow(const Link& link) {
  const bool is_inside = link.offset < size_ && link.size <= size_ - link.offset;
  if (!is_inside || link.size == 0 || link.hold >= holds_max || link.generation == 0) return {};
  if (held_[link.hold].load(std::memory_order_relaxed)) return {};
  auto memory = make_counted<HeldOctets>(shared_from_this(), link);
  held_[link.hold].store(true, std::memory_order_relaxed);  // one thread at a time follows links
  const std::byte* const first = pool_.data() + static_cast<std::size_t>(link.offset);
  return {{first, static_cast<std::size_t>(link.size)}, std::move(memory)};
}

}  // namespace perigee::transport::shared_memory
