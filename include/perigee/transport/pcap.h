// Records the octets of transports in a pcap file in the form of an Ethernet capture, for tshark
// and similar programs. A decorator: it needs no privileges, and also records octets that are
// encrypted on the network.
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
  /// The side that opened a connection: this side (`connected`), or the peer (`accepted`).
  enum class Side : std::uint8_t { connected, accepted };

  virtual ~PcapFile() = default;
  /// Wraps `inner`: the octets that pass through the result are recorded as a TCP conversation of
  /// its own. The file must outlive the transport.
  [[nodiscard]] virtual std::unique_ptr<Transport> record(std::unique_ptr<Transport> inner,
                                                          Side side) = 0;
  /// Writes buffered octets to the file. The destructor does this, too.
  virtual void flush() noexcept = 0;
};

/// Makes the file, and replaces an existing one.
PERIGEE_API std::expected<std::unique_ptr<PcapFile>, IoError> make_pcap_file(
    const std::string& path);

/// Wraps a protocol: every transport that it makes is recorded. The file must outlive the protocol
/// and its transports.
PERIGEE_API std::unique_ptr<ProtocolFactory> record_protocol(std::unique_ptr<ProtocolFactory> inner,
                                                             PcapFile& file);

}  // namespace perigee::transport
