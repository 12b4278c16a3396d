// The rows of the table, in groups, and the handlers of options that are not plain numbers.
#include "runtime/option_table.h"

#include "runtime/option_values.h"
#include <perigee/base/function_ref.h>
#include <perigee/cdr/code_set_registry.h>
#include <perigee/ipc/inet_parse.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::runtime {

namespace {

using orb::Settings;

void set_config_file(Configuration& configuration, const std::string& value) {
  configuration.config_file = value;
}

void set_id(Configuration& configuration, const std::string& value) {
  configuration.settings.orb_id = value;
}

void set_server_id(Configuration& configuration, const std::string& value) {
  configuration.settings.server_id = value;
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

void for_each_part(const std::string& list, char separator,
                   function_ref<void(const std::string& part)> use) {
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(separator, start), list.size());
    use(list.substr(start, end - start));
    start = end + 1;
  }
}

// The option may be given several times. A value may list several endpoints, with semicolons
// between.
void add_listen_endpoints(Configuration& configuration, const std::string& value) {
  for_each_part(value, ';', [&configuration](const std::string& part) {
    const auto endpoint = transport::parse_endpoint(part);
    if (!endpoint) throw BadValue{"<scheme>://<address> is needed, like iiop://host:2809"};
    configuration.settings.listen_endpoints.push_back(*endpoint);
  });
}

void add_protocol_library(Configuration& configuration, const std::string& value) {
  if (value.empty()) throw BadValue{"the path of a shared library is needed"};
  configuration.protocol_libraries.push_back(value);
}

void add_initializer_library(Configuration& configuration, const std::string& value) {
  if (value.empty()) throw BadValue{"the path of a shared library is needed"};
  configuration.settings.initializer_libraries.push_back(value);
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
  // The first row of a scheme applies: the command line is read before the file.
  const auto known =
      std::ranges::find(configuration.schemes, row.scheme, &transport::SchemeRow::scheme);
  if (known == configuration.schemes.end()) configuration.schemes.push_back(std::move(row));
}

// A program that can open the socket file can make the server load any library. So only the
// server's own user may open it.
void set_administration(Configuration& configuration, const std::string& value) {
  auto endpoint = transport::parse_endpoint(value);
  const bool is_file = endpoint && endpoint->scheme == "uiop" && endpoint->address.starts_with('/');
  if (!is_file || endpoint->address.find('?') != std::string::npos)
    throw BadValue{"the path of a socket file is needed, like uiop:///run/bank/administration"};
  configuration.administration = std::move(*endpoint);
}

constexpr std::pair<std::string_view, orb::ThreadStrategy> strategies[] = {
    {"auto", orb::ThreadStrategy::automatic},
    {"thread-per-connection", orb::ThreadStrategy::thread_per_connection},
    {"reactive", orb::ThreadStrategy::reactive},
    {"thread-pool", orb::ThreadStrategy::thread_pool},
    {"reactor-per-core", orb::ThreadStrategy::reactor_per_core}};
constexpr std::pair<std::string_view, engine::PollerKind> pollers[] = {
    {"epoll", engine::PollerKind::epoll}, {"uring", engine::PollerKind::uring}};
constexpr std::pair<std::string_view, engine::RequestOrder> orders[] = {
    {"connection", engine::RequestOrder::connection}, {"none", engine::RequestOrder::none}};
constexpr std::pair<std::string_view, messaging::Version> versions[] = {
    {"1.0", {1, 0}}, {"1.1", {1, 1}}, {"1.2", {1, 2}}};
constexpr std::pair<std::string_view, orb::SentDetails> details[] = {
    {"no", orb::SentDetails::none}, {"own", orb::SentDetails::own}, {"all", orb::SentDetails::all}};
constexpr std::pair<std::string_view, orb::TraceUse> trace_uses[] = {
    {"no", orb::TraceUse::no}, {"pass", orb::TraceUse::pass}, {"start", orb::TraceUse::start}};
constexpr std::pair<std::string_view, bool> answers[] = {{"yes", true}, {"no", false}};

// Only checks the value: `take_options` has used it before it read the other options.
void set_tao_options(Configuration& /*configuration*/, const std::string& value) {
  (void)parse_name(value, answers);
}

/// Handlers for a setting with named values.
template <auto& names, auto member>
struct Named {
  static void apply(Configuration& configuration, const std::string& value) {
    part_of(configuration, member).*member = parse_name(value, names);
  }
  static std::string show(const Configuration& configuration) {
    return name_of_value(part_of(configuration, member).*member, names);
  }
};

/// A row for a setting that is yes or no.
template <auto member>
constexpr Option answer_option(std::string_view name, std::string_view key, ValueKind kind,
                               std::string_view meaning) {
  using Answer = Named<answers, member>;
  return {name, key, kind, "yes|no", meaning, Answer::apply, Answer::show};
}

cdr::CharSet parse_char_set(const std::string& value) {
  if (const auto set = cdr::parse_char_set(value)) return *set;
  throw BadValue{"UTF-8, US-ASCII or ISO-8859-<part> is needed, like ISO-8859-15"};
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

std::string show_native_char_code_set(const Configuration& configuration) {
  return cdr::name_of(configuration.settings.code_sets.native_char);
}

void set_uiop_trust(Configuration& configuration, const std::string& value) {
  auto trust = transport::parse_local_trust(value);
  if (!trust) throw BadValue{trust.error()};
  configuration.local_trust = std::move(*trust);
}

constexpr std::string_view local_schemes[] = {"shmiop", "uiop"};  // auto: in this order

void set_local_transports(Configuration& configuration, const std::string& value) {
  std::vector<std::string>& chosen = configuration.settings.local_transports;
  configuration.chooses_local_transports = true;
  chosen.clear();
  if (value == "none") return;
  if (value == "auto") return chosen.assign(std::begin(local_schemes), std::end(local_schemes));
  for_each_part(value, ',', [&chosen](const std::string& scheme) {
    if (std::ranges::find(local_schemes, scheme) == std::end(local_schemes))
      throw BadValue{"auto, none, or a list of shmiop and uiop is needed"};
    if (std::ranges::find(chosen, scheme) == chosen.end()) chosen.push_back(scheme);
  });
}

std::string show_local_transports(const Configuration& configuration) {
  const std::vector<std::string>& chosen = configuration.settings.local_transports;
  if (chosen.empty()) return "none";
  if (std::ranges::equal(chosen, local_schemes)) return "auto";
  std::string text;
  for (const std::string& scheme : chosen) text += (text.empty() ? "" : ",") + scheme;
  return text;
}

// Limits the held requests of each loop, and the collocated callers that wait for one POAManager.
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

// A collector of metrics also needs the latencies, so they are measured.
// The page shows internal data of the server, so a port without a host is a port of this host only.
void set_metrics_endpoint(Configuration& configuration, const std::string& value) {
  const std::string local = ipc::parse_port(value) ? "127.0.0.1:" + value : value;
  const auto address = ipc::split_host_port(local);
  if (!address || !address->port)
    throw BadValue{"<port>, <host>:<port>, or :<port> for all interfaces is needed"};
  configuration.metrics_endpoint = local;
  configuration.settings.measure_latencies = true;
}

void add_metrics_hosts(Configuration& configuration, const std::string& value) {
  for_each_part(value, ',', [&configuration](const std::string& name) {
    if (name.empty() || name.contains(':')) throw BadValue{"host names without a port are needed"};
    configuration.metrics_hosts.push_back(name);
  });
}

void set_faults(Configuration& configuration, const std::string& value) {
  const auto faults = transport::parse_random_faults(value);
  if (!faults)
    throw BadValue{"a list like seed=1,reset=0.01 is needed; invalid: " + faults.error().endpoint};
  configuration.faults = *faults;
}

void set_pcap_file(Configuration& configuration, const std::string& value) {
  configuration.pcap_file = value;
}

constexpr std::pair<std::string_view, TlsUse> tls_uses[] = {
    {"no", TlsUse::no}, {"allowed", TlsUse::allowed}, {"required", TlsUse::required}};
constexpr std::pair<std::string_view, transport::ClientCertificates> client_certificates[] = {
    {"off", transport::ClientCertificates::off},
    {"optional", transport::ClientCertificates::optional},
    {"required", transport::ClientCertificates::required}};
constexpr std::pair<std::string_view, transport::TlsVersion> tls_versions[] = {
    {"1.2", transport::TlsVersion::tls_1_2}, {"1.3", transport::TlsVersion::tls_1_3}};

void set_tls_use(Configuration& configuration, const std::string& value) {
  configuration.tls.use = parse_name(value, tls_uses);
}

template <auto member>
void set_tls_text(Configuration& configuration, const std::string& value) {
  if (value.empty()) throw BadValue{"a value that is not empty is needed"};
  configuration.tls.options.*member = value;
  configuration.tls.is_configured = true;
}

template <auto& names, auto member>
void set_tls_name(Configuration& configuration, const std::string& value) {
  configuration.tls.options.*member = parse_name(value, names);
  configuration.tls.is_configured = true;
}

void set_tls_plain_schemes(Configuration& configuration, const std::string& value) {
  for_each_part(value, ',', [&configuration](const std::string& scheme) {
    if (scheme != "uiop" && scheme != "diop" && scheme != "shmiop")
      throw BadValue{"a list of uiop, shmiop and diop is needed"};
    configuration.tls.plain_schemes.push_back(scheme);
  });
}

/// A row for a text of TLS.
template <auto member>
constexpr Option tls_text(std::string_view name, std::string_view key, std::string_view value,
                          std::string_view meaning, std::string_view unset) {
  return {name, key, ValueKind::text, value, meaning, set_tls_text<member>, nullptr, unset};
}

using enum ValueKind;
using transport::TlsOptions;

constexpr std::string_view milliseconds = "<milliseconds>";
constexpr std::string_view octets = "<octets>";
constexpr std::string_view number_of = "<number>";
constexpr std::uint32_t size_min = 1024;  // of messages and fragments

// Tests compare the rows with the tables in docs/using.md and docs/limits.md.
constexpr Option options[] = {
    {"ConfigFile", "", none, "<file.toml>",
     "a file with values for these options; the command line overrides it", set_config_file,
     nullptr, "the file that the environment variable PERIGEE_CONFIG names, if any"},
    {"TaoOptions", "", none, "yes|no",
     "whether the command line may have options of TAO, which are translated or ignored",
     set_tao_options, nullptr, "no"},
    {"id", "orb.id", text, "<name>", "the name of the ORB", set_id},
    {"ServerId", "orb.server_id", text, "<name>", "the id of the server that interceptors see",
     set_server_id},
    {"InitRef", "initial_references", named_texts, "<name>=<reference>",
     "resolve_initial_references returns this reference; may be repeated", add_initial_reference},
    {"DefaultInitRef", "orb.default_initial_reference", text, "<reference prefix>",
     "resolve_initial_references adds /<name> for other names", set_default_initial_reference},
    {"ListenEndpoints", "server.listen", texts, "<scheme>://<address>[;...]",
     "the endpoints of a server; may be repeated", add_listen_endpoints, nullptr,
     "all interfaces, any port"},
    {"LocalTransports", "server.local_transports", text, "auto|none|shmiop|uiop[,...]",
     "the protocols at which a server with an iiop endpoint also listens, for its own host",
     set_local_transports, show_local_transports},
    {"ProtocolLibrary", "protocols.load", texts, "<library.so>",
     "a plug-in with further protocols; may be repeated", add_protocol_library},
    {"InitializerLibrary", "interceptors.load", texts, "<library.so>",
     "a plug-in with an ORB initializer, which adds interceptors; may be repeated",
     add_initializer_library},
    {"Scheme", "schemes", named_texts, "<scheme>=<messages>/<transport>",
     "a scheme that pairs messages with a transport; may be repeated", add_scheme},
    {"Administration", "server.administration", text, "uiop:///<path>",
     "the socket file for `perigee protocols`, open to the server's own user", set_administration,
     nullptr, "none"},
    {"ThreadStrategy", "server.thread_strategy", text,
     "auto|thread-per-connection|thread-pool|reactor-per-core|reactive",
     "how the threads of a server share connections",
     Named<strategies, &Settings::thread_strategy>::apply,
     Named<strategies, &Settings::thread_strategy>::show},
    number_option<&Settings::threads, 0>("Threads", "server.threads", number_of,
                                         "the threads of a server; 0: one per CPU"),
    {"RequestOrder", "server.request_order", text, "connection|none",
     "whether the requests of one connection are executed in their order, one at a time",
     Named<orders, &Settings::request_order>::apply, Named<orders, &Settings::request_order>::show},
    number_option<&Settings::busy_poll, 0>(
        "BusyPoll", "server.busy_poll_us", "<microseconds>",
        "how long threads poll for messages before they sleep; 0: they sleep at once"),
    {"Poller", "server.poller", text, "epoll|uring",
     "how the loops of a server ask the system for events",
     Named<pollers, &Settings::poller>::apply, Named<pollers, &Settings::poller>::show},
    answer_option<&Settings::accept_shards>(
        "AcceptShards", "server.accept_shards", text,
        "whether each loop of reactor-per-core accepts connections itself"),
    {"GiopVersion", "protocol.giop_version", text, "1.0|1.1|1.2",
     "the highest version of GIOP that the ORB uses",
     Named<versions, &Settings::version_max>::apply, Named<versions, &Settings::version_max>::show},
    answer_option<&Settings::giop_lite>(
        "GiopLite", "protocol.giop_lite", text,
        "whether to use GIOPlite, which has shorter headers, if the peer does, too"),
    answer_option<&Settings::offer_bidirectional>(
        "OfferBidirectional", "protocol.offer_bidirectional", text,
        "whether servers may call objects of this ORB over its own connections"),
    answer_option<&Settings::accept_bidirectional>(
        "AcceptBidirectional", "protocol.accept_bidirectional", text,
        "whether this server calls clients over connections that they offer"),
    answer_option<&Settings::accept_value_cycles>(
        "ValueCycles", "protocol.value_cycles", text,
        "whether the valuetypes of a request may refer to each other in a cycle"),
    {"SendDetails", "server.send_details", text, "no|own|all",
     "which texts of system exceptions a server sends to its clients",
     Named<details, &Settings::sent_details>::apply, Named<details, &Settings::sent_details>::show},
    {"NativeCharCodeSet", "code_sets.native_char", text, "UTF-8|US-ASCII|ISO-8859-<part>",
     "the code set of char and std::string in this program", set_native_char_code_set,
     show_native_char_code_set},
    answer_option<&orb::CodeSetSettings::prefer_utf_8>(
        "PreferUtf8", "code_sets.prefer_utf_8", text,
        "a UTF-8 client sends UTF-8 to servers that convert from it"),
    answer_option<&orb::CodeSetSettings::accept_invalid_utf_8>(
        "AcceptInvalidUtf8", "code_sets.accept_invalid_utf_8", text,
        "whether a program whose code set is UTF-8 accepts strings that are not valid UTF-8"),
    {"DefaultCharCodeSet", "code_sets.default_char", text, "UTF-8|US-ASCII|ISO-8859-<part>",
     "the code set of strings, for peers that announce no code sets", set_default_char_code_set,
     nullptr, "ISO-8859-1"},
    {"DefaultWcharCodeSet", "code_sets.default_wchar", text, "UTF-16|UCS-2|UCS-4",
     "the code set of wide characters, for peers that announce no code sets",
     set_default_wchar_code_set, nullptr, "none"},
    number_option<&transport::TcpQueues::send_size, 0>(
        "TcpSendQueue", "tcp.send_queue", octets,
        "the system's send queue of a connection; 0: the system adapts it"),
    number_option<&transport::TcpQueues::receive_size, 0>(
        "TcpReceiveQueue", "tcp.receive_queue", octets,
        "the system's receive queue of a connection; 0: the system adapts it"),
    {"UiopTrust", "uiop.trust", text, "own|root|<user>|all|/<folder>|@<prefix>[,...]",
     "the users whose UNIX-domain sockets a client trusts, and the places of these sockets",
     set_uiop_trust, nullptr, "own,root"},
    answer_option<&Configuration::shared_memory_trust>(
        "SharedMemoryTrust", "shared_memory.trust", text,
        "whether sequences in shared buffers pass to peers on this host without a copy"),
    number_option<&Configuration::shared_pool_size>(
        "SharedPoolSize", "shared_memory.pool_size", octets,
        "the size of the pool of shared buffers; only allocated buffers take memory"),
    {"Tls", "tls.use", text, "no|allowed|required",
     "whether the ORB speaks TLS, and whether it speaks nothing else", set_tls_use, nullptr,
     "allowed, if another option of TLS is set"},
    tls_text<&TlsOptions::certificate_file>(
        "TlsCertificate", "tls.certificate", "<file.pem>",
        "the ORB's certificate, followed by those of the authorities below the root", "none"),
    tls_text<&TlsOptions::key_file>("TlsKey", "tls.key", "<file.pem>",
                                    "the private key of the certificate",
                                    "in the file of the certificate"),
    tls_text<&TlsOptions::passphrase_file>("TlsPassphraseFile", "tls.passphrase_file", "<file>",
                                           "a file with the passphrase of the key", "none"),
    tls_text<&TlsOptions::authorities>("TlsAuthorities", "tls.authorities", "<file.pem>|<folder>",
                                       "the certificate authorities that the ORB trusts",
                                       "those of the system, to check servers"),
    tls_text<&TlsOptions::revoked_file>(
        "TlsRevoked", "tls.revoked", "<file.pem>",
        "lists of revoked certificates (CRLs), one of each authority", "none"),
    tls_text<&TlsOptions::peer_name>("TlsPeerName", "tls.peer_name", "<name>",
                                     "the name that the certificates of servers must have",
                                     "the host of the address"),
    {"TlsVerifyServers", "tls.verify_servers", text, "yes|no",
     "whether a client checks the certificates of servers",
     set_tls_name<answers, &TlsOptions::verify_servers>, nullptr, "yes"},
    {"TlsClientCertificates", "tls.client_certificates", text, "off|optional|required",
     "whether a server asks its clients for certificates",
     set_tls_name<client_certificates, &TlsOptions::client_certificates>, nullptr, "off"},
    {"TlsVersionMin", "tls.version_min", text, "1.2|1.3", "the lowest version of TLS",
     set_tls_name<tls_versions, &TlsOptions::version_min>, nullptr, "1.2"},
    tls_text<&TlsOptions::cipher_suites>("TlsCipherSuites", "tls.cipher_suites", "<suite>[:...]",
                                         "the cipher suites of TLS 1.3", "those of OpenSSL"),
    tls_text<&TlsOptions::key_log_file>(
        "TlsKeyLog", "tls.key_log", "<file>",
        "the file that gets the secrets of all connections, to decode recordings", "none"),
    {"TlsPlainSchemes", "tls.plain_schemes", text, "uiop|shmiop|diop[,...]",
     "the schemes without TLS that may be used although TLS is required", set_tls_plain_schemes,
     nullptr, "none"},

    number_option<&messaging::Limits::fragment_size, size_min>(
        "FragmentSize", "protocol.fragment_size", octets,
        "the ORB sends longer messages of GIOP 1.2 in fragments"),
    number_option<&Settings::link_size_min>(
        "LinkSizeMin", "protocol.link_size_min", octets,
        "the ORB does not copy strings and sequences from this size on"),
    number_option<&messaging::Limits::message_size_max, size_min>(
        "MessageSizeMax", "limits.message_size_max", octets,
        "the size of a message with all its fragments"),
    number_option<&messaging::Limits::fragments_max>("FragmentsMax", "limits.fragments_max",
                                                     number_of, "the fragments of a message"),
    number_option<&messaging::Limits::partial_messages_max>(
        "PartialMessagesMax", "limits.partial_messages_max", number_of,
        "the fragmented messages in progress on a connection"),
    number_option<&messaging::Limits::partial_size_max, size_min>(
        "PartialSizeMax", "limits.partial_size_max", octets,
        "the size of all fragmented messages in progress on a connection"),
    number_option<&Settings::unfinished_size_max, size_min>(
        "UnfinishedSizeMax", "limits.unfinished_size_max", octets,
        "the memory for messages that have arrived only in part, on all connections"),
    number_option<&Settings::unsent_size_max, size_min>(
        "UnsentSizeMax", "limits.unsent_size_max", octets,
        "the size of all messages that wait to be sent, on all connections"),
    number_option<&Settings::opening_size_max, size_min>(
        "OpeningSizeMax", "limits.opening_size_max", octets,
        "the memory of the handshakes of all connections that the server has accepted"),
    number_option<&Settings::decoded_total_size_max, size_min>(
        "DecodedTotalSizeMax", "limits.decoded_total_size_max", octets,
        "the memory of the decoded values of all messages"),
    number_option<&Settings::storage_cache_size_max, 0>(
        "StorageCacheSizeMax", "limits.storage_cache_size_max", octets,
        "the memory that the ORB keeps for the next large messages; 0: it keeps none"),
    number_option<&Settings::pace_octets_per_second, 0>(
        "Pace", "limits.pace", "<octets per second>",
        "the lowest average speed at which a message may arrive; 0: no limit"),
    number_option<&messaging::Limits::service_contexts_max, 0>(
        "ServiceContextsMax", "limits.service_contexts_max", number_of,
        "the service contexts of a message"),
    number_option<&cdr::Limits::depth_max>("ValueDepthMax", "limits.value_depth_max", number_of,
                                           "the depth of values inside each other"),
    number_option<&cdr::Limits::objects_max>(
        "ValueObjectsMax", "limits.value_objects_max", number_of,
        "the references, anys and parts of TypeCodes in a message"),
    number_option<&cdr::Limits::decoded_size_max, 0>(
        "DecodedSizeMax", "limits.decoded_size_max", octets,
        "the memory of the decoded values of a message; 8 times its size is allowed in addition"),
    number_option<&iop::IorLimits::profiles_max>("ProfilesMax", "limits.profiles_max", number_of,
                                                 "the profiles of a reference"),
    number_option<&iop::IorLimits::ior_string_size_max, size_min>(
        "IorStringSizeMax", "limits.ior_string_size_max", "<characters>",
        "the length of an IOR: string"),
    number_option<&Settings::write_queue_size_max, size_min>(
        "SendQueueSizeMax", "limits.send_queue_size_max", octets,
        "the size of all messages that wait for a peer that does not read"),

    number_option<&Settings::connections_per_endpoint_max>(
        "ConnectionsPerEndpointMax", "limits.connections_per_endpoint_max", number_of,
        "the connections of a client to one endpoint; further callers share them"),
    number_option<&Settings::requests_in_flight_max>(
        "RequestsInFlightMax", "limits.requests_in_flight_max", number_of,
        "the asynchronous calls on a connection; further calls use another connection"),
    number_option<&Settings::connecting_threads_max>(
        "ConnectingThreadsMax", "limits.connecting_threads_max", number_of,
        "the threads that look up host names for asynchronous calls"),
    number_option<&Settings::handler_calls_max>("HandlerCallsMax", "limits.handler_calls_max",
                                                number_of,
                                                "the calls of reply handlers in other processes"),
    number_option<&Settings::handler_calls_size_max>(
        "HandlerCallsSizeMax", "limits.handler_calls_size_max", octets,
        "the size of all results that these calls keep"),
    number_option<&Settings::endpoints_max>("EndpointsMax", "limits.endpoints_max", number_of,
                                            "the endpoints that a client remembers"),
    number_option<&Settings::targets_max>("TargetsMax", "limits.targets_max", number_of,
                                          "the addresses of a reference that a client tries"),
    number_option<&Settings::forward_hops_max, 0>("ForwardHopsMax", "limits.forward_hops_max",
                                                  number_of, "the location forwards in one call"),
    number_option<&Settings::forwards_remembered_max, 0>(
        "ForwardsRememberedMax", "limits.forwards_remembered_max", number_of,
        "the location forwards that a reference remembers"),

    number_option<&Settings::server_connections_max>("ServerConnectionsMax",
                                                     "limits.server_connections_max", number_of,
                                                     "the connections of a server"),
    number_option<&Configuration::shared_memory_connections_max, 0>(
        "SharedMemoryConnectionsMax", "limits.shared_memory_connections_max", number_of,
        "the connections of a server through shared memory; further clients use the next address"),
    number_option<&Settings::requests_max>("RequestsMax", "limits.requests_max", number_of,
                                           "the requests in progress in a server"),
    number_option<&Settings::requests_per_connection_max>(
        "RequestsPerConnectionMax", "limits.requests_per_connection_max", number_of,
        "the requests in progress on a connection"),
    number_option<&Settings::listen_points_max>(
        "ListenPointsMax", "limits.listen_points_max", number_of,
        "the addresses that a client may announce on a connection"),
    {"ThreadsPerConnectionMax", "limits.threads_per_connection_max", number, number_of,
     "ignored: the thread strategy limits the threads of all connections together",
     ignore_threads_per_connection_max, show_threads_per_connection_max},
    {"HeldRequestsMax", "limits.held_requests_max", number, number_of,
     "the requests that wait for a POAManager", set_held_requests_max,
     NumberIn<&Settings::held_requests_max>::show},
    number_option<&Settings::held_size_max>("HeldSizeMax", "limits.held_size_max", octets,
                                            "the size of all requests that wait for POAManagers"),
    number_option<&Settings::nested_upcall_depth_max, 0>(
        "NestedUpcallDepthMax", "limits.nested_upcall_depth_max", number_of,
        "the upcalls that wait for replies on one thread"),
    number_option<&Settings::spare_threads_max, 0>("SpareThreadsMax", "limits.spare_threads_max",
                                                   number_of,
                                                   "the spare threads for upcalls that block"),
    number_option<&poa::AdapterLimits::adapters_max>("AdaptersMax", "limits.adapters_max",
                                                     number_of, "the POAs at a time"),
    number_option<&poa::AdapterLimits::objects_max>("ObjectsMax", "limits.objects_max", number_of,
                                                    "the active objects at a time"),

    number_option<&Settings::connect_timeout, 0>(
        "ConnectTimeout", "timeouts.connect_ms", milliseconds,
        "for connecting in a call, to all addresses together; 0: no limit"),
    number_option<&Settings::open_timeout>(
        "OpenTimeout", "timeouts.open_ms",
        milliseconds, "for the handshake of a client's transport, at a server"),
    number_option<&Settings::first_reply_timeout, 0>(
        "FirstReplyTimeout", "timeouts.first_reply_ms", milliseconds,
        "for the first reply on a new connection; 0: no limit"),
    number_option<&Settings::send_timeout, 0>(
        "SendTimeout", "timeouts.send_ms", milliseconds,
        "for a peer that reads nothing, before its connection is closed; 0: no limit"),
    number_option<&Settings::call_timeout, 0>(
        "CallTimeout", "timeouts.call_ms", milliseconds,
        "for a call that has no time limit of its own; 0: no limit"),
    number_option<&Settings::datagram_call_timeout>(
        "DatagramCallTimeout", "timeouts.datagram_call_ms", milliseconds,
        "for a call over datagrams that has no time limit of its own"),
    number_option<&Settings::pace_grace, 0>(
        "PaceGrace", "timeouts.pace_grace_ms", milliseconds,
        "after the first octet of a message, before -ORBPace counts"),
    number_option<&Settings::idle_timeout, 0>(
        "IdleTimeout", "timeouts.idle_ms", milliseconds,
        "without messages, before a server closes the connection; 0: no limit"),
    number_option<&Settings::client_idle_timeout, 0>(
        "ClientIdleTimeout", "timeouts.client_idle_ms", milliseconds,
        "without calls, before a client closes the connection; 0: no limit"),
    number_option<&Settings::handler_call_timeout, 0>(
        "HandlerCallTimeout", "timeouts.handler_call_ms", milliseconds,
        "for the call of a reply handler in another process; 0: no limit"),
    number_option<&Settings::drain_timeout>(
        "DrainTimeout", "timeouts.drain_ms", milliseconds,
        "for peers to read the last messages of a server that stops"),
    number_option<&Settings::drain_idle_timeout>(
        "DrainIdleTimeout", "timeouts.drain_idle_ms", milliseconds,
        "without octets of a peer after CloseConnection, before a server closes the connection"),

    {"TraceLevel", "log.level", text, "trace|debug|info|warning|error|off",
     "the lines of the log; debug adds messages, trace their octets", set_trace_level, nullptr,
     "warning"},
    {"TraceContext", "log.trace_context", text, "no|pass|start",
     "whether calls carry the trace of their caller (W3C Trace Context), or also start traces",
     Named<trace_uses, &Settings::trace_use>::apply, Named<trace_uses, &Settings::trace_use>::show},
    {"MetricsEndpoint", "metrics.endpoint", text, "[[<host>]:]<port>",
     "the address of the metrics page for browsers and Prometheus, latencies included",
     set_metrics_endpoint, nullptr, "no page"},
    {"MetricsHosts", "metrics.hosts", texts, "<name>[,<name>...]",
     "host names by which clients may reach the metrics page", add_metrics_hosts},
    answer_option<&Settings::measure_latencies>("MeasureLatencies", "metrics.latencies", yes_no,
                                                "whether to measure the latency of operations"),
    {"Pcap", "log.pcap", text, "<file>", "a file that records all messages, for Wireshark",
     set_pcap_file},
    {"Faults", "tests.faults", text, "seed=1,reset=0.01[,...]",
     "breaks connections at random, to test programs", set_faults},
};

}  // namespace

std::span<const Option> option_table() noexcept { return options; }

std::string default_of(const Option& option) {
  return option.show != nullptr ? option.show(Configuration()) : std::string(option.unset);
}

}  // namespace perigee::runtime
