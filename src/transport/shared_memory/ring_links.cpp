// Prepares the handles of the client for links, and takes them at the server.
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
  if (prepared()) return true;
  auto pool = trust_->pool->get();
  auto ends = ipc::io::open_pipe();
  if (!pool || !ends) {
    log::write(log::Level::info, "orb",
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

void RingLinks::begin(const std::shared_ptr<const ipc::SharedMapping>& memory,
                      const HoldWords& words) {
  auto loans = std::make_shared<Loans>(*pool_, memory, words, std::move(kept_end_));
  trust_->loans->add(loans);
  loans_ = std::move(loans);
  log::write(log::Level::info, "orb",
             "a connection through shared memory links arguments in shared buffers");
}

void RingLinks::end() noexcept {
  kept_end_.close();
  if (prepared())
    log::write(log::Level::info, "orb",
               "a connection through shared memory copies arguments in shared buffers: the server "
               "does not have -ORBSharedMemoryTrust yes, or cannot map the pool");
}

// The last pin closes the handle of the pipe. Closing a file of another kind can take long, so such
// a handle is refused.
ipc::Status RingLinks::accept(std::span<ipc::Handle, handle_count> from_client,
                              const std::shared_ptr<const ipc::SharedMapping>& memory,
                              HoldWords& words) {
  if (!ipc::is_pipe(from_client[1].get()))
    return std::unexpected(std::make_error_code(std::errc::invalid_argument));
  auto peer = PeerPool::map(from_client[0].get(), trust_->pool->size(), memory, words,
                            std::move(from_client[1]));
  if (!peer) return std::unexpected(peer.error());
  peer_ = std::move(*peer);
  return {};
}

}  // namespace perigee::transport::shared_memory
