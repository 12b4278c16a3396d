// The system's resolver and list of interfaces.
#include "ipc/native_address.h"
#include <perigee/ipc/resolver.h>

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace perigee::ipc {
namespace {

class ResolverCategory final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "resolver"; }
  [[nodiscard]] std::string message(int code) const override { return gai_strerror(code); }
};

std::optional<InetAddr> from_any(const sockaddr* native) {
  if (native == nullptr) return std::nullopt;
  // The family says which type the octets have.
  if (native->sa_family == AF_INET) {
    return from_native(*reinterpret_cast<const sockaddr_in*>(native));
  }
  if (native->sa_family == AF_INET6) {
    return from_native(*reinterpret_cast<const sockaddr_in6*>(native));
  }
  return std::nullopt;
}

std::vector<InetAddr> addresses_in(const addrinfo* list, std::uint16_t port) {
  std::vector<InetAddr> addresses;
  for (; list != nullptr; list = list->ai_next) {
    const auto address = from_any(list->ai_addr);
    if (!address) continue;
    const auto with_port = address->with_port(port);
    if (std::ranges::find(addresses, with_port) == addresses.end()) addresses.push_back(with_port);
  }
  return addresses;
}

}  // namespace

const std::error_category& resolver_category() noexcept {
  static const ResolverCategory category;
  return category;
}

Result<std::vector<InetAddr>> resolve(std::string_view host, std::uint16_t port) {
  if (const auto numeric = InetAddr::parse_host(host, port)) return std::vector{*numeric};
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(std::string(host).c_str(), nullptr, &hints, &list);
  if (error == EAI_SYSTEM) return std::unexpected(std::error_code(errno, std::system_category()));
  if (error != 0) return std::unexpected(std::error_code(error, resolver_category()));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  auto addresses = addresses_in(list, port);
  if (addresses.empty()) return std::unexpected(std::error_code(EAI_NONAME, resolver_category()));
  return addresses;
}

Result<std::vector<InetAddr>> resolve(std::string_view host_and_port) {
  const auto parts = split_host_port(host_and_port);
  if (!parts || !parts->port || parts->host.empty()) {
    return std::unexpected(std::make_error_code(std::errc::invalid_argument));
  }
  return resolve(parts->host, *parts->port);
}

Result<std::vector<InetAddr>> interface_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) == -1) {
    return std::unexpected(std::error_code(errno, std::system_category()));
  }
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  std::vector<InetAddr> addresses;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if ((entry->ifa_flags & IFF_UP) == 0) continue;
    if (const auto address = from_any(entry->ifa_addr)) addresses.push_back(*address);
  }
  return addresses;
}

InetAddr primary_address() {
  const auto addresses = interface_addresses();
  if (!addresses) return InetAddr::loopback();
  for (const auto version : {InetAddr::Version::v4, InetAddr::Version::v6}) {
    for (const auto& address : *addresses) {
      const bool reachable =
          !address.is_loopback() && !address.is_link_local() && !address.is_any();
      if (reachable && address.version() == version) return address;
    }
  }
  return InetAddr::loopback();
}

}  // namespace perigee::ipc
