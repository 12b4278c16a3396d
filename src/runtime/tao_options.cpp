// The options of TAO: those with a counterpart are translated, the others are ignored.
#include "runtime/tao_options.h"

#include "runtime/option_values.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

namespace perigee::runtime {

namespace {

void warn(const std::string& text) { log::write(log::Level::warning, "orb", text); }

bool is_digit(char letter) noexcept { return letter >= '0' && letter <= '9'; }

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    if (end != start) parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

// TAO writes the version of GIOP in front of an address: iiop://1.2@host:port.
std::string without_version(const std::string& address) {
  const bool has_version = address.size() >= 4 && is_digit(address[0]) && address[1] == '.' &&
                           is_digit(address[2]) && address[3] == '@';
  return has_version ? address.substr(4) : address;
}

// The options of an endpoint follow a separator. Only one of them has a counterpart.
std::string published_host(const std::string& text) {
  constexpr std::string_view host_option = "hostname_in_ior=";
  std::string host;
  for (const std::string& each : split(text, '&')) {
    if (each.starts_with(host_option))
      host = each.substr(host_option.size());
    else
      warn("TAO's endpoint option " + each + " is ignored: it has no counterpart");
  }
  return host;
}

std::string with_port(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  const bool has_port = colon != std::string::npos && address.find(']', colon) == std::string::npos;
  return has_port ? address : address + ":0";
}

// iiop://1.2@host:port,host:port/hostname_in_ior=host
std::string iiop_endpoints(const std::string& rest) {
  if (rest.find('?') != std::string::npos) return "iiop://" + rest;  // an endpoint of Perigee
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string host = published_host(rest.substr(std::min(slash + 1, rest.size())));
  std::string made;
  for (const std::string& address : split(rest.substr(0, slash), ','))
    made += (made.empty() ? "iiop://" : ";iiop://") + with_port(without_version(address)) +
            (host.empty() ? "" : "?publish=" + host);
  return made.empty() ? "iiop://:0" : made;
}

std::string uiop_endpoints(const std::string& rest) {
  const std::size_t bar = std::min(rest.find('|'), rest.size());
  (void)published_host(rest.substr(std::min(bar + 1, rest.size())));
  std::string made;
  for (const std::string& path : split(rest.substr(0, bar), ','))
    made += (made.empty() ? "uiop://" : ";uiop://") + without_version(path);
  return made;
}

std::string translate_endpoints(const std::string& value) {
  constexpr std::string_view iiop = "iiop://";
  constexpr std::string_view uiop = "uiop://";
  std::string made;
  for (const std::string& each : split(value, ';')) {
    if (!made.empty()) made += ';';
    if (each.starts_with(iiop))
      made += iiop_endpoints(each.substr(iiop.size()));
    else if (each.starts_with(uiop))
      made += uiop_endpoints(each.substr(uiop.size()));
    else
      made += each;
  }
  return made;
}

// TAO's levels begin to show messages at 1, connections at about 5, and octets at 10.
std::string translate_debug_level(const std::string& value) {
  const int level = parse_number(value, 0);
  if (level == 0) return "warning";
  if (level < 5) return "info";
  return level < 10 ? "debug" : "trace";
}

std::string translate_port(const std::string& value) { return "iiop://:" + value; }

std::string name_service(const std::string& value) { return "NameService=" + value; }
std::string trading_service(const std::string& value) { return "TradingService=" + value; }
std::string implementation_repository(const std::string& value) {
  return "ImplRepoService=" + value;
}

constexpr std::string_view no_counterpart = "it has no counterpart";
constexpr std::string_view no_svc_conf =
    "write the settings into a TOML file for -ORBConfigFile, or as options";
constexpr std::string_view no_multicast = "services are not found by multicast; use -ORBInitRef";

constexpr TaoOption ignored(std::string_view name, std::string_view why = no_counterpart,
                            std::size_t values = 1, std::string_view hint = {}) {
  return {name, values, {}, nullptr, why, hint};
}

constexpr TaoOption initial_reference(std::string_view name,
                                      std::string (*translate)(const std::string& value),
                                      std::string_view hint) {
  return {name, 1, "InitRef", translate, {}, hint};
}

// Source: TAO's docs/Options.html. Options with the same name, value and meaning have no row.
constexpr TaoOption tao_options[] = {
    {"Endpoint", 1, "ListenEndpoints", translate_endpoints},
    {"ListenEndpoints", 1, "ListenEndpoints", translate_endpoints},
    {"Port", 1, "ListenEndpoints", translate_port},
    {"DebugLevel",
     1,
     "TraceLevel",
     translate_debug_level,
     {},
     "corresponds to Perigee's -ORBTraceLevel, with a name instead of a number"},
    initial_reference("NameServiceIOR", name_service,
                      "corresponds to Perigee's -ORBInitRef NameService=<reference>"),
    initial_reference("TradingServiceIOR", trading_service,
                      "corresponds to Perigee's -ORBInitRef TradingService=<reference>"),
    initial_reference("ImplRepoServiceIOR", implementation_repository,
                      "corresponds to Perigee's -ORBInitRef ImplRepoService=<reference>"),
    {"SndSock", 1, "TcpSendQueue"},
    {"RcvSock", 1, "TcpReceiveQueue"},
    {"MaxMessageSize", 1, "FragmentSize"},
    {"Concurrency", 1, "ThreadStrategy"},       // an option of svc.conf
    {"ConnectionCacheMax", 1, "EndpointsMax"},  // an option of svc.conf
    ignored("SvcConf", no_svc_conf, 1, "corresponds to Perigee's -ORBConfigFile, for a TOML file"),
    ignored("SvcConfDirective", no_svc_conf, 1,
            "has no counterpart in Perigee: all settings are options"),
    ignored("ServiceConfigLoggerKey"),
    ignored("IgnoreDefaultSvcConfFile", "Perigee reads no svc.conf", 0),
    ignored("SkipServiceConfigOpen", "Perigee reads no svc.conf", 0),
    ignored("Gestalt", "there is no service configurator"),
    ignored("Debug", "-ORBTraceLevel sets what the log shows", 0),
    ignored("Daemon", "the system's service manager starts servers in the background", 0),
    ignored("LogFile", "the log goes to standard error"),
    ignored("VerboseLogging", "each line of the log has its time"),
    ignored("NoDelay", "TCP connections always have TCP_NODELAY"),
    ignored("Keepalive"),
    ignored("DontRoute"),
    ignored("IPHopLimit"),
    ignored("IPMulticastLoop"),
    ignored("LingerTimeout"),
    ignored("AcceptErrorDelay"),
    ignored("DottedDecimalAddresses",
            "?publish=<address> after an endpoint in -ORBListenEndpoints sets the addresses of "
            "references",
            1,
            "corresponds to ?publish=<address> after an endpoint in Perigee's -ORBListenEndpoints"),
    ignored("NoServerSideNameLookups"),
    ignored("PreferredInterfaces",
            "?publish=<address> after an endpoint in -ORBListenEndpoints sets the addresses of "
            "references"),
    ignored("EnforcePreferredInterfaces"),
    ignored("PreferIPV6Interfaces"),
    ignored("ConnectIPV6Only"),
    ignored("UseIPV6LinkLocal"),
    ignored("LaneEndpoint", "Perigee has no thread-pool lanes (RT-CORBA)", 2),
    ignored("LaneListenEndpoints", "Perigee has no thread-pool lanes (RT-CORBA)", 2),
    ignored("ObjRefStyle", "perigee ior prints the corbaloc: of a reference"),
    ignored("StdProfileComponents"),
    ignored("UseSharedProfile", "references always have one profile for all IIOP addresses"),
    ignored("Collocation", "calls within one ORB are always direct"),
    ignored("CollocationStrategy", "calls within one ORB are always direct"),
    ignored("GlobalCollocation", "calls within one ORB are always direct"),
    ignored("AMICollocation"),
    ignored("CDRTradeoff"),
    ignored("UseLocalMemoryPool"),
    ignored("NegotiateCodesets", "code sets are always negotiated"),
    ignored("Preconnect", "connections are made when they are needed"),
    ignored("UseParallelConnects"),
    ignored("ParallelConnectDelay"),
    ignored("SingleReadOptimization"),
    ignored("DisableRTCollocation"),
    ignored("ForwardInvocationOnObjectNotExist"),
    ignored("ForwardOnceOnObjectNotExist"),
    ignored("ForwardOnceOnCommFailure"),
    ignored("ForwardOnceOnTransient"),
    ignored("ForwardOnceOnInvObjref"),
    ignored("ForwardOnTransientLimit"),
    ignored("ForwardOnReplyClosedLimit"),
    ignored("ForwardDelay"),
    ignored("DefaultSyncScope", "SyncScopePolicy sets the synchronisation of oneways"),
    ignored("RunThreads"),
    ignored("Resources"),
    ignored("Host", "-ORBListenEndpoints sets the addresses of a server"),
    ignored("UseIMR", "there is no implementation repository"),
    ignored("IMREndpointsInIOR", "there is no implementation repository"),
    ignored("ImplRepoServicePort", no_multicast),
    ignored("NameServicePort", no_multicast),
    ignored("TradingServicePort", no_multicast),
    ignored("InterfaceRepoServicePort", no_multicast),
    ignored("MulticastDiscoveryEndpoint", no_multicast),
    ignored("FTSendFullGroupTC"),
    ignored("DynamicThreadPoolName"),
};

}  // namespace

bool equal_in_any_case(std::string_view first, std::string_view second) noexcept {
  return std::ranges::equal(first, second, [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  });
}

std::span<const TaoOption> tao_option_table() noexcept { return tao_options; }

const TaoOption* find_tao_option(std::string_view name) noexcept {
  const auto* const found = std::ranges::find_if(tao_options, [name](const TaoOption& option) {
    return equal_in_any_case(option.name, name);
  });
  return found != std::ranges::end(tao_options) ? found : nullptr;
}

std::string hint_of(const TaoOption& option) {
  if (!option.hint.empty()) return std::string(option.hint);
  if (option.replacement == option.name) return {};
  if (!option.replacement.empty())
    return "corresponds to Perigee's -ORB" + std::string(option.replacement);
  if (option.why == no_counterpart) return {};
  return "has no counterpart in Perigee: " + std::string(option.why);
}

bool accepts_tao_options(std::span<const std::string> arguments) noexcept {
  const auto found = std::ranges::find(arguments, "-ORBTaoOptions");
  return found != arguments.end() && std::next(found) != arguments.end() &&
         *std::next(found) == "yes";
}

}  // namespace perigee::runtime
