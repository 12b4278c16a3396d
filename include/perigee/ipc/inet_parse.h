// Numeric IPv4 and IPv6 addresses as text, parsed at compile time or run time. Looks up no names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace perigee::ipc {

/// The parts of "host:port", "[v6]:port", ":port", "host" or "[v6]". They refer to the text.
struct HostAndPort {
  std::string_view host;              ///< without brackets; may be empty
  std::optional<std::uint16_t> port;  ///< nothing if the text has no port
};

/// A decimal number up to 65535; no sign, no blanks.
[[nodiscard]] constexpr std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
  if (text.empty() || text.size() > 5) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint32_t>(c - '0');
  }
  if (value > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(value);
}

/// std::nullopt if the text has another form. An IPv6 address needs its brackets.
[[nodiscard]] constexpr std::optional<HostAndPort> split_host_port(std::string_view text) noexcept {
  HostAndPort result;
  std::string_view rest;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos || close == 1) return std::nullopt;
    result.host = text.substr(1, close - 1);
    rest = text.substr(close + 1);
  } else {
    const auto colon = text.find(':');
    result.host = text.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view{} : text.substr(colon);
  }
  if (rest.empty()) return result;
  if (rest.front() != ':') return std::nullopt;
  result.port = parse_port(rest.substr(1));
  if (!result.port) return std::nullopt;
  return result;
}

/// "a.b.c.d", each part decimal without leading zeros, which some programs would read as octal.
[[nodiscard]] constexpr std::optional<std::array<std::uint8_t, 4>> parse_ipv4(
    std::string_view text) noexcept {
  std::array<std::uint8_t, 4> octets{};
  for (std::size_t index = 0; index < 4; ++index) {
    const auto dot = text.find('.');
    if ((dot == std::string_view::npos) != (index == 3)) return std::nullopt;
    const auto part = text.substr(0, dot);
    const auto value = parse_port(part);
    if (!value || *value > 255 || (part.size() > 1 && part.front() == '0')) return std::nullopt;
    octets[index] = static_cast<std::uint8_t>(*value);
    text = index == 3 ? std::string_view{} : text.substr(dot + 1);
  }
  return octets;
}

namespace detail {

/// The groups of an IPv6 address that were parsed so far, in network order.
struct V6Groups {
  std::array<std::uint8_t, 16> octets{};
  std::size_t size = 0;  ///< octets

  constexpr bool add(std::uint32_t high, std::uint32_t low) noexcept {
    if (size + 2 > octets.size()) return false;
    octets[size++] = static_cast<std::uint8_t>(high);
    octets[size++] = static_cast<std::uint8_t>(low);
    return true;
  }
};

constexpr bool add_group(V6Groups& groups, std::string_view text) noexcept {
  if (text.empty() || text.size() > 4) return false;
  std::uint32_t value = 0;
  for (const char c : text) {
    std::uint32_t digit = 0;
    if (c >= '0' && c <= '9')
      digit = static_cast<std::uint32_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      digit = static_cast<std::uint32_t>(c - 'a') + 10;
    else if (c >= 'A' && c <= 'F')
      digit = static_cast<std::uint32_t>(c - 'A') + 10;
    else
      return false;
    value = value * 16 + digit;
  }
  return groups.add(value >> 8, value & 0xff);
}

/// Groups with ':' between them; the last may be a dotted IPv4 address if `dotted_last`.
constexpr bool add_groups(V6Groups& groups, std::string_view text, bool dotted_last) noexcept {
  while (!text.empty()) {
    const auto colon = text.find(':');
    const auto part = text.substr(0, colon);
    const bool last = colon == std::string_view::npos;
    if (last && dotted_last && part.find('.') != std::string_view::npos) {
      const auto v4 = parse_ipv4(part);
      return v4 && groups.add((*v4)[0], (*v4)[1]) && groups.add((*v4)[2], (*v4)[3]);
    }
    if (!add_group(groups, part)) return false;
    if (last) return true;
    text = text.substr(colon + 1);
    if (text.empty()) return false;  // a single ':' at the end
  }
  return true;
}

}  // namespace detail

/// RFC 4291, 2.2: all forms, without a zone.
[[nodiscard]] constexpr std::optional<std::array<std::uint8_t, 16>> parse_ipv6(
    std::string_view text) noexcept {
  detail::V6Groups head;
  const auto gap = text.find("::");
  if (gap == std::string_view::npos) {
    if (!detail::add_groups(head, text, true) || head.size != 16) return std::nullopt;
    return head.octets;
  }
  detail::V6Groups tail;
  if (!detail::add_groups(head, text.substr(0, gap), false)) return std::nullopt;
  if (!detail::add_groups(tail, text.substr(gap + 2), true)) return std::nullopt;
  if (head.size + tail.size > 14) return std::nullopt;  // the gap stands for at least one group
  for (std::size_t index = 0; index < tail.size; ++index) {
    head.octets[16 - tail.size + index] = tail.octets[index];
  }
  return head.octets;
}

}  // namespace perigee::ipc
