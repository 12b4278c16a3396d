// Sending and receiving, and what errors mean.
#include "board_transport.h"

#include <cerrno>

namespace board {

using perigee::IoResult;
using perigee::IoStatus;
using perigee::transport::Wait;

namespace {

perigee::ipc::TimeLimit limit_of(std::chrono::microseconds timeout) {
  return timeout.count() == 0 ? perigee::ipc::forever : perigee::ipc::TimeLimit(timeout);
}

IoResult stopped(std::size_t count, const std::error_code& error) {
  if (error == std::errc::timed_out) return {count, IoStatus::timed_out, 0};
  if (error.value() == EAGAIN) return {count, IoStatus::would_block, 0};
  return {count, IoStatus::failed, error.value()};
}

}  // namespace

IoResult BoardTransport::send(std::span<const perigee::OctetSpan> segments, Wait wait) {
  std::size_t count = 0;
  const auto limit = wait == Wait::yes ? send_limit_ : perigee::ipc::no_wait;
  const auto sent = stream_.send_n(segments, limit, count);
  if (sent) return {count, IoStatus::ok, 0};
  const IoResult result = stopped(count, sent.error());
  // Only a part was sent in time: the result is a short send. The next send returns the reason.
  if (count != 0 && result.status != IoStatus::failed) return {count, IoStatus::ok, 0};
  return result;
}

IoResult BoardTransport::receive(perigee::MutableOctetSpan space, Wait wait) {
  const auto received =
      stream_.recv(space, wait == Wait::yes ? receive_limit_ : perigee::ipc::no_wait);
  if (!received) return stopped(0, received.error());
  if (received->end_of_stream()) return {0, IoStatus::end_of_stream, 0};
  return {received->count(), IoStatus::ok, 0};
}

IoResult BoardTransport::set_receive_timeout(std::chrono::microseconds timeout) {
  receive_limit_ = limit_of(timeout);
  return {};
}

IoResult BoardTransport::set_send_timeout(std::chrono::microseconds timeout) {
  send_limit_ = limit_of(timeout);
  return {};
}

}  // namespace board
