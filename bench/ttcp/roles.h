// The transmitters and receivers of the ttcp experiment, each a separate process. A receiver prints
// its reference, then serves one connection after another until it is killed. A transmitter
// connects to a reference and answers commands (transfer.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace perigee::bench {

/// The settings of both sides, besides the reference.
struct TtcpRole {
  std::string address;  ///< receivers: the address of this host where they listen
  /// ORBs: "octets", "octets-borrowed", "octets-buffered", "octets-linked", "string",
  /// "string-borrowed", "structs".
  std::string payload;
  std::size_t queue_size = 0;             ///< of the sockets; 0: the system's default
  std::vector<std::string> options = {};  ///< further ORB options
};

/// @name C programs: socket, send, recv. Families: "tcp", "unix" and "seqpacket".
/// @{
int run_c_receiver(const std::string& family, const TtcpRole& role);
int run_c_transmitter(const std::string& family, const std::string& reference,
                      const TtcpRole& role);
/// @}

/// @name The same over the typed wrappers. Families: "sock", "lsock", "spipe" and "uring".
/// @{
int run_wrapper_receiver(const std::string& family, const TtcpRole& role);
int run_wrapper_transmitter(const std::string& family, const std::string& reference,
                            const TtcpRole& role);
/// @}

/// @name Over named pipes, one for each direction. The reference is a folder; a receiver serves one
/// transmitter.
/// @{
enum class FifoProgram : std::uint8_t { c, wrapper };
int run_fifo_receiver(FifoProgram program, const TtcpRole& role);
int run_fifo_transmitter(FifoProgram program, const std::string& folder, const TtcpRole& role);
/// @}

/// @name Over UDP datagrams, with a TCP connection for the beginning and the end of a transfer.
/// @{
enum class UdpProgram : std::uint8_t { c, wrapper };
int run_udp_receiver(UdpProgram program, const TtcpRole& role);
int run_udp_transmitter(UdpProgram program, const std::string& reference, const TtcpRole& role);
/// @}

/// @name Oneway calls of Perigee. Families: "tcp", "unix" and "shm".
/// @{
int run_orb_receiver(const std::string& family, const TtcpRole& role);
int run_orb_transmitter(const std::string& family, const std::string& reference,
                        const TtcpRole& role);
/// @}

}  // namespace perigee::bench
