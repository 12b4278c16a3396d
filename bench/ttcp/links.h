// `perigee bench ttcp --link`: the same transfers over links of several speeds, between two network
// namespaces of this host. A slow link hides the overhead of an ORB.
#pragma once

#include "ttcp.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace perigee::bench {

/// Two network namespaces with a link between them. They end with this object, and so does the
/// link. The programs `unshare`, `nsenter`, `ip` and `tc` make them. Throws std::runtime_error with
/// the reason if one of the programs fails.
class Link {
 public:
  /// `mbit_per_s`: the rate of `tc tbf` in each direction, in 1,000,000 bits; 0: no limit.
  explicit Link(std::size_t mbit_per_s);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// The words before a command that runs it at one end.
  [[nodiscard]] std::vector<std::string> near_prefix() const;
  [[nodiscard]] std::vector<std::string> far_prefix() const;
  /// The address of the far end.
  [[nodiscard]] static std::string far_address() { return "192.0.2.2"; }

 private:
  struct Namespaces;
  std::unique_ptr<Namespaces> namespaces_;
};

/// The octets that `tc tbf` lets through at once: the octets of 4 ms, and 32 KiB or more.
std::size_t burst_of(std::size_t mbit_per_s);
/// The octets of a transfer over a link: as many as it carries in a second, at most `volume`, and
/// at least 20 bursts. `volume` over a link without a limit.
std::size_t link_volume(std::size_t volume, std::size_t mbit_per_s);

struct TtcpLink {
  std::size_t mbit_per_s = 0;  ///< 0: no limit
  TtcpReport report;           ///< without tables if the link was not measured
  std::string not_run;         ///< the reason; empty: measured
};

struct TtcpLinksReport {
  TtcpOptions options;
  std::vector<TtcpLink> links;
};

/// The versions over links, unless the user chooses others.
std::vector<std::string> link_ttcp_versions();

/// Runs the experiment over each link, with link_volume() octets a transfer. A link that this host
/// does not permit is in the report, with the reason.
TtcpLinksReport run_ttcp_links(const TtcpOptions& options,
                               const std::vector<std::size_t>& mbit_per_s);
std::string to_table(const TtcpLinksReport& report);
std::string to_json(const TtcpLinksReport& report);
std::string to_html(const TtcpLinksReport& report);

}  // namespace perigee::bench
