// Reads the recorder's files, and checks each packet like a strict receiver.
#pragma once

#include <perigee/base/octets.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace perigee::test {

struct CapturedPacket {
  Octets source;  ///< 4 octets of IPv4, or 16 of IPv6
  Octets destination;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledged = 0;
  std::uint8_t flags = 0;
  Octets payload;
  bool sums_right = false;  ///< lengths and both checksums
};

class PcapReader {
 public:
  explicit PcapReader(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto octets = std::as_bytes(std::span(text));
    octets_.assign(octets.begin(), octets.end());
  }
  /// Magic, version and link type of a nanosecond Ethernet capture.
  [[nodiscard]] bool header_right() const {
    return octets_.size() >= 24 && native(0, 4) == 0xa1b23c4d && native(4, 2) == 2 &&
           native(6, 2) == 4 && native(20, 4) == 1;
  }
  [[nodiscard]] std::vector<CapturedPacket> packets() const {
    std::vector<CapturedPacket> result;
    for (std::size_t position = 24; position + 16 <= octets_.size();) {
      const std::size_t size = native(position + 8, 4);
      result.push_back(packet(OctetSpan(octets_).subspan(position + 16, size)));
      position += 16 + size;
    }
    return result;
  }

 private:
  [[nodiscard]] std::size_t native(std::size_t position, std::size_t size) const {
    std::uint32_t value = 0;
    std::memcpy(&value, octets_.data() + position, size);
    return std::endian::native == std::endian::little ? value : value >> (32 - 8 * size);
  }
  static std::uint32_t big(OctetSpan octets, std::size_t position, std::size_t size) {
    std::uint32_t value = 0;
    for (const auto octet : octets.subspan(position, size)) {
      value = value << 8 | std::to_integer<std::uint32_t>(octet);
    }
    return value;
  }
  /// RFC 1071: over a header with its checksum in place, the sum is all ones.
  static bool sum_right(Octets octets) {
    if (octets.size() % 2 != 0) octets.push_back({});
    std::uint64_t sum = 0;
    for (std::size_t index = 0; index < octets.size(); index += 2) sum += big(octets, index, 2);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return sum == 0xffff;
  }
  static CapturedPacket packet(OctetSpan frame) {
    const bool is_ipv6 = big(frame, 12, 2) == 0x86dd;
    const std::size_t address_size = is_ipv6 ? 16 : 4;
    const std::size_t tcp_position = 14 + (is_ipv6 ? 40 : 20);
    const auto ip = frame.subspan(14);
    const auto tcp = frame.subspan(tcp_position);
    const auto addresses = frame.subspan(tcp_position - 2 * address_size, 2 * address_size);
    CapturedPacket result{{addresses.begin(), addresses.end() - static_cast<long>(address_size)},
                          {addresses.begin() + static_cast<long>(address_size), addresses.end()},
                          static_cast<std::uint16_t>(big(tcp, 0, 2)),
                          static_cast<std::uint16_t>(big(tcp, 2, 2)),
                          big(tcp, 4, 4),
                          big(tcp, 8, 4),
                          static_cast<std::uint8_t>(big(tcp, 13, 1)),
                          {},
                          false};
    result.payload.assign(tcp.begin() + 20, tcp.end());
    result.sums_right =
        (is_ipv6 ? ipv6_right(ip) : big(frame, 12, 2) == 0x0800 && ipv4_right(ip)) &&
        big(tcp, 12, 1) == 0x50 && tcp_right(addresses, tcp);
    return result;
  }
  static bool ipv4_right(OctetSpan ip) {
    return big(ip, 0, 1) == 0x45 && big(ip, 2, 2) == ip.size() && big(ip, 9, 1) == 6 &&
           sum_right({ip.begin(), ip.begin() + 20});
  }
  static bool ipv6_right(OctetSpan ip) {
    return big(ip, 0, 4) == 0x6000'0000 && big(ip, 4, 2) == ip.size() - 40 && big(ip, 6, 1) == 6;
  }
  static bool tcp_right(OctetSpan addresses, OctetSpan tcp) {
    Octets pseudo(addresses.begin(), addresses.end());
    for (const auto size = tcp.size();
         const auto value : {std::size_t{0}, std::size_t{6}, size >> 8, size & 0xff}) {
      pseudo.push_back(static_cast<std::byte>(value));
    }
    pseudo.insert(pseudo.end(), tcp.begin(), tcp.end());
    return sum_right(std::move(pseudo));
  }

  Octets octets_;
};

/// The packets of one side of a conversation.
using Flow = std::pair<Octets, Octets>;  // source, destination

/// The octets of each flow, joined; `in_order` is false if a sequence number is not the next.
struct Reassembled {
  std::map<Flow, Octets> octets;
  bool in_order = true;
};

[[nodiscard]] inline Reassembled reassemble(const std::vector<CapturedPacket>& packets) {
  Reassembled result;
  std::map<Flow, std::uint32_t> next;
  for (const auto& packet : packets) {
    const Flow flow{packet.source, packet.destination};
    if (packet.sequence != next[flow]) result.in_order = false;
    constexpr unsigned fin_or_syn = 3;
    next[flow] += static_cast<std::uint32_t>(packet.payload.size()) +
                  ((packet.flags & fin_or_syn) != 0 ? 1u : 0u);
    auto& octets = result.octets[flow];
    octets.insert(octets.end(), packet.payload.begin(), packet.payload.end());
  }
  return result;
}

}  // namespace perigee::test
