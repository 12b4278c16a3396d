// One handler per option; the table at the end is the list.
#include "runtime/options.h"

#include <perigee/orb/exceptions.h>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string_view>
#include <utility>

namespace perigee::runtime {

namespace {

constexpr std::string_view option_prefix = "-ORB";
constexpr std::string_view help_option = "-ORBHelp";

// Says why a value cannot be used.
struct BadValue {
  std::string why;
};

using Value = const std::string&;

template <std::integral Integer>
Integer parse_number(Value value, Integer least) {
  Integer number{};
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error == std::errc() && stop == end && number >= least) return number;
  throw BadValue{"a whole number from " + std::to_string(least) + " to " +
                 std::to_string(std::numeric_limits<Integer>::max()) + " is needed"};
}

// The entry of `table` with this name.
template <typename T, std::size_t count>
T parse_name(Value value, const std::pair<std::string_view, T> (&table)[count]) {
  std::string names;
  for (const auto& [name, meaning] : table) {
    if (name == value) return meaning;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw BadValue{"one of " + names + " is needed"};
}

void set_id(Configuration& configuration, Value value) { configuration.settings.orb_id = value; }

void add_initial_reference(Configuration& configuration, Value value) {
  const std::size_t equals = value.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == value.size())
    throw BadValue{
        "<name>=<reference> is needed, like NameService=corbaloc::host:2809/NameService"};
  configuration.settings.initial_references.emplace_back(value.substr(0, equals),
                                                         value.substr(equals + 1));
}

void set_default_initial_reference(Configuration& configuration, Value value) {
  configuration.settings.default_initial_reference = value;
}

// May be given several times, and may list several with semicolons between.
void add_listen_endpoints(Configuration& configuration, Value value) {
  for (std::size_t start = 0; start <= value.size();) {
    const std::size_t end = std::min(value.find(';', start), value.size());
    const auto endpoint = transport::parse_endpoint(value.substr(start, end - start));
    if (!endpoint) throw BadValue{"<scheme>://<address> is needed, like iiop://host:2809"};
    configuration.settings.listen_endpoints.push_back(*endpoint);
    start = end + 1;
  }
}

void set_thread_strategy(Configuration& configuration, Value value) {
  constexpr std::pair<std::string_view, orb::ThreadStrategy> strategies[] = {
      {"thread-per-connection", orb::ThreadStrategy::thread_per_connection},
      {"reactive", orb::ThreadStrategy::reactive}};
  configuration.settings.thread_strategy = parse_name(value, strategies);
}

void set_giop_version(Configuration& configuration, Value value) {
  constexpr std::pair<std::string_view, messaging::Version> versions[] = {
      {"1.0", {1, 0}}, {"1.1", {1, 1}}, {"1.2", {1, 2}}};
  configuration.settings.version_max = parse_name(value, versions);
}

cdr::CharSet parse_char_set(Value value) {
  if (const auto set = cdr::parse_char_set(value)) return *set;
  throw BadValue{"UTF-8, US-ASCII or ISO-8859-<part> is needed"};
}

void set_native_char_code_set(Configuration& configuration, Value value) {
  configuration.settings.code_sets.native_char = parse_char_set(value);
}

void set_default_char_code_set(Configuration& configuration, Value value) {
  configuration.settings.code_sets.default_char = parse_char_set(value);
}

void set_default_wchar_code_set(Configuration& configuration, Value value) {
  const auto set = cdr::parse_wide_set(value);
  if (!set) throw BadValue{"UTF-16, UCS-2 or UCS-4 is needed"};
  configuration.settings.code_sets.default_wide = set;
}

void set_fragment_size(Configuration& configuration, Value value) {
  constexpr std::uint32_t fragment_size_min = 1024;
  configuration.limits.fragment_size = parse_number(value, fragment_size_min);
}

void set_message_size_max(Configuration& configuration, Value value) {
  constexpr std::uint32_t message_size_max_min = 1024;
  configuration.limits.message_size_max = parse_number(value, message_size_max_min);
}

void set_trace_level(Configuration& configuration, Value value) {
  constexpr std::pair<std::string_view, log::Level> levels[] = {
      {"trace", log::Level::trace},     {"debug", log::Level::debug}, {"info", log::Level::info},
      {"warning", log::Level::warning}, {"error", log::Level::error}, {"off", log::Level::off}};
  configuration.log_level = parse_name(value, levels);
}

void set_pcap_file(Configuration& configuration, Value value) { configuration.pcap_file = value; }

void set_connect_timeout(Configuration& configuration, Value value) {
  configuration.settings.connect_timeout =
      std::chrono::milliseconds(parse_number(value, std::int32_t{0}));
}

void set_first_reply_timeout(Configuration& configuration, Value value) {
  configuration.settings.first_reply_timeout =
      std::chrono::milliseconds(parse_number(value, std::int32_t{0}));
}

void set_send_timeout(Configuration& configuration, Value value) {
  configuration.settings.send_timeout =
      std::chrono::milliseconds(parse_number(value, std::int32_t{0}));
}

void set_connections_per_endpoint_max(Configuration& configuration, Value value) {
  configuration.settings.connections_per_endpoint_max = parse_number(value, std::uint32_t{1});
}

struct Option {
  std::string_view name;  // after "-ORB"
  std::string_view value;
  std::string_view meaning;
  void (*apply)(Configuration& configuration, Value value);
};

constexpr Option options[] = {
    {"id", "<name>", "the name of the ORB", set_id},
    {"InitRef", "<name>=<reference>", "what resolve_initial_references gives for a name",
     add_initial_reference},
    {"DefaultInitRef", "<reference prefix>", "put before /<name> for all other names",
     set_default_initial_reference},
    {"ListenEndpoints", "<scheme>://<address>[;...]", "where a server listens",
     add_listen_endpoints},
    {"ThreadStrategy", "reactive|thread-per-connection",
     "how the threads of a server share connections", set_thread_strategy},
    {"GiopVersion", "1.0|1.1|1.2", "the highest that is spoken", set_giop_version},
    {"NativeCharCodeSet", "UTF-8|US-ASCII|ISO-8859-<part>", "what char and std::string are in",
     set_native_char_code_set},
    {"DefaultCharCodeSet", "UTF-8|US-ASCII|ISO-8859-<part>", "of peers that do not say",
     set_default_char_code_set},
    {"DefaultWcharCodeSet", "UTF-16|UCS-2|UCS-4", "of peers that do not say",
     set_default_wchar_code_set},
    {"FragmentSize", "<octets>", "from which messages of GIOP 1.2 are cut", set_fragment_size},
    {"MessageSizeMax", "<octets>", "of a message; longer ones are refused", set_message_size_max},
    {"ConnectTimeout", "<milliseconds>", "for connecting", set_connect_timeout},
    {"FirstReplyTimeout", "<milliseconds>", "for the first reply on a new connection; 0: none",
     set_first_reply_timeout},
    {"SendTimeout", "<milliseconds>", "until a peer that takes nothing is cut off; 0: never",
     set_send_timeout},
    {"ConnectionsPerEndpointMax", "<number>", "of a client to a server",
     set_connections_per_endpoint_max},
    {"TraceLevel", "trace|debug|info|warning|error|off",
     "lines of the log; debug: messages, trace: their octets", set_trace_level},
    {"Pcap", "<file>", "records all messages, for Wireshark", set_pcap_file},
};

[[noreturn]] void raise_unknown(const std::string& argument) {
  throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO,
                         "there is no option " + argument + "; there are:\n" + describe_options());
}

// What people ask for who do not know the program's options: nothing else of it is done.
[[noreturn]] void show_help() {
  std::cout << "Options of the ORB:\n" << describe_options() << std::flush;
  std::exit(EXIT_SUCCESS);
}

const Option& find_option(const std::string& argument) {
  const std::string_view name = std::string_view(argument).substr(option_prefix.size());
  for (const Option& option : options)
    if (option.name == name) return option;
  raise_unknown(argument);
}

void apply(const Option& option, Configuration& configuration, Value value) {
  try {
    option.apply(configuration, value);
  } catch (const BadValue& bad) {
    throw CORBA::BAD_PARAM(
        0, CORBA::COMPLETED_NO,
        "-ORB" + std::string(option.name) + " cannot be '" + value + "': " + bad.why);
  }
}

}  // namespace

std::string describe_options() {
  std::string text;
  const auto add = [&text](std::string line, std::string_view meaning) {
    constexpr std::size_t column = 46;
    line.resize(std::max(line.size() + 1, column), ' ');
    text += line + std::string(meaning) + "\n";
  };
  for (const Option& option : options)
    add("  " + std::string(option_prefix) + std::string(option.name) + " " +
            std::string(option.value),
        option.meaning);
  add("  " + std::string(help_option), "this list, and the end of the program");
  return text;
}

void take_options(std::vector<std::string>& arguments, Configuration& configuration) {
  std::vector<std::string> others;
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    if (!arguments[index].starts_with(option_prefix)) {
      others.push_back(std::move(arguments[index]));
      continue;
    }
    if (arguments[index] == help_option) show_help();
    const Option& option = find_option(arguments[index]);
    if (++index == arguments.size())
      throw CORBA::BAD_PARAM(
          0, CORBA::COMPLETED_NO,
          "-ORB" + std::string(option.name) + " needs a value: " + std::string(option.value));
    apply(option, configuration, arguments[index]);
  }
  arguments = std::move(others);
}

}  // namespace perigee::runtime
