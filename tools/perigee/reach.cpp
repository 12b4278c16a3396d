// Kinds of addresses (RFC 1918, 3927, 4193, 4291, 6598, 6890), and causes of errors.
#include "reach.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>

namespace perigee::tool {

namespace {

struct Network4 {
  std::uint32_t address;
  unsigned bits;
  std::string_view remark;
};

constexpr std::array networks4{
    Network4{0x00000000, 8,
             "is not the address of a host: a server must publish an address that clients can use"},
    Network4{0x7f000000, 8,
             "is the loopback address: on another host it leads to that host itself"},
    Network4{0x0a000000, 8, "is a private address: only hosts in its own network reach it"},
    Network4{0xac100000, 12, "is a private address: only hosts in its own network reach it"},
    Network4{0xc0a80000, 16, "is a private address: only hosts in its own network reach it"},
    Network4{0x64400000, 10,
             "is a private address of a provider (RFC 6598): hosts outside do not reach it"},
    Network4{0xa9fe0000, 16, "is a link-local address: only hosts on the same link reach it"},
    Network4{0xe0000000, 4, "is a multicast address: connections to it are impossible"},
};

std::string_view remark_on(const in_addr& address) {
  const std::uint32_t value = ntohl(address.s_addr);
  for (const Network4& network : networks4)
    if ((value ^ network.address) >> (32 - network.bits) == 0) return network.remark;
  return {};
}

std::string_view remark_on(const in6_addr& address) {
  if (IN6_IS_ADDR_UNSPECIFIED(&address)) return networks4[0].remark;
  if (IN6_IS_ADDR_LOOPBACK(&address)) return networks4[1].remark;
  if (IN6_IS_ADDR_LINKLOCAL(&address))
    return "is a link-local address: it needs the name of the interface at its end, like %eth0";
  if ((address.s6_addr[0] & 0xfe) == 0xfc)
    return "is a private address: only hosts in its own network reach it";
  if (IN6_IS_ADDR_MULTICAST(&address))
    return "is a multicast address: connections to it are impossible";
  return {};
}

std::string_view remark_on_name(std::string_view host) {
  if (host == "localhost") return networks4[1].remark;
  if (host.find('.') == std::string_view::npos)
    return "is a name without a domain: other hosts may not know it, or give it to another host";
  return {};
}

std::string_view likely_cause(const IoError& error) {
  if (error.kind == IoErrorKind::timed_out)
    return "no answer: the host is down, or a firewall drops the packets";
  if (error.operation == IoOperation::resolve)
    return "this host does not know the name: check ?publish= of the server, and the resolver";
  if (error.endpoint.find("-ORBUiopTrust") != std::string::npos)
    return "to trust the socket, name its user and its folder: -ORBUiopTrust "
           "own,root,<user>,/<folder>, or `uiop.trust` in a configuration file";
  if (error.code == ECONNREFUSED && error.endpoint.starts_with("uiop:"))
    return "no program listens at this file: the server has stopped, or the file is not a socket";
  switch (error.code) {
    case ECONNREFUSED:
      return "the host answers, but no program listens at this port: the server is not running, or "
             "uses another port";
    case ENETUNREACH:
    case EHOSTUNREACH:
      return "this host has no route to the address";
    case ETIMEDOUT:
      return "no answer: the host is down, or a firewall drops the packets";
    case EACCES:
    case EPERM:
      return "this user has no permission: check the permissions of the socket file, and the "
             "firewall";
    case ENOENT:
      return "the socket does not exist: the server is not running, or runs on another host";
    default:
      return {};
  }
}

}  // namespace

std::string remark_on_host(std::string_view host) {
  std::string name(host);
  if (const std::size_t scope = name.find('%'); scope != std::string::npos) name.erase(scope);
  std::string_view remark;
  in_addr address4{};
  in6_addr address6{};
  if (host.empty())
    return "the address has no host";
  else if (inet_pton(AF_INET, name.c_str(), &address4) == 1)
    remark = remark_on(address4);
  else if (inet_pton(AF_INET6, name.c_str(), &address6) == 1)
    remark = remark_on(address6);
  else
    remark = remark_on_name(host);
  return remark.empty() ? std::string() : std::string(host) + " " + std::string(remark);
}

std::string explain(const IoError& error) {
  std::string text = to_string(error);
  if (const std::string_view cause = likely_cause(error); !cause.empty())
    text.append("; ").append(cause);
  return text;
}

}  // namespace perigee::tool
