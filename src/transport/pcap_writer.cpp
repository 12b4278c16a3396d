// Packets as tcpdump would have written them: pcap with nanoseconds, link type Ethernet.
#include "transport/pcap_writer.h"

#include <algorithm>
#include <bit>
#include <chrono>

namespace perigee::transport {
namespace {

constexpr std::size_t ethernet_size = 14;
constexpr std::size_t ipv4_size = 20;
constexpr std::size_t ipv6_size = 40;
constexpr std::size_t ipv4_address_size = 4;
constexpr std::size_t ipv6_address_size = 16;
constexpr std::size_t tcp_size = 20;
/// The 16-bit length of an IPv4 packet, without the headers. IPv6 would allow 20 octets more.
constexpr std::size_t payload_size_max = 65535 - ipv4_size - tcp_size;

constexpr std::size_t tcp_position(bool is_ipv6) noexcept {
  return ethernet_size + (is_ipv6 ? ipv6_size : ipv4_size);
}

std::size_t headers_size(const Conversation& conversation) noexcept {
  return tcp_position(conversation.is_ipv6()) + tcp_size;
}

constexpr std::uint8_t flag_fin = 0x01;
constexpr std::uint8_t flag_syn = 0x02;
constexpr std::uint8_t flag_push = 0x08;
constexpr std::uint8_t flag_ack = 0x10;

/// File and record headers are in the writer's byte order, by definition of the format.
template <typename... Words>
void write_words(std::ofstream& file, Words... words) {
  const std::array<std::uint32_t, sizeof...(Words)> all{static_cast<std::uint32_t>(words)...};
  file.write(reinterpret_cast<const char*>(all.data()), sizeof(all));
}

/// RFC 1071, without the final complement: octets as 16-bit big-endian words.
std::uint32_t sum_words(OctetSpan octets, std::uint32_t sum) noexcept {
  for (std::size_t index = 0; index < octets.size(); ++index) {
    const auto octet = std::to_integer<std::uint32_t>(octets[index]);
    sum += index % 2 == 0 ? octet << 8 : octet;
    if (sum >= 0x8000'0000) sum = (sum & 0xffff) + (sum >> 16);
  }
  return sum;
}

std::uint32_t checksum(std::uint32_t sum) noexcept {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

}  // namespace

PcapWriter::PcapWriter(const std::string& path) : file_(path, std::ios::binary | std::ios::trunc) {
  constexpr std::uint32_t magic_nanoseconds = 0xa1b23c4d;
  constexpr std::uint32_t version =
      std::endian::native == std::endian::little ? 0x0004'0002 : 0x0002'0004;
  constexpr std::uint32_t link_type_ethernet = 1;
  constexpr std::uint32_t snap_size = 262144;
  write_words(file_, magic_nanoseconds, version, 0, 0, snap_size, link_type_ethernet);
}

void PcapWriter::open(Conversation& conversation) {
  const std::scoped_lock lock(mutex_);
  packet_.assign(headers_size(conversation), std::byte{0});
  packet(conversation, From::client, flag_syn);
  ++conversation.client.next;
  packet(conversation, From::server, flag_syn | flag_ack);
  ++conversation.server.next;
  packet(conversation, From::client, flag_ack);
  file_.flush();
}

void PcapWriter::data(Conversation& conversation, From from, std::span<const OctetSpan> segments,
                      std::size_t count) {
  const std::scoped_lock lock(mutex_);
  auto& sender = conversation.party(from);
  const std::size_t payload_position = headers_size(conversation);
  packet_.assign(payload_position, std::byte{0});
  const auto flush_packet = [&] {
    const std::size_t size = packet_.size() - payload_position;
    if (size == 0) return;
    packet(conversation, from, flag_ack | flag_push);
    sender.next += static_cast<std::uint32_t>(size);
    packet_.resize(payload_position);
  };
  for (OctetSpan segment : segments) {
    segment = segment.first(std::min(segment.size(), count));
    count -= segment.size();
    while (!segment.empty()) {
      const std::size_t room = payload_position + payload_size_max - packet_.size();
      const OctetSpan part = segment.first(std::min(room, segment.size()));
      packet_.insert(packet_.end(), part.begin(), part.end());
      segment = segment.subspan(part.size());
      if (part.size() == room) flush_packet();
    }
  }
  flush_packet();
  file_.flush();
}

void PcapWriter::finish(Conversation& conversation, From from) {
  const std::scoped_lock lock(mutex_);
  auto& sender = conversation.party(from);
  if (sender.finished) return;
  sender.finished = true;
  packet_.assign(headers_size(conversation), std::byte{0});
  packet(conversation, from, flag_fin | flag_ack);
  ++sender.next;
  file_.flush();
}

void PcapWriter::flush() noexcept {
  const std::scoped_lock lock(mutex_);
  file_.flush();
}

/// Completes the headers of `packet_`, which has its payload already, and writes it.
void PcapWriter::packet(Conversation& conversation, From from, std::uint8_t flags) {
  const Conversation::Party& sender = conversation.party(from);
  const Conversation::Party& receiver = conversation.other(from);
  put_ethernet(sender.name, receiver.name);
  if (conversation.is_ipv6())
    put_ipv6(sender.name, receiver.name);
  else
    put_ipv4(sender.name, receiver.name);
  put_tcp(sender, receiver, flags);
  put_tcp_checksum(conversation.is_ipv6());
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now);
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now - seconds);
  write_words(file_, seconds.count(), ns.count(), packet_.size(), packet_.size());
  file_.write(reinterpret_cast<const char*>(packet_.data()),
              static_cast<std::streamsize>(packet_.size()));
}

void PcapWriter::put(std::size_t position, std::uint32_t value, std::size_t size) {
  for (std::size_t index = size; index-- > 0; value >>= 8) {
    packet_[position + index] = static_cast<std::byte>(value);
  }
}

void PcapWriter::put_address(std::size_t position, const IpName& name, std::size_t size) {
  std::copy_n(name.address.begin(), size, packet_.begin() + static_cast<std::ptrdiff_t>(position));
}

/// Locally administered addresses that end in the first four octets of the IP addresses.
void PcapWriter::put_ethernet(const IpName& sender, const IpName& receiver) {
  put(0, 0x0200, 2);
  put_address(2, receiver, 4);
  put(6, 0x0200, 2);
  put_address(8, sender, 4);
  put(12, sender.is_ipv6 ? 0x86dd : 0x0800, 2);
}

/// RFC 791, 3.1.
void PcapWriter::put_ipv4(const IpName& sender, const IpName& receiver) {
  constexpr std::size_t ip = ethernet_size;
  put(ip, 0x4500, 2);  // version 4, five words
  put(ip + 2, static_cast<std::uint32_t>(packet_.size() - ip), 2);
  put(ip + 4, 0, 2);       // identification
  put(ip + 6, 0x4000, 2);  // do not fragment
  put(ip + 8, 64, 1);      // time to live
  put(ip + 9, 6, 1);       // TCP
  put_address(ip + 12, sender, ipv4_address_size);
  put_address(ip + 16, receiver, ipv4_address_size);
  put(ip + 10, 0, 2);
  put(ip + 10, checksum(sum_words(OctetSpan(packet_).subspan(ip, ipv4_size), 0)), 2);
}

/// RFC 8200, 3.
void PcapWriter::put_ipv6(const IpName& sender, const IpName& receiver) {
  constexpr std::size_t ip = ethernet_size;
  put(ip, 0x6000'0000, 4);  // version 6, no traffic class, no flow label
  put(ip + 4, static_cast<std::uint32_t>(packet_.size() - ip - ipv6_size), 2);
  put(ip + 6, 6, 1);   // TCP
  put(ip + 7, 64, 1);  // hop limit
  put_address(ip + 8, sender, ipv6_address_size);
  put_address(ip + 24, receiver, ipv6_address_size);
}

/// RFC 9293, 3.1.
void PcapWriter::put_tcp(const Conversation::Party& sender, const Conversation::Party& receiver,
                         std::uint8_t flags) {
  const std::size_t tcp = tcp_position(sender.name.is_ipv6);
  put(tcp, sender.name.port, 2);
  put(tcp + 2, receiver.name.port, 2);
  put(tcp + 4, sender.next, 4);
  put(tcp + 8, (flags & flag_ack) != 0 ? receiver.next : 0, 4);
  put(tcp + 12, 0x50, 1);  // five words
  put(tcp + 13, flags, 1);
  put(tcp + 14, 0xffff, 2);  // window
  put(tcp + 18, 0, 2);       // urgent pointer
}

/// The sum includes a pseudo-header: both addresses, the protocol, the size of header and payload.
void PcapWriter::put_tcp_checksum(bool is_ipv6) {
  const std::size_t tcp = tcp_position(is_ipv6);
  const std::size_t addresses_size = 2 * (is_ipv6 ? ipv6_address_size : ipv4_address_size);
  put(tcp + 16, 0, 2);
  const OctetSpan all(packet_);
  const OctetSpan segment = all.subspan(tcp);
  std::uint32_t sum = sum_words(all.subspan(tcp - addresses_size, addresses_size), 0);
  sum += 6 + static_cast<std::uint32_t>(segment.size());
  put(tcp + 16, checksum(sum_words(segment, sum)), 2);
}

}  // namespace perigee::transport
