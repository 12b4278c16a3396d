// Sizes of the queues of stream sockets. Private to the transports that use such sockets.
#pragma once

#include <perigee/ipc/options.h>
#include <perigee/ipc/result.h>
#include <perigee/transport/properties.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace perigee::transport {

/// The sizes of a socket's queues, in octets; 0: the system's default.
struct StreamQueues {
  std::uint32_t send_size = 0;
  std::uint32_t receive_size = 0;
};

/// The sizes in the properties, otherwise `otherwise`.
inline StreamQueues queues_of(const Properties& properties, StreamQueues otherwise = {}) {
  const auto size = [&properties](std::string_view name, std::uint32_t none) {
    const auto value = properties.find(name).value_or(0);
    return value > 0 ? static_cast<std::uint32_t>(std::min<std::int64_t>(value, INT32_MAX)) : none;
  };
  return {size(property::send_buffer_size, otherwise.send_size),
          size(property::receive_buffer_size, otherwise.receive_size)};
}

template <typename Socket>
ipc::Status set_queues(Socket& socket, StreamQueues queues) {
  ipc::Status status;
  if (queues.send_size != 0) status = socket.set(ipc::SendBuffer{queues.send_size});
  if (status && queues.receive_size != 0)
    status = socket.set(ipc::ReceiveBuffer{queues.receive_size});
  return status;
}

}  // namespace perigee::transport
