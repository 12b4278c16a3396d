// The properties of a protocol's connections, from policies: numbers by name. A protocol takes the
// names that it knows and ignores others, so a new protocol can add names without a change here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace perigee::transport {

/// Names that the protocols of Perigee know. Sizes are in octets; switches are 0 or 1.
namespace property {
inline constexpr std::string_view send_buffer_size = "send_buffer_size";
inline constexpr std::string_view receive_buffer_size = "receive_buffer_size";
inline constexpr std::string_view no_delay = "no_delay";      ///< small segments leave at once
inline constexpr std::string_view keep_alive = "keep_alive";  ///< a silent peer is probed
inline constexpr std::string_view dont_route = "dont_route";  ///< direct neighbours only
inline constexpr std::string_view share_port = "share_port";  ///< needed for Acceptor::shard
inline constexpr std::string_view dscp = "dscp";  ///< class of service, RFC 2474: 0 to 63
/// 0: certificates of servers are not verified (TLS).
inline constexpr std::string_view tls_verify = "tls_verify";
}  // namespace property

/// Numbers by name. Calls with different properties do not share a connection.
class Properties {
 public:
  void set(std::string_view name, std::int64_t value) {
    values_.insert_or_assign(std::string(name), value);
  }
  [[nodiscard]] std::optional<std::int64_t> find(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    return found->second;
  }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }

  friend bool operator==(const Properties&, const Properties&) = default;
  friend auto operator<=>(const Properties&, const Properties&) = default;

 private:
  std::map<std::string, std::int64_t, std::less<>> values_;
};

}  // namespace perigee::transport
