// Records the octets of transports in a pcap file, as if they had been captured from an Ethernet,
// for tshark and its kin. A decorator: needs no rights, and sees inside what a network shows
// encrypted.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <string>

namespace perigee::transport {

/// One capture file for any number of transports. Any thread.
class PERIGEE_API PcapFile {
 public:
  /// Who opened a connection: this side, or the peer.
  enum class Side : std::uint8_t { connected, accepted };

  virtual ~PcapFile() = default;
  /// Wraps `inner`: what passes through the result is recorded as a TCP conversation of its own.
  /// The file must outlive the transport.
  [[nodiscard]] virtual std::unique_ptr<Transport> record(std::unique_ptr<Transport> inner,
                                                          Side side) = 0;
  /// Writes out what is buffered. The destructor does it too.
  virtual void flush() noexcept = 0;
};

/// Begins a file, in place of one that was there.
PERIGEE_API std::expected<std::unique_ptr<PcapFile>, IoError> make_pcap_file(
    const std::string& path);

/// Wraps a protocol: every transport that it makes is recorded. The file must outlive it.
PERIGEE_API std::unique_ptr<ProtocolFactory> record_protocol(std::unique_ptr<ProtocolFactory> inner,
                                                             PcapFile& file);

}  // namespace perigee::transport
