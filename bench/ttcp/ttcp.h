// `perigee bench ttcp`: a stream of buffers from a transmitter to a receiver, over C sockets, the
// typed wrappers, and oneway calls of ORBs.
#pragma once

#include "harness/claims.h"
#include "harness/statistics.h"
#include "versions.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

class Page;

struct TtcpOptions {
  std::size_t rounds = 20;                // as in the paper
  std::size_t volume = 64 * 1024 * 1024;  ///< octets of a transfer
  std::size_t buffers_max = 65'536;       ///< of a transfer; limits a transfer of small buffers
  std::vector<std::size_t> sizes{1,         1024,      2 * 1024,  4 * 1024,  8 * 1024,
                                 16 * 1024, 32 * 1024, 64 * 1024, 128 * 1024};
  std::vector<std::size_t> queue_sizes{0, 8 * 1024, 64 * 1024};  ///< 0: the system's default
  std::vector<std::string> versions;                             ///< only these, and their floors
  bool split = false;    ///< transmitter and receiver on two CPUs instead of one
  std::string strategy;  ///< thread strategy of ORB receivers; empty: the default
  std::vector<std::string> profile_tools{"perf", "strace", "callgrind"};  ///< of --profile
  std::string omniorb_program;
  std::string iceoryx_program;
};

/// The results of one version with one size of buffers, over all rounds.
struct TtcpCell {
  std::size_t count = 0;      ///< buffers of a transfer
  std::size_t octets = 0;     ///< of a transfer
  double octets_per_s = 0;    ///< median
  double cpu_ns = 0;          ///< per buffer, both sides, median
  double page_faults = 0;     ///< per buffer, both sides, median; only receivers on this machine
  Estimate throughput_ratio;  ///< ratio to the floor in the same round
  Estimate cpu_ratio;         ///< the same for the CPU time per buffer
  double lost_share = 0;      ///< of the octets; median; only datagrams can be lost
};

/// Two measured versions: ratios in the same round.
struct TtcpCompared {
  Comparison comparison;
  Estimate throughput;
  Estimate cpu;  ///< of the CPU time per buffer
};

struct TtcpTable {
  std::size_t queue_size = 0;
  std::map<std::size_t, std::map<std::string, TtcpCell>> cells;  ///< by buffer size, then version
  std::map<std::size_t, std::vector<TtcpCompared>> compared;     ///< by buffer size
};

struct TtcpReport {
  TtcpOptions options;
  std::string receiver_host;  ///< empty: this host
  std::vector<TtcpVersion> versions;
  std::vector<TtcpTable> tables;
  std::vector<Claim> claims = {};  ///< see claims_of()
  /// The reasons why versions were not measured, by version.
  std::map<std::string, std::string> absent = {};
};

/// Starts a receiver on this or another machine. Null: the version does not exist there.
using StartReceiver =
    std::function<std::unique_ptr<TtcpReceiver>(const TtcpVersion&, std::size_t queue_size)>;

/// Runs the experiment on this machine. Versions take turns, in an order that rotates from round to
/// round.
TtcpReport run_ttcp(const TtcpOptions& options);
/// The same with the versions of `report`, and receivers from `start`.
void run_ttcp(TtcpReport& report, const StartReceiver& start);

/// The goals for which the report has measurements.
std::vector<Claim> claims_of(const TtcpReport& report);

/// The versions that the options choose.
std::vector<TtcpVersion> chosen_versions(const TtcpOptions& options);
/// The versions of --large.
std::vector<std::string> large_ttcp_versions();
std::size_t buffer_count(const TtcpOptions& options, std::size_t size);
std::string queue_text(std::size_t queue_size);
/// Says how much a transfer of small buffers carries if it carries less than the volume; else "".
std::string shortfall_text(const TtcpOptions& options);

/// The highest and the lowest throughput of a version over all sizes of buffers: the tables at the
/// end of the paper.
struct TtcpExtremes {
  std::size_t queue_size = 0;
  std::string version;
  double high_octets_per_s = 0;
  std::size_t high_size = 0;
  double low_octets_per_s = 0;
  std::size_t low_size = 0;
};
std::vector<TtcpExtremes> extremes_of(const TtcpReport& report);

std::string to_table(const TtcpReport& report);
std::string to_json(const TtcpReport& report);
std::string to_html(const TtcpReport& report);
/// Adds the contents of the page of to_html() to another page.
void add_to(Page& page, const TtcpReport& report);

/// @name Across two machines.
/// @{
struct TtcpService {
  std::uint16_t port = 0;
  std::string omniorb_program;
  bool once = false;           ///< ends after the first session with a valid request
  bool logs_to_error = false;  ///< standard output belongs to the JSON
};
/// One session of a receiving machine.
struct TtcpSession {
  struct Receiver {
    std::string version;
    std::size_t queue_size = 0;
    std::chrono::nanoseconds cpu_time{0};  ///< since the start of the receiver
  };
  std::string peer;
  std::string error;  ///< why the session has ended early; empty: the transmitter has ended it
  std::vector<Receiver> receivers;
};
struct TtcpServed {
  std::uint16_t port = 0;
  std::vector<TtcpSession> sessions;
};
/// Starts receivers for transmitters that connect to the port, one session after another. Calls
/// `after_session` after each session.
void serve_ttcp(const TtcpService& service,
                const std::function<void(const TtcpServed&)>& after_session);
std::string to_json(const TtcpServed& served);
std::string to_html(const TtcpServed& served);
/// The experiment with the receivers of another machine, over TCP.
TtcpReport run_ttcp(const TtcpOptions& options, const std::string& host, std::uint16_t port);
/// @}

/// Adds the command of the experiment, and its roles, to `perigee bench`.
void add_ttcp_command(CLI::App& bench);

}  // namespace perigee::bench
