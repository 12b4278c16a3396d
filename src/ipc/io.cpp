// Transfers: one system call each, unless the call has to wait or to be repeated.
#include "ipc/deadline.h"
#include "ipc/gather.h"
#include "ipc/native_time.h"
#include "ipc/transfer.h"
#include <perigee/ipc/io.h>

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace perigee::ipc {

void close_handle(int fd) noexcept { ::close(fd); }

Waited wait_ready(int fd, short events, const Deadline& deadline) noexcept {
  if (fd < 0) return {EBADF};  // poll would ignore it, and wait
  pollfd entry{fd, events, 0};
  for (;;) {
    timespec left{};
    if (!deadline.is_forever()) left = to_timespec(deadline.left());
    const int ready = ::ppoll(&entry, 1, deadline.is_forever() ? nullptr : &left, nullptr);
    if (ready > 0) return {0, (entry.revents & POLLHUP) != 0};
    if (ready == 0) return {deadline.is_no_wait() ? EAGAIN : ETIMEDOUT};
    if (errno != EINTR) return {errno};
  }
}

}  // namespace perigee::ipc

namespace perigee::ipc::io {
namespace {

Transfer send_message(int fd, const msghdr* message, TimeLimit limit) noexcept {
  return transfer_by_flags(fd, POLLOUT, limit,
                           [&](int flags) { return ::sendmsg(fd, message, MSG_NOSIGNAL | flags); });
}

Transfer receive_message(int fd, msghdr* message, TimeLimit limit) noexcept {
  return transfer_by_flags(fd, POLLIN, limit, [&](int flags) {
    return ::recvmsg(fd, message, MSG_CMSG_CLOEXEC | flags);
  });
}

Transfer step(int fd, Gather<OctetSpan>& gather, TimeLimit limit) noexcept {
  if (gather.is_single()) return send(fd, gather.front(), limit);
  return send_message(fd, gather.message(), limit);
}

Transfer step(int fd, Gather<MutableOctetSpan>& gather, TimeLimit limit) noexcept {
  if (gather.is_single()) return recv(fd, gather.front(), limit);
  return receive_message(fd, gather.message(), limit);
}

template <typename Segment>
Transfer transfer_exactly(int fd, std::span<const Segment> segments, TimeLimit limit) noexcept {
  return transfer_all(segments, limit, [fd](Gather<Segment>& gather, TimeLimit left) {
    return step(fd, gather, left);
  });
}

/// Goes on after the inline first call of io.h has failed. That call is made only if one call takes
/// all segments; for more segments, this function makes the first call.
template <typename Segment, typename Call>
Transfer transfer_batch(int fd, short events, TimeLimit limit, std::span<const Segment> all,
                        Call&& call) noexcept {
  if (all.size() > segments_max) return transfer_by_flags(fd, events, limit, call);
  return transfer_again(fd, events, limit, call);
}

}  // namespace

Transfer send_again(int fd, OctetSpan octets, TimeLimit limit) noexcept {
  return transfer_again(fd, POLLOUT, limit, [&](int flags) {
    return ::send(fd, octets.data(), octets.size(), MSG_NOSIGNAL | flags);
  });
}

Transfer send_again(int fd, std::span<const OctetSpan> all, TimeLimit limit) noexcept {
  const auto segments = first_batch(all);
  const system_calls::Message message{.vectors = system_calls::vectors_of(segments),
                                      .vector_count = segments.size()};
  return transfer_batch(fd, POLLOUT, limit, all, [&](int flags) {
    return system_calls::perigee_system_sendmsg(fd, &message, MSG_NOSIGNAL | flags);
  });
}

Transfer recv_again(int fd, MutableOctetSpan space, TimeLimit limit) noexcept {
  return transfer_again(fd, POLLIN, limit,
                        [&](int flags) { return ::recv(fd, space.data(), space.size(), flags); });
}

Transfer recv_again(int fd, std::span<const MutableOctetSpan> all, TimeLimit limit) noexcept {
  const auto spaces = first_batch(all);
  system_calls::Message message{.vectors = system_calls::vectors_of(spaces),
                                .vector_count = spaces.size()};
  return transfer_batch(fd, POLLIN, limit, all, [&](int flags) {
    return system_calls::perigee_system_recvmsg(fd, &message, MSG_CMSG_CLOEXEC | flags);
  });
}

Transfer send_n(int fd, std::span<const OctetSpan> segments, TimeLimit limit) noexcept {
  const bool timed = !limit.is_forever() && !limit.is_no_wait();
  if (segments.size() != 1 || timed) return transfer_exactly(fd, segments, limit);
  return send_n(fd, segments.front(), limit);
}

Transfer send_rest(int fd, OctetSpan octets, Transfer first, TimeLimit limit) noexcept {
  if (first.error != 0) return first;
  if (limit.is_no_wait()) return {first.count, EAGAIN};
  const OctetSpan rest = octets.subspan(first.count);
  Transfer more = transfer_exactly(fd, std::span<const OctetSpan>(&rest, 1), limit);
  more.count += first.count;
  return more;
}

Transfer recv_n(int fd, std::span<const MutableOctetSpan> spaces, TimeLimit limit) noexcept {
  if (spaces.size() == 1 && limit.is_forever()) {
    return transfer_single(spaces.front(),
                           [fd](MutableOctetSpan space) { return recv(fd, space, forever); });
  }
  return transfer_exactly(fd, spaces, limit);
}

}  // namespace perigee::ipc::io
