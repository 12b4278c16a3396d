// All values that options and configuration files can set on an ORB.
#pragma once

#include "orb/context/settings.h"
#include "poa/limits.h"
#include <perigee/base/log.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/faults.h>
#include <perigee/transport/local.h>
#include <perigee/transport/registry.h>
#include <perigee/transport/shared_memory.h>
#include <perigee/transport/tcp.h>
#include <perigee/transport/tls.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace perigee::runtime {

/// How the ORB uses TLS. `automatic`: `allowed` if one of TlsSettings::options is set, or if the
/// ORB listens at an address of TLS; otherwise `no`.
enum class TlsUse : std::uint8_t { automatic, no, allowed, required };

/// The options of TLS. Those of the protocol itself are in `options`.
struct TlsSettings {
  TlsUse use = TlsUse::automatic;
  bool is_configured = false;              ///< one of `options` is set
  std::vector<std::string> plain_schemes;  ///< may be used although TLS is required
  transport::TlsOptions options;
};

struct Configuration {
  /// A server with an iiop endpoint also listens for its own host: -ORBLocalTransports auto.
  orb::Settings settings{.local_transports = {"shmiop", "uiop"}};
  bool chooses_local_transports = false;  ///< -ORBLocalTransports is given
  messaging::Limits limits;
  poa::AdapterLimits adapter_limits;
  std::uint32_t threads_per_connection_max = 32;  ///< accepted and ignored
  std::optional<log::Level> log_level;
  std::optional<transport::Endpoint> administration;  ///< the socket file of -ORBAdministration
  std::string metrics_endpoint;  ///< host and port of the page of metrics; empty: there is none
  std::vector<std::string> metrics_hosts;       ///< host names by which clients may reach the page
  std::vector<std::string> protocol_libraries;  ///< plug-ins, in the order of loading
  std::vector<transport::SchemeRow> schemes;    ///< added after the plug-ins are loaded
  transport::TcpQueues tcp_queues;
  transport::LocalTrust local_trust;
  std::uint32_t shared_memory_connections_max = transport::shared_memory_connections_max_default;
  bool shared_memory_trust = false;                           ///< sequences pass to peers as links
  std::uint32_t shared_pool_size = std::uint32_t{256} << 20;  ///< octets
  TlsSettings tls;
  std::string pcap_file;    ///< empty: nothing is recorded
  std::string config_file;  ///< from the command line; empty: PERIGEE_CONFIG, if that is set
  std::optional<transport::RandomFaults> faults;  ///< for all connections; to test programs
};

}  // namespace perigee::runtime
