// Maps the names of socket options to level and number.
#include "ipc/native_time.h"
#include <perigee/ipc/io.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace perigee::ipc::io {
namespace {

enum class Shape : std::uint8_t {
  number,
  time,
  linger,
  pipe,
  traffic_class,
  mcast,
  mcast_interface
};
struct NativeOption {
  int level;
  int number;
  Shape shape = Shape::number;
  int v6_number = 0;  ///< at level IPPROTO_IPV6, if IPv6 has its own number
};

NativeOption native_option(OptionName name) noexcept {
  switch (name) {
    case OptionName::no_delay:
      return {IPPROTO_TCP, TCP_NODELAY};
    case OptionName::quick_ack:
      return {IPPROTO_TCP, TCP_QUICKACK};
    case OptionName::keep_alive:
      return {SOL_SOCKET, SO_KEEPALIVE};
    case OptionName::dont_route:
      return {SOL_SOCKET, SO_DONTROUTE};
    case OptionName::traffic_class:
      return {IPPROTO_IP, IP_TOS, Shape::traffic_class, IPV6_TCLASS};
    case OptionName::reuse_address:
      return {SOL_SOCKET, SO_REUSEADDR};
    case OptionName::reuse_port:
      return {SOL_SOCKET, SO_REUSEPORT};
    case OptionName::v6_only:
      return {IPPROTO_IPV6, IPV6_V6ONLY};
    case OptionName::send_buffer:
      return {SOL_SOCKET, SO_SNDBUF};
    case OptionName::receive_buffer:
      return {SOL_SOCKET, SO_RCVBUF};
    case OptionName::send_timeout:
      return {SOL_SOCKET, SO_SNDTIMEO, Shape::time};
    case OptionName::receive_timeout:
      return {SOL_SOCKET, SO_RCVTIMEO, Shape::time};
    case OptionName::linger:
      return {SOL_SOCKET, SO_LINGER, Shape::linger};
    case OptionName::pipe_capacity:
      return {0, 0, Shape::pipe};
    case OptionName::mcast_hops:
      return {IPPROTO_IP, IP_MULTICAST_TTL, Shape::mcast, IPV6_MULTICAST_HOPS};
    case OptionName::mcast_loop:
      return {IPPROTO_IP, IP_MULTICAST_LOOP, Shape::mcast, IPV6_MULTICAST_LOOP};
    case OptionName::mcast_interface:
      return {IPPROTO_IP, IP_MULTICAST_IF, Shape::mcast_interface, IPV6_MULTICAST_IF};
  }
  return {};
}

int to_int(std::int64_t value) noexcept {
  return static_cast<int>(std::clamp<std::int64_t>(value, std::numeric_limits<int>::min(),
                                                   std::numeric_limits<int>::max()));
}

template <typename Value>
Status set_native(int fd, const NativeOption& option, const Value& value) {
  if (::setsockopt(fd, option.level, option.number, &value, sizeof(value)) == 0) return {};
  return std::unexpected(std::error_code(errno, std::system_category()));
}

template <typename Value>
Result<Value> get_native(int fd, const NativeOption& option) {
  Value value{};
  socklen_t size = sizeof(value);
  if (::getsockopt(fd, option.level, option.number, &value, &size) == 0) return value;
  return std::unexpected(std::error_code(errno, std::system_category()));
}

/// Some options have one number for IPv4 and another for IPv6.
Result<NativeOption> of_domain(int fd, const NativeOption& option) {
  const auto domain = get_native<int>(fd, {SOL_SOCKET, SO_DOMAIN});
  if (!domain) return std::unexpected(domain.error());
  if (*domain == AF_INET6) return NativeOption{IPPROTO_IPV6, option.v6_number};
  return option;
}

Status set_mcast(int fd, const NativeOption& any_version, std::int64_t value) {
  const auto option = of_domain(fd, any_version);
  if (!option) return std::unexpected(option.error());
  if (option->shape == Shape::mcast_interface) {
    ip_mreqn request{};
    request.imr_ifindex = to_int(value);
    return set_native(fd, *option, request);
  }
  return set_native(fd, *option, to_int(value));
}

// An IPv6 socket may carry IPv4, which has its own option.
Status set_traffic_class(int fd, const NativeOption& v4, std::int64_t value) {
  const auto option = of_domain(fd, v4);
  if (!option) return std::unexpected(option.error());
  if (option->level == IPPROTO_IPV6) (void)set_native(fd, v4, to_int(value));
  return set_native(fd, *option, to_int(value));
}

}  // namespace

Status set_option(int fd, OptionName name, std::int64_t value) {
  const auto option = native_option(name);
  switch (option.shape) {
    case Shape::time:
      return set_native(
          fd, option,
          timeval{to_seconds(value / 1'000'000), static_cast<suseconds_t>(value % 1'000'000)});
    case Shape::linger:
      return set_native(fd, option, linger{value >= 0, to_int(value)});
    case Shape::pipe:
      if (::fcntl(fd, F_SETPIPE_SZ, to_int(value)) != -1) return {};
      return std::unexpected(std::error_code(errno, std::system_category()));
    case Shape::traffic_class:
      return set_traffic_class(fd, option, value);
    case Shape::mcast:
    case Shape::mcast_interface:
      return set_mcast(fd, option, value);
    case Shape::number:
      break;
  }
  return set_native(fd, option, to_int(value));
}

Result<std::int64_t> get_option(int fd, OptionName name) {
  auto option = native_option(name);
  if (option.shape == Shape::mcast || option.shape == Shape::traffic_class) {
    const auto known = of_domain(fd, option);
    if (!known) return std::unexpected(known.error());
    option = *known;
  }
  if (option.shape == Shape::time) {
    const auto value = get_native<timeval>(fd, option);
    if (!value) return std::unexpected(value.error());
    return std::int64_t{value->tv_sec} * 1'000'000 + value->tv_usec;
  }
  if (option.shape == Shape::linger) {
    const auto value = get_native<linger>(fd, option);
    if (!value) return std::unexpected(value.error());
    return value->l_onoff != 0 ? value->l_linger : -1;
  }
  if (option.shape == Shape::pipe) {
    const int size = ::fcntl(fd, F_GETPIPE_SZ);
    if (size != -1) return size;
    return std::unexpected(std::error_code(errno, std::system_category()));
  }
  const auto value = get_native<int>(fd, option);
  if (!value) return std::unexpected(value.error());
  return *value;
}

}  // namespace perigee::ipc::io
