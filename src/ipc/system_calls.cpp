// Checks the declarations of system_calls.h and control_data.h against those of the C library.
#include <perigee/ipc/control_data.h>
#include <perigee/ipc/system_calls.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstddef>
#include <type_traits>

namespace perigee::ipc::system_calls {
namespace {

static_assert(no_signal == MSG_NOSIGNAL && dont_wait == MSG_DONTWAIT && whole_size == MSG_TRUNC);
static_assert(close_on_exec == MSG_CMSG_CLOEXEC);
static_assert(cut == MSG_TRUNC && control_cut == MSG_CTRUNC);

static_assert(sizeof(Vector) == sizeof(iovec) &&
              offsetof(Vector, size) == offsetof(iovec, iov_len));
static_assert(sizeof(Message) == sizeof(msghdr));
static_assert(offsetof(Message, name_size) == offsetof(msghdr, msg_namelen));
static_assert(offsetof(Message, vectors) == offsetof(msghdr, msg_iov));
static_assert(offsetof(Message, vector_count) == offsetof(msghdr, msg_iovlen));
static_assert(offsetof(Message, control) == offsetof(msghdr, msg_control));
static_assert(offsetof(Message, control_size) == offsetof(msghdr, msg_controllen));
static_assert(offsetof(Message, flags) == offsetof(msghdr, msg_flags));

static_assert(socket_level == SOL_SOCKET && handles_part == SCM_RIGHTS);
static_assert(ip_level == IPPROTO_IP && link_part == IP_PKTINFO);
static_assert(sizeof(ControlHeader) == sizeof(cmsghdr) && sizeof(ControlHeader) == CMSG_LEN(0));
static_assert(offsetof(ControlHeader, level) == offsetof(cmsghdr, cmsg_level));
static_assert(offsetof(ControlHeader, type) == offsetof(cmsghdr, cmsg_type));
static_assert(part_space(0) == CMSG_SPACE(0) && part_space(1) == CMSG_SPACE(1));
static_assert(part_space(8) == CMSG_SPACE(8) && part_space(9) == CMSG_SPACE(9));
static_assert(sizeof(HandlesControl) == CMSG_SPACE(handles_max * sizeof(int)));
static_assert(sizeof(CredentialsSpace) == CMSG_SPACE(sizeof(ucred)));
static_assert(sizeof(LinkControl) == CMSG_SPACE(sizeof(in_pktinfo)));
static_assert(LinkControl{}.header.size == CMSG_LEN(sizeof(in_pktinfo)));
static_assert(offsetof(LinkControl, index) == CMSG_LEN(offsetof(in_pktinfo, ipi_ifindex)));
static_assert(offsetof(LinkControl, from) == CMSG_LEN(offsetof(in_pktinfo, ipi_spec_dst)));
static_assert(offsetof(LinkControl, to) == CMSG_LEN(offsetof(in_pktinfo, ipi_addr)));

/// A number for the way in which a call passes a parameter. Types that are passed in the same way
/// have the same number.
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
