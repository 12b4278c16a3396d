// The options of the command line are also the keys of the file. `list_options` has the options
// that may be repeated.
#include "bridge_arguments.h"

#include "base/nearest_name.h"
#include "bridge_config.h"
#include "bridge_idl.h"
#include "call_limit.h"
#include "parts.h"
#include <perigee/transport/transport.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

namespace perigee::tool {

namespace {

using Texts = std::vector<std::string>;

struct ListOption {
  const char* name;
  const char* value;
  const char* meaning;
  Texts BridgeArguments::* list;
};

constexpr ListOption list_options[] = {
    {"listen", "ENDPOINT", "Where clients connect, like iiop://:2809; may be repeated",
     &BridgeArguments::listen},
    {"reference", "REFERENCE",
     "An object at the target: IOR:..., corbaloc:..., or a file; the bridge prints its reference",
     &BridgeArguments::references},
    {"allow-operation", "NAME",
     "Pass only these operations; NAME* allows all names that begin with NAME",
     &BridgeArguments::operations_allowed},
    {"deny-operation", "NAME", "Refuse these operations", &BridgeArguments::operations_denied},
    {"allow-object", "KEY", "Pass only requests to objects whose key begins with KEY (%-escapes)",
     &BridgeArguments::objects_allowed},
    {"deny-object", "KEY", "Refuse requests to objects whose key begins with KEY",
     &BridgeArguments::objects_denied},
    {"idl", "FILE",
     "Rewrite the references in arguments and results of the operations that this IDL file "
     "describes; may be repeated",
     &BridgeArguments::idl_files},
    {"idl-include", "FOLDER", "Look for files that the IDL includes in this folder, too",
     &BridgeArguments::idl_folders},
    {"idl-define", "NAME[=TEXT]", "Define this macro in the IDL files, as perigee-idl does",
     &BridgeArguments::idl_macros},
};

/// -I and -D are the names that perigee-idl has for the options.
std::string words_of(const ListOption& option) {
  const std::string word = std::string("--") + option.name;
  if (word == "--idl-include") return "-I," + word;
  return word == "--idl-define" ? "-D," + word : word;
}

/// The keys that have one value.
constexpr const char* single_keys[] = {"target",  "target-version",  "lite",
                                       "threads", "connect-timeout", "stop-timeout"};

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = end.ec == std::errc() && end.ptr == text.data() + text.size();
  return is_number && value >= 0 && value <= 1e6 ? std::optional(value) : std::nullopt;
}

/// Applies the value, unless the command line gives one. Returns an empty text, or the kind of
/// value that is needed.
std::string set_single(BridgeArguments& arguments, const ConfigEntry& entry) {
  const std::string& text = entry.values.front();
  if (entry.key == "target" || entry.key == "target-version") {
    if (entry.kind != ConfigEntry::Kind::text) return "a string";
    std::string& value = entry.key == "target" ? arguments.target : arguments.target_version;
    if (value.empty()) value = text;
    return "";
  }
  if (entry.key == "lite") {
    arguments.lite |= text == "true";
    return entry.kind == ConfigEntry::Kind::yes_no ? "" : "true or false";
  }
  const auto number = entry.kind == ConfigEntry::Kind::number ? number_of(text) : std::nullopt;
  if (entry.key == "threads") {
    if (!number || *number < 1 || *number > 1024 || *number != static_cast<std::uint32_t>(*number))
      return "a whole number from 1 to 1024";
    if (arguments.threads == 0) arguments.threads = static_cast<std::uint32_t>(*number);
    return "";
  }
  if (!number || *number == 0) return "a number of seconds above 0";
  double& value =
      entry.key == "connect-timeout" ? arguments.connect_timeout_s : arguments.stop_timeout_s;
  if (value == 0) value = *number;
  return "";
}

std::string unknown_key(const std::string& key) {
  Texts names(std::begin(single_keys), std::end(single_keys));
  for (const ListOption& option : list_options) names.emplace_back(option.name);
  return "unknown key '" + key + "'" + did_you_mean(key, names);
}

/// Applies the entry, and returns an empty text, or returns what is wrong with the entry.
std::string apply(BridgeArguments& arguments, const ConfigEntry& entry) {
  using Kind = ConfigEntry::Kind;
  const auto wrong_value = [&entry](const std::string& needed) {
    return "'" + entry.key + "' is " +
           (entry.kind == Kind::texts ? to_text(entry.kind) : "'" + entry.values.front() + "'") +
           ", but " + needed + " is needed";
  };
  for (const ListOption& option : list_options) {
    if (entry.key != option.name) continue;
    if (entry.kind != Kind::text && entry.kind != Kind::texts)
      return wrong_value("a string, or an array of strings,");
    Texts& list = arguments.*option.list;
    list.insert(list.end(), entry.values.begin(), entry.values.end());
    return "";
  }
  if (std::ranges::find(single_keys, entry.key) == std::end(single_keys))
    return unknown_key(entry.key);
  if (entry.kind == Kind::texts) return wrong_value("one value");
  const std::string needed = set_single(arguments, entry);
  return needed.empty() ? "" : wrong_value(needed);
}

std::optional<messaging::Version> version_of(const std::string& text) {
  if (text.size() != 3 || !text.starts_with("1.") || text[2] < '0' || text[2] > '2')
    return std::nullopt;
  return messaging::Version{1, static_cast<std::uint8_t>(text[2] - '0')};
}

std::optional<std::string> bad_key(const Texts& texts, std::vector<iop::ObjectKey>& keys) {
  for (const std::string& text : texts) {
    auto key = parse_key(text);
    if (!key) return "'" + text + "' is not the beginning of an object key";
    keys.push_back(std::move(*key));
  }
  return std::nullopt;
}

/// Returns an empty text, or the error in the first wrong endpoint.
std::string set_endpoints(const BridgeArguments& arguments, bridge::Options& options) {
  for (const std::string& text : arguments.listen) {
    auto endpoint = transport::parse_endpoint(text);
    if (!endpoint) return to_string(endpoint.error());
    options.listen.push_back(std::move(*endpoint));
  }
  if (arguments.target.empty()) return "";
  auto endpoint = transport::parse_endpoint(arguments.target);
  if (!endpoint) return to_string(endpoint.error());
  options.target = std::move(*endpoint);
  return "";
}

}  // namespace

void add_options(CLI::App& command, BridgeArguments& arguments) {
  for (const ListOption& option : list_options)
    command.add_option(words_of(option), arguments.*option.list, option.meaning)
        ->type_name(option.value)
        ->allow_extra_args(false);
  command
      .add_option("--target", arguments.target,
                  "Where requests go, like uiop:///run/bank/orb; default: to the first reference")
      ->type_name("ENDPOINT");
  command
      .add_option("--target-version", arguments.target_version,
                  "The highest GIOP version of the target, if no reference states it; default: 1.2")
      ->type_name("VERSION");
  command.add_flag("--lite", arguments.lite, "The target reads GIOPlite");
  command.add_option("--threads", arguments.threads, "Threads; default: one for each CPU")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--connect-timeout", arguments.connect_timeout_s,
                  "Time limit in seconds for a connection to a target; default: 10")
      ->check(time_limit(NoLimit::refused));
  command
      .add_option("--stop-timeout", arguments.stop_timeout_s,
                  "How long requests in progress may take after SIGTERM, in seconds; default: 5")
      ->check(time_limit(NoLimit::refused));
  command.add_option("--config", arguments.config,
                     "A TOML file with further options: its keys are the names of the options");
}

std::expected<void, std::string> read_config(BridgeArguments& arguments) {
  if (arguments.config.empty()) return {};
  const auto entries = read_entries(arguments.config);
  if (!entries) return std::unexpected(entries.error());
  for (const ConfigEntry& entry : *entries)
    if (const std::string mistake = apply(arguments, entry); !mistake.empty())
      return std::unexpected(entry.place + ": " + mistake);
  return {};
}

std::expected<bridge::Options, std::string> to_options(const BridgeArguments& arguments) {
  bridge::Options options;
  if (arguments.listen.empty()) return std::unexpected("--listen is missing");
  if (arguments.target.empty() && arguments.references.empty())
    return std::unexpected("--target or --reference is missing");
  if (const std::string mistake = set_endpoints(arguments, options); !mistake.empty())
    return std::unexpected(mistake);
  if (!arguments.target_version.empty()) {
    const auto version = version_of(arguments.target_version);
    if (!version)
      return std::unexpected("'" + arguments.target_version + "' is not 1.0, 1.1 or 1.2");
    options.target_version = *version;
  }
  options.rules.operations_allowed = arguments.operations_allowed;
  options.rules.operations_denied = arguments.operations_denied;
  if (auto mistake = bad_key(arguments.objects_allowed, options.rules.objects_allowed))
    return std::unexpected(*mistake);
  if (auto mistake = bad_key(arguments.objects_denied, options.rules.objects_denied))
    return std::unexpected(*mistake);
  idlc::SystemFiles files;
  auto plan = read_idl({arguments.idl_files, arguments.idl_folders, arguments.idl_macros},
                       options.rules, files);
  if (!plan) return std::unexpected(plan.error());
  options.rewriting = std::move(*plan);
  options.lite_to_target = arguments.lite;
  options.threads = arguments.threads;
  if (arguments.connect_timeout_s != 0)
    options.connect_timeout = to_milliseconds(arguments.connect_timeout_s);
  if (arguments.stop_timeout_s != 0)
    options.stop_timeout = to_milliseconds(arguments.stop_timeout_s);
  return options;
}

}  // namespace perigee::tool
