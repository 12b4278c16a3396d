// Checks the declarations of system_calls.h against those of the C library.
#include <perigee/ipc/system_calls.h>

#include <sys/socket.h>
#include <unistd.h>

#include <type_traits>

namespace perigee::ipc::system {
namespace {

static_assert(no_signal == MSG_NOSIGNAL && whole_size == MSG_TRUNC);

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

}  // namespace
}  // namespace perigee::ipc::system
