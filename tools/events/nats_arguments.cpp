// Options, and the check of their combination.
#include "nats_arguments.h"

#include "usage.h"

#include <cstddef>

namespace perigee::tool {

void add_nats_options(CLI::App& program, events::NatsStoreOptions& options) {
  constexpr std::size_t replicas_max = 5;
  program
      .add_option("--nats", options.servers,
                  "Servers of NATS, for --store nats; several are separated by commas")
      ->delimiter(',')
      ->type_name("nats://host:port or tls://host:port");
  program
      .add_option("--nats-prefix", options.prefix,
                  "The prefix of the names of streams and subjects. Services with the same prefix "
                  "share their channels")
      ->capture_default_str();
  program
      .add_option("--nats-replicas", options.replicas,
                  "Servers of NATS that keep each new channel: 1, or 3 or 5 of a cluster")
      ->check(CLI::Range(std::size_t{1}, replicas_max))
      ->capture_default_str();
  program.add_option("--nats-credentials", options.credentials,
                     "A file with the JWT and the seed of a user of NATS");
  program.add_option("--nats-authorities", options.authorities,
                     "A file with the certificates of further authorities, besides those of the "
                     "system, for tls");
  program.add_option("--nats-certificate", options.certificate,
                     "A file with the certificate for NATS, if its servers ask for one");
  program.add_option("--nats-key", options.key, "A file with the key of this certificate");
}

void check_nats_options(const CLI::App& program, const std::string& store) {
  if (store == "nats") {
    if (program.get_option("--nats")->count() == 0)
      throw UsageError("perigee-events: --store nats needs --nats nats://<host>:<port>");
    return;
  }
  for (const CLI::Option* option : program.get_options())
    if (option->get_name().starts_with("--nats") && option->count() > 0)
      throw UsageError("perigee-events: " + option->get_name() + " needs --store nats");
}

}  // namespace perigee::tool
