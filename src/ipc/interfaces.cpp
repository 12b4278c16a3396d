// The system's list of network interfaces.
#include "ipc/failure.h"
#include <perigee/ipc/interface.h>

#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace perigee::ipc {
namespace {

/// The entry of an interface, which the system lists once for each address.
InterfaceInfo& entry_of(std::vector<InterfaceInfo>& all, const char* name) {
  const auto found = std::ranges::find(all, name, &InterfaceInfo::name);
  if (found != all.end()) return *found;
  return all.emplace_back(InterfaceInfo{Interface::of_index(::if_nametoindex(name)), name});
}

}  // namespace

Result<Interface> Interface::named(std::string_view name) {
  const auto index = ::if_nametoindex(std::string(name).c_str());
  if (index == 0) return failure(ENODEV);
  return Interface(index);
}

std::string to_string(const Interface& interface) {
  if (interface == Interface::any()) return "any";
  char name[IF_NAMESIZE] = "";
  if (::if_indextoname(interface.index(), name) != nullptr) return name;
  return "#" + std::to_string(interface.index());
}

Result<std::vector<InterfaceInfo>> interfaces() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) == -1) return failure(errno);
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  std::vector<InterfaceInfo> all;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    InterfaceInfo& info = entry_of(all, entry->ifa_name);
    const auto has = [&](unsigned flag) { return (entry->ifa_flags & flag) != 0; };
    info.is_up = has(IFF_UP);
    info.has_multicast = has(IFF_MULTICAST);
    if (entry->ifa_addr != nullptr && entry->ifa_addr->sa_family == AF_INET) {
      info.has_broadcast = has(IFF_BROADCAST);
    }
  }
  return all;
}

}  // namespace perigee::ipc
