// The systems of the tls experiment, their command lines and their certificates.
#include "cubit/raw.h"
#include "cubit/workloads.h"
#include "tls.h"

#include <fstream>
#include <stdexcept>

namespace perigee::bench {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::size_t large_size = 1u << 20;

bool makes_handshakes(const std::string& workload) {
  return workload == "connect" || workload == "resume";
}

// Without tickets, no client can resume a session. OpenSSL reads the file in each kind of server.
Words without_tickets(const fs::path& folder, Words server) {
  server.insert(server.begin(),
                {"/usr/bin/env", "OPENSSL_CONF=" + (folder / "no_tickets.cnf").string()});
  return server;
}

System c_program(const std::string& name, const TlsBenchOptions& options,
                 const std::string& workload, const fs::path& folder) {
  const std::string reads = name == "C TLS read-ahead" ? "ahead" : "exactly";
  const MessageSizes sizes = giop_sizes(makes_handshakes(workload) ? "void" : workload);
  return {name,
          {options.peers_program, "floor-server", folder.string(), reads},
          {options.peers_program, "floor-client", "{REF}", folder.string(), reads, workload,
           std::to_string(sizes.request), std::to_string(sizes.reply)},
          "C TLS"};
}

// A client of an ORB keeps its connections, so both ORBs get the same client for handshakes.
Words handshake_client(const TlsBenchOptions& options, const std::string& workload,
                       const fs::path& folder) {
  return {options.peers_program, "perigee-handshakes", "{REF}", folder.string(), workload};
}

System perigee(const std::string& name, const TlsBenchOptions& options, const std::string& workload,
               const fs::path& folder) {
  const std::string strategy = name == "Perigee reactive" ? "reactive" : "thread-per-connection";
  const Words role{own_executable(), "bench", "cubit-role"};
  System system{name, role, role, "C TLS"};
  system.server.insert(system.server.end(),
                       {"perigee-server", strategy, "ssliop://127.0.0.1:0", "GIOP",
                        "TlsCertificate", folder / "server.pem", "TlsKey", folder / "server.key"});
  system.client.insert(system.client.end(), {"perigee-client", "{REF}", "GIOP", "TlsAuthorities",
                                             folder / "authority.pem"});
  if (makes_handshakes(workload)) system.client = handshake_client(options, workload, folder);
  return system;
}

System omniorb(const TlsBenchOptions& options, const std::string& workload,
               const fs::path& folder) {
  const Words ssl{"-ORBsslCAFile",      folder / "authority.pem",
                  "-ORBsslKeyFile",     folder / "omniorb.pem",
                  "-ORBsslKeyPassword", "none",
                  "-ORBsslVerifyMode",  "none"};
  System system{"omniORB",
                omniorb_server(options.omniorb_program,
                               "giop:ssl:127.0.0.1:", OmniorbThreads::per_connection),
                {options.omniorb_program, "client", "{REF}"},
                "C TLS"};
  for (Words* command : {&system.server, &system.client})
    command->insert(command->end(), ssl.begin(), ssl.end());
  if (makes_handshakes(workload)) system.client = handshake_client(options, workload, folder);
  return system;
}

std::string text_of(const fs::path& file) {
  std::ifstream input(file);
  return {std::istreambuf_iterator<char>(input), {}};
}

}  // namespace

const std::vector<std::string>& tls_workloads() {
  static const std::vector<std::string> names{"void", cubit::borrowed_name(large_size), "connect",
                                              "resume"};
  return names;
}

std::string tls_workload_text(const std::string& workload) {
  if (workload == "connect") return "connect, handshake, a call without parameters, close";
  if (workload == "resume") return "the same with a resumed session";
  return workload_text(workload);
}

std::size_t tls_count(const TlsBenchOptions& options, const std::string& workload) {
  if (workload == "void") return options.calls;
  return std::max<std::size_t>(options.calls / (makes_handshakes(workload) ? 5 : 10), 2);
}

const Estimate& tls_measure(const TlsRatio& ratio, const std::string& workload) {
  return workload == "void" ? ratio.time : ratio.cpu;
}

void make_tls_files(const fs::path& folder) {
  Process maker({{own_executable(), "cert", folder.string()}, -1});
  (void)maker.read_rest();
  if (maker.wait() != 0) throw std::runtime_error("perigee cert has failed");
  std::ofstream(folder / "omniorb.pem")
      << text_of(folder / "server.pem") << text_of(folder / "server.key");
  std::ofstream(folder / "no_tickets.cnf") << "openssl_conf = all\n[all]\nssl_conf = ssl\n"
                                              "[ssl]\nsystem_default = servers\n"
                                              "[servers]\nNumTickets = 0\n";
}

std::vector<System> tls_systems(const TlsBenchOptions& options, const std::string& workload,
                                const fs::path& folder) {
  const bool all = options.systems == TlsSystems::all;
  std::vector<System> systems;
  for (const std::string name : {"C TLS", "null", "C TLS read-ahead"})
    if (all || name != "C TLS read-ahead")
      systems.push_back(c_program(name, options, workload, folder));
  systems.push_back(perigee("Perigee", options, workload, folder));
  if (all) systems.push_back(perigee("Perigee reactive", options, workload, folder));
  if (!options.omniorb_program.empty()) systems.push_back(omniorb(options, workload, folder));
  if (workload == "connect")
    for (System& system : systems) system.server = without_tickets(folder, system.server);
  return systems;
}

}  // namespace perigee::bench
