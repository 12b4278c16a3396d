// The program perigee-names: a naming service that keeps its names in memory, in a file or in etcd.
#include "arguments.h"
#include "end_orb.h"
#include "etcd_metrics.h"
#include "make_orb.h"
#include "orb_options.h"
#include "services/naming_etcd/etcd_store.h"
#include "usage.h"
#include <perigee/corba.h>
#include <perigee/services/naming/service.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using perigee::naming::Store;
using perigee::tool::NamesArguments;

/// The store. `etcd` is the same object if the store is in etcd; otherwise null.
struct OpenStore {
  std::unique_ptr<Store> store;
  const perigee::naming::EtcdStore* etcd = nullptr;
};

template <typename Opened>
auto value_of(std::expected<Opened, perigee::naming::StoreError> opened) {
  if (!opened) throw std::runtime_error(opened.error().text);
  return std::move(*opened);
}

OpenStore open_store(const NamesArguments& arguments) {
  const std::string& where = arguments.store;
  if (where == "memory")
    return {perigee::naming::make_memory_store({.contexts_max = arguments.contexts_max})};
  if (where == "etcd") {
    auto store = value_of(perigee::naming::open_etcd_store(perigee::tool::etcd_options(arguments)));
    const perigee::naming::EtcdStore* const etcd = store.get();
    return {std::move(store), etcd};
  }
  if (where.empty())
    throw std::runtime_error(
        "no folder for the names: neither XDG_STATE_HOME nor HOME is set; write --store FILE");
  return {value_of(
      perigee::naming::open_sqlite_store(where, {.contexts_max = arguments.contexts_max}))};
}

/// Other programs never see a half-written file.
void write_reference(const std::string& path, const std::string& reference) {
  const std::string unfinished = path + ".new";
  std::ofstream file(unfinished);
  file << reference << '\n';
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(unfinished, path, error);
  if (!file || error) throw std::runtime_error(path + ": cannot write the reference");
}

void serve(const NamesArguments& arguments, std::vector<std::string> orb_options) {
  perigee::naming::Options options;
  options.may_change = perigee::tool::access_rules(arguments);
  options.limits = arguments.limits;
  OpenStore opened = open_store(arguments);
  const auto orb = perigee::tool::make_orb("perigee-names", std::move(orb_options));
  const perigee::naming::NamingService service(orb, std::move(opened.store), std::move(options));
  std::optional<perigee::orb::AddedMetrics> metrics;  // ends before the store, which it reads
  if (opened.etcd != nullptr)
    metrics.emplace(orb, [etcd = opened.etcd](perigee::orb::MetricsSnapshot& snapshot) {
      perigee::tool::append_etcd_metrics(etcd->status(), snapshot);
    });
  const perigee::tool::EndOrb end("perigee-names", orb);  // after the service: the ORB ends first
  const std::string reference = orb->object_to_string(service.root());
  IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"))
      ->the_POAManager()
      ->activate();
  perigee::serve_until_signal(orb, [&] {
    if (!arguments.reference_file.empty()) write_reference(arguments.reference_file, reference);
    std::cout << reference << std::endl;
  });
}

void add_options(CLI::App& program, NamesArguments& arguments) {
  program
      .add_option("--store", arguments.store, "'memory', 'etcd', or the file that keeps the names")
      ->default_val(perigee::tool::default_store());
  program
      .add_option("--endpoint", arguments.endpoints,
                  "Where to listen; may be repeated (default: iiop://:2809)")
      ->type_name("scheme://address");
  program.add_option("--ior-file", arguments.reference_file,
                     "A file that gets the reference of the root context");
  program
      .add_option(
          "--allow-bind", arguments.rules,
          "Clients that may change names; may be repeated: any, none, local, user=<number>, "
          "subject=<name>, dns=<name>, fingerprint=<digits> (default: local)")
      ->type_name("RULE");
  program
      .add_option("--iterators-max", arguments.limits.iterators_max,
                  "Largest number of iterators of all clients; a further iterator ends the "
                  "least recently used iterator")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  program
      .add_option("--iterators-per-client-max", arguments.limits.iterators_per_client_max,
                  "Largest number of iterators of one client")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  program
      .add_option("--contexts-max", arguments.contexts_max,
                  "Largest number of contexts, including the root context")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40))
      ->capture_default_str();
}

void add_etcd_options(CLI::App& program, NamesArguments& arguments) {
  perigee::naming::EtcdStoreOptions& etcd = arguments.etcd;
  program
      .add_option("--etcd", etcd.members,
                  "Members of the etcd cluster, for --store etcd; several are separated by commas")
      ->delimiter(',')
      ->type_name("http[s]://host:port");
  program.add_option("--etcd-prefix", etcd.prefix, "The prefix of all keys in etcd")
      ->capture_default_str();
  program.add_option("--etcd-authorities", etcd.authorities,
                     "A file with the certificates of authorities, for https");
  program.add_option("--etcd-certificate", etcd.certificate,
                     "A file with the certificate for etcd, if its members ask for one");
  program.add_option("--etcd-key", etcd.key, "A file with the key of this certificate");
  program
      .add_option("--etcd-staleness-max", arguments.staleness_max_s,
                  "Seconds for which names are resolved while no member of etcd answers")
      ->check(CLI::Range(0.1, 86'400.0))
      ->capture_default_str();
}

/// Without this check, servers that should share names would keep them in local files.
void require_etcd_store(const CLI::App& program, const NamesArguments& arguments) {
  if (arguments.store == "etcd") return;
  for (const CLI::Option* option : program.get_options())
    if (option->get_name().starts_with("--etcd") && option->count() > 0)
      throw perigee::tool::UsageError("perigee-names: " + option->get_name() +
                                      " needs --store etcd");
}

int run(int argc, char* argv[]) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::vector<std::string> given = perigee::tool::take_orb_options(words);
  CLI::App program("A naming service (CosNaming). It also takes the options of an ORB: -ORBHelp.");
  program.name("perigee-names");
  program.set_version_flag("--version", std::string("perigee-names ") + PERIGEE_VERSION);
  NamesArguments arguments;
  add_options(program, arguments);
  add_etcd_options(program, arguments);
  std::ranges::reverse(words);  // CLI11 takes words from the end
  try {
    program.parse(words);
  } catch (const CLI::ParseError& error) {
    return perigee::tool::report(program, error);
  }
  require_etcd_store(program, arguments);
  serve(arguments, perigee::tool::orb_options(arguments, std::move(given)));
  return perigee::tool::exit_done;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    return run(argc, argv);
  } catch (const perigee::tool::UsageError& mistake) {
    std::cerr << mistake.what() << '\n';
    return perigee::tool::exit_usage;
  } catch (const std::exception& failure) {
    std::cerr << "perigee-names: " << failure.what() << '\n';
    return perigee::tool::exit_failed;
  }
}
