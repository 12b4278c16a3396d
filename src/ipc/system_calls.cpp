// Checks the declarations of system_calls.h against those of the C library.
#include <perigee/ipc/system_calls.h>

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstddef>
#include <type_traits>

namespace perigee::ipc::system_calls {
namespace {

static_assert(no_signal == MSG_NOSIGNAL && dont_wait == MSG_DONTWAIT && whole_size == MSG_TRUNC);
static_assert(close_on_exec == MSG_CMSG_CLOEXEC);

static_assert(sizeof(Vector) == sizeof(iovec) &&
              offsetof(Vector, size) == offsetof(iovec, iov_len));
static_assert(sizeof(Message) == sizeof(msghdr));
static_assert(offsetof(Message, name_size) == offsetof(msghdr, msg_namelen));
static_assert(offsetof(Message, vectors) == offsetof(msghdr, msg_iov));
static_assert(offsetof(Message, vector_count) == offsetof(msghdr, msg_iovlen));
static_assert(offsetof(Message, control) == offsetof(msghdr, msg_control));
static_assert(offsetof(Message, control_size) == offsetof(msghdr, msg_controllen));
static_assert(offsetof(Message, flags) == offsetof(msghdr, msg_flags));
static_assert(sizeof(CredentialsSpace) == CMSG_SPACE(sizeof(ucred)));

/// How a call passes a parameter: the same number for what goes in the same way.
template <typename T>
constexpr int passing() {
  if constexpr (std::is_pointer_v<T>) {
    return 0;
  } else {
    return static_cast<int>(sizeof(T)) * (std::is_signed_v<T> ? -1 : 1);
  }
}

template <typename R, typename... A, typename S, typename... B>
constexpr bool same_call(R (*)(A...), S (*)(B...)) {
  return passing<R>() == passing<S>() && ((passing<A>() == passing<B>()) && ...);
}

static_assert(same_call(&perigee_system_send, &::send));
static_assert(same_call(&perigee_system_recv, &::recv));
static_assert(same_call<ssize_t, int, const void*, size_t, int, const sockaddr*, socklen_t>(
    &::sendto, &perigee_system_sendto));
static_assert(same_call<ssize_t, int, void*, size_t, int, sockaddr*, socklen_t*>(
    &::recvfrom, &perigee_system_recvfrom));
static_assert(same_call(&perigee_system_write, &::write));
static_assert(same_call(&perigee_system_read, &::read));
static_assert(same_call(&perigee_system_sendmsg, &::sendmsg));
static_assert(same_call(&perigee_system_recvmsg, &::recvmsg));

}  // namespace
}  // namespace perigee::ipc::system_calls
