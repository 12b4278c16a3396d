// The client makes the memory.
#include "transport/shared_memory/ring_wrapper.h"

#include <string>
#include <utility>

namespace perigee::transport::shared_memory {
ConnectionWrapper::Made RingWrapper::connected(std::unique_ptr<Transport> transport,
                                               const Endpoint& endpoint) const {
  auto made = Rings::make(ring_size_max);
  if (!made)
    return std::unexpected(IoError{IoErrorKind::system, IoOperation::create, made.error().value(),
                                   to_string(endpoint) + " (shared memory)"});
  std::string peer = outer(transport->peer());
  return std::make_unique<RingTransport>(std::move(transport), std::move(peer), shared_,
                                         std::move(*made));
}

ConnectionWrapper::Made RingWrapper::accepted(std::unique_ptr<Transport> transport) const {
  std::string peer = outer(transport->peer());
  return std::make_unique<RingTransport>(std::move(transport), std::move(peer), shared_, quota_);
}

}  // namespace perigee::transport::shared_memory
