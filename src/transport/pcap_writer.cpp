// Packets as tcpdump would have written them: pcap with nanoseconds, link type Ethernet.
#include "transport/pcap_writer.h"

#include <algorithm>
#include <bit>
#include <chrono>

namespace perigee::transport {
namespace {

constexpr std::size_t ethernet_size = 14;
constexpr std::size_t ip_size = 20;
constexpr std::size_t tcp_size = 20;
constexpr std::size_t headers_size = ethernet_size + ip_size + tcp_size;
/// The 16-bit length of an IPv4 packet, without the headers.
constexpr std::size_t payload_size_max = 65535 - ip_size - tcp_size;

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
  packet_.assign(headers_size, std::byte{0});
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
  packet_.assign(headers_size, std::byte{0});
  const auto flush_packet = [&] {
    const std::size_t size = packet_.size() - headers_size;
    if (size == 0) return;
    packet(conversation, from, flag_ack | flag_push);
    sender.next += static_cast<std::uint32_t>(size);
    packet_.resize(headers_size);
  };
  for (OctetSpan segment : segments) {
    segment = segment.first(std::min(segment.size(), count));
    count -= segment.size();
    while (!segment.empty()) {
      const std::size_t room = headers_size + payload_size_max - packet_.size();
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
  packet_.assign(headers_size, std::byte{0});
  packet(conversation, from, flag_fin | flag_ack);
  ++sender.next;
  file_.flush();
}

void PcapWriter::flush() noexcept {
  const std::scoped_lock lock(mutex_);
  file_.flush();
}

/// Writes the packet whose payload is in place.
void PcapWriter::packet(Conversation& conversation, From from, std::uint8_t flags) {
  put_header(conversation.party(from), conversation.other(from), flags);
  put_checksums();
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

void PcapWriter::put_header(const Conversation::Party& sender, const Conversation::Party& receiver,
                            std::uint8_t flags) {
  // Ethernet: locally administered addresses that end in the IPv4 addresses.
  put(0, 0x0200, 2);
  put(2, receiver.address, 4);
  put(6, 0x0200, 2);
  put(8, sender.address, 4);
  put(12, 0x0800, 2);  // IPv4
  // RFC 791, 3.1.
  constexpr std::size_t ip = ethernet_size;
  put(ip, 0x4500, 2);  // version 4, five words
  put(ip + 2, static_cast<std::uint32_t>(packet_.size() - ethernet_size), 2);
  put(ip + 4, 0, 2);       // identification
  put(ip + 6, 0x4000, 2);  // do not fragment
  put(ip + 8, 64, 1);      // time to live
  put(ip + 9, 6, 1);       // TCP
  put(ip + 12, sender.address, 4);
  put(ip + 16, receiver.address, 4);
  // RFC 9293, 3.1.
  constexpr std::size_t tcp = ip + ip_size;
  put(tcp, sender.port, 2);
  put(tcp + 2, receiver.port, 2);
  put(tcp + 4, sender.next, 4);
  put(tcp + 8, (flags & flag_ack) != 0 ? receiver.next : 0, 4);
  put(tcp + 12, 0x50, 1);  // five words
  put(tcp + 13, flags, 1);
  put(tcp + 14, 0xffff, 2);  // window
  put(tcp + 18, 0, 2);       // urgent pointer
}

void PcapWriter::put_checksums() {
  constexpr std::size_t ip = ethernet_size;
  constexpr std::size_t tcp = ip + ip_size;
  const OctetSpan all(packet_);
  put(ip + 10, 0, 2);
  put(ip + 10, checksum(sum_words(all.subspan(ip, ip_size), 0)), 2);
  // The pseudo-header: both addresses, the protocol, the size of header and payload.
  const OctetSpan segment = all.subspan(tcp);
  std::uint32_t sum = sum_words(all.subspan(ip + 12, 8), 0);
  sum += 6 + static_cast<std::uint32_t>(segment.size());
  put(tcp + 16, 0, 2);
  put(tcp + 16, checksum(sum_words(segment, sum)), 2);
}

}  // namespace perigee::transport
