// Makes the parts that an ORB has by default.
#include "runtime/assembly.h"

#include "event/cpus.h"
#include "orb/core/orb_core.h"
#include "runtime/server_part.h"
#include "runtime/tls_part.h"
#include <perigee/giop/giop.h>
#include <perigee/orb/exceptions.h>
#include <perigee/transport/faults.h>
#include <perigee/transport/local.h>
#include <perigee/transport/pcap.h>
#include <perigee/transport/shared_memory.h>
#include <perigee/transport/tcp.h>
#include <perigee/transport/udp.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace perigee::runtime {

namespace {

constexpr std::string_view tls_scheme = "ssliop";

/// Raises INITIALIZE. `place`: the place of the failed value in the configuration.
[[noreturn]] void raise_initialize(const IoError& error, const std::string& place) {
  throw CORBA::INITIALIZE(0, CORBA::COMPLETED_NO, to_string(error) + place);
}

std::shared_ptr<transport::PcapFile> open_pcap_file(const std::string& path,
                                                    const orb::Settings& settings) {
  if (path.empty()) return nullptr;
  auto file = transport::make_pcap_file(path);
  if (!file) raise_initialize(file.error(), settings.place_of(path));
  return std::move(*file);
}

// The recorder gets the octets that the ORB sees, including injected faults.
std::unique_ptr<transport::ProtocolFactory> decorate(
    std::unique_ptr<transport::ProtocolFactory> protocol,
    const std::optional<transport::RandomFaults>& faults, transport::PcapFile* recorder) {
  if (faults)
    protocol = transport::inject_faults(std::move(protocol),
                                        {.script = transport::random_faults(*faults)});
  if (recorder != nullptr) protocol = transport::record_protocol(std::move(protocol), *recorder);
  return protocol;
}

/// The value of a row in a configuration file: "brief/tcp".
std::string text_of(const transport::SchemeRow& row) { return row.messaging + '/' + row.transport; }

// Whether the ORB may use the protocol of this scheme. If TLS is required, -ORBTlsPlainSchemes must
// name the scheme.
bool is_allowed(const Configuration& configuration, std::string_view scheme) {
  if (configuration.tls.use != TlsUse::required) return true;
  const auto& schemes = configuration.tls.plain_schemes;
  return std::ranges::find(schemes, scheme) != schemes.end();
}

// Sequences are not linked if the ORB records or disturbs the octets of connections: these octets
// do not contain linked sequences.
bool links_sequences(const Configuration& configuration) {
  return configuration.shared_memory_trust && configuration.pcap_file.empty() &&
         !configuration.faults;
}

// TLS comes first: if a reference has several addresses, the client tries them in this order.
transport::ProtocolFactories built_in_protocols(const Configuration& configuration,
                                                const std::shared_ptr<LazyPool>& pool) {
  transport::ProtocolFactories protocols;
  if (configuration.tls.use != TlsUse::no) {
    auto tls =
        make_tls(configuration.tls.options, transport::make_tcp_protocol(configuration.tcp_queues));
    if (!tls) raise_initialize(tls.error(), "");
    protocols.push_back(std::move(*tls));
  }
  if (is_allowed(configuration, "iiop"))
    protocols.push_back(transport::make_tcp_protocol(configuration.tcp_queues));
  if (is_allowed(configuration, "uiop"))
    protocols.push_back(transport::make_local_protocol(configuration.local_trust));
  if (is_allowed(configuration, "shmiop"))
    protocols.push_back(transport::make_shared_memory_protocol(
        transport::make_local_protocol(configuration.local_trust),
        configuration.shared_memory_connections_max,
        links_sequences(configuration) ? pool : nullptr));
  if (is_allowed(configuration, "diop")) protocols.push_back(transport::make_udp_protocol());
  return protocols;
}

std::unique_ptr<transport::ProtocolRegistry> make_protocols(
    const Configuration& configuration, const messaging::MessagingProtocol& own_messages,
    const std::shared_ptr<LazyPool>& pool, transport::PcapFile* recorder) {
  auto registry = std::make_unique<transport::ProtocolRegistry>(
      configuration.limits, [faults = configuration.faults, recorder](auto protocol) {
        return decorate(std::move(protocol), faults, recorder);
      });
  registry->set_own_messaging(own_messages);
  if (const auto added = registry->add(built_in_protocols(configuration, pool)); !added)
    raise_initialize(added.error(), "");
  for (const std::string& library : configuration.protocol_libraries)
    if (const auto loaded = registry->load(library); !loaded)
      raise_initialize(loaded.error(), configuration.settings.place_of(library));
  for (const transport::SchemeRow& row : configuration.schemes)
    if (const auto added = registry->add_scheme(row); !added)
      raise_initialize(added.error(), configuration.settings.place_of(text_of(row)));
  return registry;
}

// A pure client has no server part, so it cannot do what these options ask for.
void refuse_options_of_servers(const Configuration& configuration) {
  const char* const option = !configuration.metrics_endpoint.empty() ? "-ORBMetricsEndpoint"
                             : configuration.administration          ? "-ORBAdministration"
                                                                     : nullptr;
  if (option != nullptr)
    throw CORBA::INITIALIZE(0, CORBA::COMPLETED_NO,
                            std::string(option) +
                                " needs libperigee_server: link the program with Perigee::perigee "
                                "(pkg-config: perigee)");
}

// An option of TLS, or an endpoint of TLS, turns TLS on.
TlsUse chosen_tls_use(const Configuration& configuration) {
  if (configuration.tls.use != TlsUse::automatic) return configuration.tls.use;
  const bool listens = std::ranges::any_of(
      configuration.settings.listen_endpoints,
      [](const transport::Endpoint& endpoint) { return endpoint.scheme == tls_scheme; });
  return configuration.tls.is_configured || listens ? TlsUse::allowed : TlsUse::no;
}

}  // namespace

std::shared_ptr<orb::OrbCore> assemble(Configuration configuration) {
  configuration.tls.use = chosen_tls_use(configuration);
  if (configuration.log_level) log::set_level(*configuration.log_level);
  // A server without configured endpoints listens on all interfaces, at a port that the system
  // chooses.
  if (configuration.settings.listen_endpoints.empty())
    configuration.settings.listen_endpoints.push_back(
        {configuration.tls.use == TlsUse::required ? std::string(tls_scheme) : "iiop", ""});
  // A server with an endpoint of iiop also listens for its own host. If TLS is required, there is
  // no such endpoint, so ssliop takes the place of iiop. -ORBTlsPlainSchemes only allows protocols
  // without TLS. Without -ORBLocalTransports, the server opens no endpoint of such a protocol for
  // its own host.
  if (configuration.tls.use == TlsUse::required) {
    configuration.settings.local_transports_beside = tls_scheme;
    if (!configuration.chooses_local_transports) configuration.settings.local_transports.clear();
  }
  if (configuration.settings.threads == 0) configuration.settings.threads = event::usable_cpus();
  auto recorder = open_pcap_file(configuration.pcap_file, configuration.settings);
  auto messages = giop::make_giop(configuration.limits);
  auto pool = std::make_shared<LazyPool>(configuration.shared_pool_size);
  auto protocols = make_protocols(configuration, *messages, pool, recorder.get());
  auto core = std::make_shared<orb::OrbCore>(
      orb::CoreParts{.settings = std::move(configuration.settings),
                     .protocols = std::move(protocols),
                     .messaging = std::move(messages),
                     .kept = std::move(recorder),
                     .shared_pool_source = [pool = std::move(pool)] { return pool->get(); }});
  if (&install_server != nullptr)
    install_server(*core, configuration);
  else
    refuse_options_of_servers(configuration);
  return core;
}

}  // namespace perigee::runtime
