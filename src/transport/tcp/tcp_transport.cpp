// Transfers over one TCP connection.
#include "transport/tcp/tcp_transport.h"

#include <cerrno>

namespace perigee::transport {
namespace {

/// EAGAIN from a call that may wait: the socket's own time-out has passed.
IoResult stopped(std::size_t count, int error, Wait wait) noexcept {
  if (error != EAGAIN) return {count, IoStatus::failed, error};
  return {count, wait == Wait::yes ? IoStatus::timed_out : IoStatus::would_block, 0};
}

template <typename Option>
IoResult set_timeout(ipc::sock::Stream& stream, std::chrono::microseconds& current,
                     std::chrono::microseconds timeout) {
  if (timeout == current) return {};
  if (const auto status = stream.set(Option{timeout}); !status) {
    return {0, IoStatus::failed, status.error().value()};
  }
  current = timeout;
  return {};
}

}  // namespace

IoResult TcpTransport::send(std::span<const OctetSpan> segments, Wait wait) {
  const auto limit = wait == Wait::yes ? ipc::forever : ipc::no_wait;
  const bool one_call = wait == Wait::yes && send_timeout_.count() != 0;
  const auto sent = one_call ? ipc::io::send(stream_.handle(), segments, limit)
                             : ipc::io::send_n(stream_.handle(), segments, limit);
  if (sent.error == 0) return {sent.count, IoStatus::ok, 0};
  // Some octets went and the queue is full: a short send, which the next one finds out about.
  if (wait == Wait::no && sent.error == EAGAIN && sent.count != 0) {
    return {sent.count, IoStatus::ok, 0};
  }
  return stopped(sent.count, sent.error, wait);
}

IoResult TcpTransport::receive(MutableOctetSpan space, Wait wait) {
  const auto limit = wait == Wait::yes ? ipc::forever : ipc::no_wait;
  const auto received = ipc::io::recv(stream_.handle(), space, limit);
  if (received.error != 0) return stopped(0, received.error, wait);
  return {received.count, received.count != 0 ? IoStatus::ok : IoStatus::end_of_stream, 0};
}

IoResult TcpTransport::set_receive_timeout(std::chrono::microseconds timeout) {
  return set_timeout<ipc::ReceiveTimeout>(stream_, receive_timeout_, timeout);
}

IoResult TcpTransport::set_send_timeout(std::chrono::microseconds timeout) {
  return set_timeout<ipc::SendTimeout>(stream_, send_timeout_, timeout);
}

}  // namespace perigee::transport
