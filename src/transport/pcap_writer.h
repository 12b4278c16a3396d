// Writes the octets of conversations as packets of a pcap file. Knows nothing of transports.
// Private to transport.
#pragma once

#include "transport/socket_names.h"
#include <perigee/base/octets.h>

#include <cstdint>
#include <fstream>
#include <mutex>
#include <span>
#include <string>

namespace perigee::transport {

/// One TCP connection of the file: the names of both sides, and the number of octets in each
/// direction. Both names have the same version of IP.
struct Conversation {
  enum class From : std::uint8_t { client, server };
  struct Party {
    IpName name;
    std::uint32_t next = 0;  ///< the sequence number of the next octet
    bool finished = false;
  };

  [[nodiscard]] Party& party(From from) noexcept { return from == From::client ? client : server; }
  [[nodiscard]] bool is_ipv6() const noexcept { return client.name.is_ipv6; }
  [[nodiscard]] Party& other(From from) noexcept { return from == From::client ? server : client; }

  Party client;
  Party server;
};

/// Writes packets: Ethernet, IP and TCP headers with correct lengths, sequence numbers and
/// checksums. When a function returns, its octets are in the file: a process that is killed loses
/// nothing. Any thread. A conversation is changed only inside these functions, under their lock.
class PcapWriter {
 public:
  explicit PcapWriter(const std::string& path);
  [[nodiscard]] bool ok() const { return file_.good(); }

  /// Writes the handshake: SYN, SYN+ACK, ACK.
  void open(Conversation& conversation);
  /// Writes the first `count` octets of the segments, in as many packets as they need.
  void data(Conversation& conversation, Conversation::From from,
            std::span<const OctetSpan> segments, std::size_t count);
  /// Writes a FIN, once for each side.
  void finish(Conversation& conversation, Conversation::From from);
  void flush() noexcept;

 private:
  using From = Conversation::From;
  void packet(Conversation& conversation, From from, std::uint8_t flags);
  void put_ethernet(const IpName& sender, const IpName& receiver);
  void put_ipv4(const IpName& sender, const IpName& receiver);
  void put_ipv6(const IpName& sender, const IpName& receiver);
  void put_tcp(const Conversation::Party& sender, const Conversation::Party& receiver,
               std::uint8_t flags);
  void put_tcp_checksum(bool is_ipv6);
  void put(std::size_t position, std::uint32_t value, std::size_t size);
  void put_address(std::size_t position, const IpName& name, std::size_t size);

  std::mutex mutex_;
  std::ofstream file_;
  Octets packet_;  ///< the packet in the making, headers included
};

}  // namespace perigee::transport
