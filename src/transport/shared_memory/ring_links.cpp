// Prepares the handles of links, and takes those of the peer.
#include "transport/shared_memory/ring_links.h"

#include <perigee/base/log.h>
#include <perigee/ipc/io_pipe.h>

#include <string>
#include <utility>

namespace perigee::transport::shared_memory {

RingLinks::~RingLinks() {
  if (loans_) trust_->loans->end(loans_);
}

bool RingLinks::prepare() {
  auto pool = trust_->pool->get();
  auto ends = ipc::io::open_pipe();
  if (!pool || !ends) {
    log::write(log::Level::warning, "orb",
               "a connection through shared memory copies all sequences: " +
                   (pool ? ends.error().message() : to_string(pool.error())));
    return false;
  }
  pool->set_holder(trust_->loans);
  pool_ = std::move(*pool);
  kept_end_ = std::move((*ends)[0]);
  passed_end_ = std::move((*ends)[1]);
  return true;
}

std::array<int, RingLinks::handle_count> RingLinks::handles() const noexcept {
  return {pool_->file(), passed_end_.get()};
}

ipc::Status RingLinks::agree(std::span<ipc::Handle, handle_count> from_peer,
                             const std::shared_ptr<const ipc::SharedMapping>& memory,
                             const HoldWords& lent, HoldWords& held) {
  auto peer = PeerPool::map(from_peer[0].get(), memory, held, std::move(from_peer[1]));
  if (!peer) return std::unexpected(peer.error());
  auto loans = std::make_shared<Loans>(*pool_, memory, lent, std::move(kept_end_));
  trust_->loans->add(loans);
  peer_ = std::move(*peer);
  loans_ = std::move(loans);
  log::write(log::Level::info, "orb",
             "a connection through shared memory links arguments in shared buffers");
  return {};
}

}  // namespace perigee::transport::shared_memory
