// The versions that the ttcp experiment compares, and the command lines that start their processes.
#pragma once

#include "harness/comparison.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace perigee::bench {

enum class TtcpGroup { tcp, udp, local };

/// One way to carry the data: the command lines of a receiver and a transmitter. In them, {QUEUE}
/// stands for the queues' size, {ADDRESS} (or {HOST}, in the form of URLs) for the receiver's
/// address, and {REF} for its reference.
struct TtcpVersion {
  std::string name;
  std::string floor;  ///< the C version that it is compared with
  TtcpGroup group = TtcpGroup::tcp;
  std::vector<std::string> receiver;
  std::vector<std::string> transmitter;
  enum class Program { c, perigee, omniorb, iceoryx };
  Program program = Program::c;
  bool carries_structs = false;
  bool loses_buffers = false;       ///< datagrams
  bool keeps_records = false;       ///< a buffer must fit the queue as a whole
  std::size_t size_max = SIZE_MAX;  ///< of a buffer

  [[nodiscard]] bool can_carry(std::size_t size, std::size_t queue_size) const;
  /// The octets that are sent for a buffer of `size`. If the data are structs: only whole structs.
  [[nodiscard]] std::size_t payload_size(std::size_t size) const;
};

/// All versions of this build. The first is the C version over TCP; "null" is the same again.
/// Peers whose programs are empty are left out.
std::vector<TtcpVersion> ttcp_versions(const std::string& omniorb_program,
                                       const std::string& iceoryx_program = {});

/// Further ORB options. Perigee's roles get the names of options without "-ORB", because the
/// command line of `perigee` would take such options itself. Messages above the default limits need
/// larger limits.
struct TtcpOrbOptions {
  std::string strategy;  ///< of Perigee's receivers; empty: the default
  std::size_t buffer_size_max = 0;
};
void add_orb_options(TtcpVersion& version, const TtcpOrbOptions& options);

/// The comparisons: buffered oneway calls with unbuffered ones, Perigee with omniORB, and Perigee
/// through shared memory with C over TCP and with iceoryx.
const std::vector<Comparison>& ttcp_comparisons();

/// A running receiver, on this machine or another.
class TtcpReceiver {
 public:
  virtual ~TtcpReceiver() = default;
  /// The reference for transmitters.
  [[nodiscard]] virtual std::string reference() const = 0;
  [[nodiscard]] virtual std::chrono::nanoseconds cpu_time() = 0;
  /// The page faults so far; 0 on another machine.
  [[nodiscard]] virtual std::uint64_t page_faults() { return 0; }
};

struct TtcpPlace {
  std::string address = "127.0.0.1";  ///< of this host, where the receiver listens
  std::size_t queue_size = 0;         ///< 0: the system's
  int cpu = -1;
};

std::vector<std::string> receiver_command(const TtcpVersion& version, const TtcpPlace& place);
std::vector<std::string> transmitter_command(const TtcpVersion& version,
                                             const std::string& reference, std::size_t queue_size);

std::unique_ptr<TtcpReceiver> start_receiver(const TtcpVersion& version, const TtcpPlace& place);

}  // namespace perigee::bench
