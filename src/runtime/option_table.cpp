// The rows of the table, in groups, and the handlers of options that are not plain numbers.
#include "runtime/option_table.h"

#include "runtime/option_values.h"
#include <perigee/cdr/code_set_registry.h>
#include <perigee/ipc/inet_parse.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::runtime {

namespace {

using orb::Settings;

void set_config_file(Configuration& configuration, const std::string& value) {
  configuration.config_file = value;
}

void set_id(Configuration& configuration, const std::string& value) {
  configuration.settings.orb_id = value;
}

void add_initial_reference(Configuration& configuration, const std::string& value) {
  const std::size_t equals = value.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == value.size())
    throw BadValue{
        "<name>=<reference> is needed, like NameService=corbaloc::host:2809/NameService"};
  configuration.settings.initial_references.emplace_back(value.substr(0, equals),
                                                         value.substr(equals + 1));
}

void set_default_initial_reference(Configuration& configuration, const std::string& value) {
  configuration.settings.default_initial_reference = value;
}

// The option may be given several times. A value may list several endpoints, with semicolons
// between.
void add_listen_endpoints(Configuration& configuration, const std::string& value) {
  for (std::size_t start = 0; start <= value.size();) {
    const std::size_t end = std::min(value.find(';', start), value.size());
    const auto endpoint = transport::parse_endpoint(value.substr(start, end - start));
    if (!endpoint) throw BadValue{"<scheme>://<address> is needed, like iiop://host:2809"};
    configuration.settings.listen_endpoints.push_back(*endpoint);
    start = end + 1;
  }
}

void add_protocol_library(Configuration& configuration, const std::string& value) {
  if (value.empty()) throw BadValue{"the path of a shared library is needed"};
  configuration.protocol_libraries.push_back(value);
}

void add_scheme(Configuration& configuration, const std::string& value) {
  const std::size_t equals = value.find('=');
  const std::size_t slash = value.find('/', equals == std::string::npos ? 0 : equals);
  const bool complete = equals != std::string::npos && equals != 0 && slash != std::string::npos &&
                        slash != equals + 1 && slash + 1 != value.size();
  if (!complete)
    throw BadValue{"<scheme>=<messages>/<transport> is needed, like brief-tcp=brief/tcp"};
  transport::SchemeRow row{value.substr(0, equals), value.substr(equals + 1, slash - equals - 1),
                           value.substr(slash + 1)};
  // The command line comes before the file.
  const auto known =
      std::ranges::find(configuration.schemes, row.scheme, &transport::SchemeRow::scheme);
  if (known == configuration.schemes.end()) configuration.schemes.push_back(std::move(row));
}

// A program that can open the file can make the server load any library. So only the server's own
// user may open it.
void set_administration(Configuration& configuration, const std::string& value) {
  auto endpoint = transport::parse_endpoint(value);
  const bool is_file = endpoint && endpoint->scheme == "uiop" && endpoint->address.starts_with('/');
  if (!is_file || endpoint->address.find('?') != std::string::npos)
    throw BadValue{"the path of a socket file is needed, like uiop:///run/bank/administration"};
  configuration.administration = std::move(*endpoint);
}

void set_thread_strategy(Configuration& configuration, const std::string& value) {
  constexpr std::pair<std::string_view, orb::ThreadStrategy> strategies[] = {
      {"auto", orb::ThreadStrategy::automatic},
      {"thread-per-connection", orb::ThreadStrategy::thread_per_connection},
      {"reactive", orb::ThreadStrategy::reactive},
      {"thread-pool", orb::ThreadStrategy::thread_pool},
      {"reactor-per-core", orb::ThreadStrategy::reactor_per_core}};
  configuration.settings.thread_strategy = parse_name(value, strategies);
}

void set_poller(Configuration& configuration, const std::string& value) {
  constexpr std::pair<std::string_view, engine::PollerKind> pollers[] = {
      {"epoll", engine::PollerKind::epoll}, {"uring", engine::PollerKind::uring}};
  configuration.settings.poller = parse_name(value, pollers);
}

void set_giop_version(Configuration& configuration, const std::string& value) {
  constexpr std::pair<std::string_view, messaging::Version> versions[] = {
      {"1.0", {1, 0}}, {"1.1", {1, 1}}, {"1.2", {1, 2}}};
  configuration.settings.version_max = parse_name(value, versions);
}

bool parse_answer(const std::string& value) {
  constexpr std::pair<std::string_view, bool> answers[] = {{"yes", true}, {"no", false}};
  return parse_name(value, answers);
}

void set_giop_lite(Configuration& configuration, const std::string& value) {
  configuration.settings.giop_lite = parse_answer(value);
}

void set_offer_bidirectional(Configuration& configuration, const std::string& value) {
  configuration.settings.offer_bidirectional = parse_answer(value);
}

void set_accept_bidirectional(Configuration& configuration, const std::string& value) {
  configuration.settings.accept_bidirectional = parse_answer(value);
}

cdr::CharSet parse_char_set(const std::string& value) {
  if (const auto set = cdr::parse_char_set(value)) return *set;
  throw BadValue{"UTF-8, US-ASCII or ISO-8859-<part> is needed"};
}

void set_native_char_code_set(Configuration& configuration, const std::string& value) {
  configuration.settings.code_sets.native_char = parse_char_set(value);
}

void set_default_char_code_set(Configuration& configuration, const std::string& value) {
  configuration.settings.code_sets.default_char = parse_char_set(value);
}

void set_default_wchar_code_set(Configuration& configuration, const std::string& value) {
  const auto set = cdr::parse_wide_set(value);
  if (!set) throw BadValue{"UTF-16, UCS-2 or UCS-4 is needed"};
  configuration.settings.code_sets.default_wide = set;
}

void set_accept_shards(Configuration& configuration, const std::string& value) {
  configuration.settings.accept_shards = parse_answer(value);
}

void set_uiop_trust(Configuration& configuration, const std::string& value) {
  auto trust = transport::parse_local_trust(value);
  if (!trust) throw BadValue{trust.error()};
  configuration.local_trust = std::move(*trust);
}

// The limit of all requests in a reactive server, and of the threads that wait for one POAManager.
void set_held_requests_max(Configuration& configuration, const std::string& value) {
  configuration.settings.held_requests_max = parse_number(value, std::uint32_t{0});
  configuration.adapter_limits.holding_requests_max = configuration.settings.held_requests_max;
}

// Accepted, since configurations of earlier versions contain it.
void ignore_threads_per_connection_max(Configuration& configuration, const std::string& value) {
  configuration.threads_per_connection_max = parse_number(value, std::uint32_t{1});
  log::write(
      log::Level::warning, "orb",
      "-ORBThreadsPerConnectionMax is ignored: the thread strategy limits the threads of all "
      "connections together; remove the option");
}

std::string show_threads_per_connection_max(const Configuration& configuration) {
  return std::to_string(configuration.threads_per_connection_max);
}

void set_trace_level(Configuration& configuration, const std::string& value) {
  constexpr std::pair<std::string_view, log::Level> levels[] = {
      {"trace", log::Level::trace},     {"debug", log::Level::debug}, {"info", log::Level::info},
      {"warning", log::Level::warning}, {"error", log::Level::error}, {"off", log::Level::off}};
  configuration.log_level = parse_name(value, levels);
}

void set_measure_latencies(Configuration& configuration, const std::string& value) {
  configuration.settings.measure_latencies = parse_answer(value);
}

// A collector of metrics also needs the latencies, so they are measured.
void set_metrics_endpoint(Configuration& configuration, const std::string& value) {
  const auto address = ipc::split_host_port(value);
  if (!address || !address->port) throw BadValue{"<host>:<port> or :<port> is needed"};
  configuration.metrics_endpoint = value;
  configuration.settings.measure_latencies = true;
}

void set_faults(Configuration& configuration, const std::string& value) {
  const auto faults = transport::parse_random_faults(value);
  if (!faults) throw BadValue{"like seed=1,reset=0.01 is needed, not " + faults.error().endpoint};
  configuration.faults = *faults;
}

void set_pcap_file(Configuration& configuration, const std::string& value) {
  configuration.pcap_file = value;
}

using enum ValueKind;

constexpr std::string_view milliseconds = "<milliseconds>";
constexpr std::string_view octets = "<octets>";
constexpr std::string_view number_of = "<number>";
constexpr std::uint32_t size_min = 1024;  // of messages and fragments

// The rows of the documents are checked against this table, too: see docs/limits.md.
constexpr Option options[] = {
    {"ConfigFile", "", none, "<file.toml>", "values for these options; the command line wins",
     set_config_file},
    {"id", "orb.id", text, "<name>", "the name of the ORB", set_id},
    {"InitRef", "initial_references", named_texts, "<name>=<reference>",
     "what resolve_initial_references gives for a name", add_initial_reference},
    {"DefaultInitRef", "orb.default_initial_reference", text, "<reference prefix>",
     "put before /<name> for all other names", set_default_initial_reference},
    {"ListenEndpoints", "server.listen", texts, "<scheme>://<address>[;...]",
     "where a server listens", add_listen_endpoints},
    {"ProtocolLibrary", "protocols.load", texts, "<library.so>",
     "a plug-in with protocols; may come several times", add_protocol_library},
    {"Scheme", "schemes", named_texts, "<scheme>=<messages>/<transport>",
     "pairs messages with a transport; may come several times", add_scheme},
    {"Administration", "server.administration", text, "uiop:///<path>",
     "where its own user may load protocols while it runs", set_administration},
    {"ThreadStrategy", "server.thread_strategy", text,
     "auto|thread-per-connection|thread-pool|reactor-per-core|reactive",
     "how the threads of a server share connections", set_thread_strategy},
    number_option<&Settings::threads, 0>("Threads", "server.threads", number_of,
                                         "of a server; 0: one per CPU"),
    number_option<&Settings::busy_poll, 0>(
        "BusyPoll", "server.busy_poll_us", "<microseconds>",
        "that threads look for messages before they sleep; 0: they sleep at once"),
    {"Poller", "server.poller", text, "epoll|uring",
     "how the loops of a server ask the system for events", set_poller},
    {"AcceptShards", "server.accept_shards", text, "yes|no",
     "with reactor-per-core, each loop accepts connections by itself", set_accept_shards},
    {"GiopVersion", "protocol.giop_version", text, "1.0|1.1|1.2", "the highest that is spoken",
     set_giop_version},
    {"GiopLite", "protocol.giop_lite", text, "yes|no",
     "shorter headers between two Perigee peers that both say yes", set_giop_lite},
    {"OfferBidirectional", "protocol.offer_bidirectional", text, "yes|no",
     "servers may call objects of this ORB over the connections that it opens",
     set_offer_bidirectional},
    {"AcceptBidirectional", "protocol.accept_bidirectional", text, "yes|no",
     "calls objects of clients over the connections that they offer", set_accept_bidirectional},
    {"NativeCharCodeSet", "code_sets.native_char", text, "UTF-8|US-ASCII|ISO-8859-<part>",
     "what char and std::string are in", set_native_char_code_set},
    {"DefaultCharCodeSet", "code_sets.default_char", text, "UTF-8|US-ASCII|ISO-8859-<part>",
     "of peers that do not say", set_default_char_code_set},
    {"DefaultWcharCodeSet", "code_sets.default_wchar", text, "UTF-16|UCS-2|UCS-4",
     "of peers that do not say", set_default_wchar_code_set},
    number_option<&transport::TcpQueues::send_size, 0>(
        "TcpSendQueue", "tcp.send_queue", octets,
        "of a connection's send queue in the system; 0: the system adapts it"),
    number_option<&transport::TcpQueues::receive_size, 0>(
        "TcpReceiveQueue", "tcp.receive_queue", octets,
        "of a connection's receive queue in the system; 0: the system adapts it"),
    {"UiopTrust", "uiop.trust", text, "own|root|<user>|all|/<folder>|@<prefix>[,...]",
     "who may listen at UNIX-domain sockets that a client uses, and where", set_uiop_trust},

    number_option<&messaging::Limits::fragment_size, size_min>(
        "FragmentSize", "protocol.fragment_size", octets,
        "from which messages of GIOP 1.2 are cut"),
    number_option<&messaging::Limits::message_size_max, size_min>(
        "MessageSizeMax", "limits.message_size_max", octets,
        "of a message, its fragments together"),
    number_option<&messaging::Limits::fragments_max>("FragmentsMax", "limits.fragments_max",
                                                     number_of, "of one message"),
    number_option<&messaging::Limits::partial_messages_max>(
        "PartialMessagesMax", "limits.partial_messages_max", number_of,
        "of fragmented messages in progress on a connection"),
    number_option<&messaging::Limits::partial_size_max, size_min>(
        "PartialSizeMax", "limits.partial_size_max", octets,
        "of all fragmented messages in progress on a connection"),
    number_option<&Settings::unfinished_size_max, size_min>(
        "UnfinishedSizeMax", "limits.unfinished_size_max", octets,
        "of messages of which a part has arrived, on all connections"),
    number_option<&Settings::unsent_size_max, size_min>(
        "UnsentSizeMax", "limits.unsent_size_max", octets,
        "of messages that wait for their peers, on all connections"),
    number_option<&Settings::storage_cache_size_max, 0>(
        "StorageCacheSizeMax", "limits.storage_cache_size_max", octets,
        "of memory that is kept for the next large messages, and one larger; 0: none"),
    number_option<&Settings::pace_octets_per_second, 0>(
        "Pace", "limits.pace", "<octets per second>",
        "that a message has to arrive at, on average; 0: no limit"),
    number_option<&messaging::Limits::service_contexts_max, 0>(
        "ServiceContextsMax", "limits.service_contexts_max", number_of, "of a message"),
    number_option<&cdr::Limits::depth_max>("ValueDepthMax", "limits.value_depth_max", number_of,
                                           "of values inside each other"),
    number_option<&cdr::Limits::objects_max>("ValueObjectsMax", "limits.value_objects_max",
                                             number_of,
                                             "of references, anys and TypeCodes in a message"),
    number_option<&iop::IorLimits::profiles_max>("ProfilesMax", "limits.profiles_max", number_of,
                                                 "of a reference"),
    number_option<&iop::IorLimits::ior_string_size_max, size_min>(
        "IorStringSizeMax", "limits.ior_string_size_max", "<characters>", "of an IOR: string"),
    number_option<&Settings::write_queue_size_max, size_min>(
        "SendQueueSizeMax", "limits.send_queue_size_max", octets,
        "that wait for a peer that does not read"),

    number_option<&Settings::connections_per_endpoint_max>(
        "ConnectionsPerEndpointMax", "limits.connections_per_endpoint_max", number_of,
        "of a client to a server; then callers share"),
    number_option<&Settings::requests_in_flight_max>(
        "RequestsInFlightMax", "limits.requests_in_flight_max", number_of,
        "of asynchronous calls on a connection; then another one is made"),
    number_option<&Settings::connecting_threads_max>(
        "ConnectingThreadsMax", "limits.connecting_threads_max", number_of,
        "of threads that look up names for asynchronous calls"),
    number_option<&Settings::handler_calls_max>("HandlerCallsMax", "limits.handler_calls_max",
                                                number_of,
                                                "of calls of reply handlers in other processes"),
    number_option<&Settings::handler_calls_size_max>("HandlerCallsSizeMax",
                                                     "limits.handler_calls_size_max", octets,
                                                     "of results that these calls pass on"),
    number_option<&Settings::endpoints_max>("EndpointsMax", "limits.endpoints_max", number_of,
                                            "that a client remembers"),
    number_option<&Settings::targets_max>("TargetsMax", "limits.targets_max", number_of,
                                          "of addresses of a reference that are tried"),
    number_option<&Settings::forward_hops_max, 0>("ForwardHopsMax", "limits.forward_hops_max",
                                                  number_of, "of location forwards in one call"),
    number_option<&Settings::forwards_remembered_max, 0>(
        "ForwardsRememberedMax", "limits.forwards_remembered_max", number_of, "by a reference"),

    number_option<&Settings::server_connections_max>(
        "ServerConnectionsMax", "limits.server_connections_max", number_of, "of a server"),
    number_option<&Settings::requests_max>("RequestsMax", "limits.requests_max", number_of,
                                           "of requests in progress in a server"),
    number_option<&Settings::requests_per_connection_max>(
        "RequestsPerConnectionMax", "limits.requests_per_connection_max", number_of,
        "of requests in progress on a connection"),
    number_option<&Settings::listen_points_max>(
        "ListenPointsMax", "limits.listen_points_max", number_of,
        "of addresses that a client may announce on a connection"),
    {"ThreadsPerConnectionMax", "limits.threads_per_connection_max", number, number_of,
     "ignored: the thread strategy limits the threads of all connections together",
     ignore_threads_per_connection_max, show_threads_per_connection_max},
    {"HeldRequestsMax", "limits.held_requests_max", number, number_of,
     "of requests that wait for a POAManager", set_held_requests_max,
     NumberIn<&Settings::held_requests_max>::show},
    number_option<&Settings::held_size_max>("HeldSizeMax", "limits.held_size_max", octets,
                                            "of all requests that wait for POAManagers"),
    number_option<&Settings::nested_upcall_depth_max, 0>(
        "NestedUpcallDepthMax", "limits.nested_upcall_depth_max", number_of,
        "of upcalls that wait for replies on one thread"),
    number_option<&Settings::spare_threads_max, 0>("SpareThreadsMax", "limits.spare_threads_max",
                                                   number_of, "of threads for upcalls that block"),
    number_option<&poa::AdapterLimits::adapters_max>("AdaptersMax", "limits.adapters_max",
                                                     number_of, "of POAs"),
    number_option<&poa::AdapterLimits::objects_max>("ObjectsMax", "limits.objects_max", number_of,
                                                    "of active objects"),

    number_option<&Settings::connect_timeout, 0>("ConnectTimeout", "timeouts.connect_ms",
                                                 milliseconds, "for connecting"),
    number_option<&Settings::open_timeout>(
        "OpenTimeout", "timeouts.open_ms", milliseconds,
        "that a client of a server has for the handshake of its transport"),
    number_option<&Settings::first_reply_timeout, 0>(
        "FirstReplyTimeout", "timeouts.first_reply_ms", milliseconds,
        "for the first reply on a new connection; 0: none"),
    number_option<&Settings::send_timeout, 0>(
        "SendTimeout", "timeouts.send_ms", milliseconds,
        "until a peer that takes nothing is cut off; 0: never"),
    number_option<&Settings::datagram_call_timeout>(
        "DatagramCallTimeout", "timeouts.datagram_call_ms", milliseconds,
        "of a call over datagrams that has no time limit"),
    number_option<&Settings::pace_grace, 0>("PaceGrace", "timeouts.pace_grace_ms", milliseconds,
                                            "before -ORBPace counts"),
    number_option<&Settings::idle_timeout, 0>(
        "IdleTimeout", "timeouts.idle_ms", milliseconds,
        "until a server closes a connection on which nothing happens; 0: never"),
    number_option<&Settings::client_idle_timeout, 0>(
        "ClientIdleTimeout", "timeouts.client_idle_ms", milliseconds,
        "until a client closes a connection without calls; 0: never"),
    number_option<&Settings::handler_call_timeout, 0>(
        "HandlerCallTimeout", "timeouts.handler_call_ms", milliseconds,
        "for the call of a reply handler in another process; 0: none"),
    number_option<&Settings::drain_timeout>(
        "DrainTimeout", "timeouts.drain_ms", milliseconds,
        "for peers to take what is sent to them while the server stops"),
    number_option<&Settings::drain_idle_timeout>("DrainIdleTimeout", "timeouts.drain_idle_ms",
                                                 milliseconds,
                                                 "for peers to close after CloseConnection"),

    {"TraceLevel", "log.level", text, "trace|debug|info|warning|error|off",
     "lines of the log; debug: messages, trace: their octets", set_trace_level},
    {"MetricsEndpoint", "metrics.endpoint", text, "[<host>]:<port>",
     "where Prometheus finds the metrics, and latencies", set_metrics_endpoint},
    {"MeasureLatencies", "metrics.latencies", yes_no, "yes|no", "of each operation",
     set_measure_latencies},
    {"Pcap", "log.pcap", text, "<file>", "records all messages, for Wireshark", set_pcap_file},
    {"Faults", "tests.faults", text, "seed=1,reset=0.01[,...]",
     "breaks connections at random, for tests", set_faults},
};

}  // namespace

std::span<const Option> option_table() noexcept { return options; }

}  // namespace perigee::runtime
