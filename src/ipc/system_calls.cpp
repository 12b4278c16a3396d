// Checks the declarations of system_calls.h against those of the C library.
#include <perigee/ipc/system_calls.h>

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstddef>
#include <type_traits>

namespace perigee::ipc::system {
namespace {

static_assert(no_signal == MSG_NOSIGNAL && whole_size == MSG_TRUNC);
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

/// Whether a call by one declaration passes what the other expects: the same registers.
template <typename A, typename B>
constexpr bool alike = std::is_pointer_v<A> == std::is_pointer_v<B> && sizeof(A) == sizeof(B) &&
                       std::is_signed_v<A> == std::is_signed_v<B>;

template <typename R, typename... A, typename S, typename... B>
constexpr bool same_call(R (*)(A...), S (*)(B...)) {
  return alike<R, S> && (alike<A, B> && ...);
}

static_assert(same_call(&perigee_system_send, &::send));
static_assert(same_call(&perigee_system_recv, &::recv));
static_assert(same_call<ssize_t, int, const void*, size_t, int, const sockaddr*, socklen_t>(
    &::sendto, &perigee_system_sendto));
static_assert(same_call<ssize_t, int, void*, size_t, int, sockaddr*, socklen_t*>(
    &::recvfrom, &perigee_system_recvfrom));
static_assert(same_call(&perigee_system_write, &::write));
static_assert(same_call(&perigee_system_read, &::read));
static_assert(same_call(&perigee_system_recvmsg, &::recvmsg));

}  // namespace
}  // namespace perigee::ipc::system
