// The network interfaces of this host, by which broadcasts and multicasts leave and arrive.
#pragma once

#include <perigee/base/export.h>
#include <perigee/ipc/result.h>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::ipc {

/// One network interface, or `any`: the system chooses one.
class Interface {
 public:
  [[nodiscard]] static constexpr Interface any() noexcept { return Interface(0); }
  /// By the system's index.
  [[nodiscard]] static constexpr Interface of_index(std::uint32_t index) noexcept {
    return Interface(index);
  }
  /// By its name, "eth0". Errors: `no_such_device`.
  [[nodiscard]] PERIGEE_API static Result<Interface> named(std::string_view name);

  [[nodiscard]] constexpr std::uint32_t index() const noexcept { return index_; }
  friend constexpr auto operator<=>(const Interface&, const Interface&) = default;

 private:
  constexpr explicit Interface(std::uint32_t index) noexcept : index_(index) {}
  std::uint32_t index_;
};

/// The name, "any", or "#7" if the interface does not exist (any longer).
PERIGEE_API std::string to_string(const Interface& interface);

/// The properties of an interface at this moment.
struct InterfaceInfo {
  Interface interface = Interface::any();
  std::string name;
  bool is_up = false;
  bool has_broadcast = false;  ///< can broadcast, and has an IPv4 address, which broadcasts need
  bool has_multicast = false;
};
/// All interfaces of this host, in the system's order.
PERIGEE_API Result<std::vector<InterfaceInfo>> interfaces();

}  // namespace perigee::ipc
