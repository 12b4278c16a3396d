// Makes an authority, and certificates of a server and a client, in one folder. The key of the
// authority stays in the folder. A later command replaces the certificates of server and client,
// and uses the same authority.
#include "cert_command.h"

#include "certificate_maker.h"
#include "result.h"
#include <perigee/ipc/inet_addr.h>
#include <perigee/ipc/resolver.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace perigee::tool {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string folder;
  std::vector<std::string> names;
  int days = 30;
  bool json = false;
};

Identity make_authority(const fs::path& folder, std::chrono::hours valid) {
  CertificateContents contents;
  contents.common_name = "authority for tests, not for production";
  contents.is_authority = true;
  contents.valid_until = valid;
  Identity authority = make_identity(contents);
  write_certificate(authority, folder / "authority.pem");
  write_key(authority, folder / "authority.key");
  return authority;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "localhost";
}

/// The names and addresses by which other programs reach this host, and `further` ones.
CertificateContents contents_for_host(const std::string& common_name,
                                      const std::vector<std::string>& further) {
  CertificateContents contents;
  contents.common_name = common_name;
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1", host_name()};
  names.push_back(ipc::primary_address().host());
  names.insert(names.end(), further.begin(), further.end());
  for (const std::string& name : names) {
    auto& kind = ipc::InetAddr::parse_host(name, 0) ? contents.ip_addresses : contents.dns_names;
    if (std::ranges::find(kind, name) == kind.end()) kind.push_back(name);
  }
  return contents;
}

struct Written {
  fs::path certificate;
  fs::path key;
};

Written issue(const fs::path& folder, const std::string& name, const CertificateContents& contents,
              const Identity& authority) {
  const Identity identity = make_identity(contents, &authority);
  const Written written{folder / (name + ".pem"), folder / (name + ".key")};
  write_certificate(identity, written.certificate);
  write_key(identity, written.key);
  return written;
}

// A path with a space or another special character is quoted, so that the line can be pasted.
std::string quoted(const fs::path& path) {
  std::string text = path.string();
  if (text.find_first_of(" '\"\\$&;()<>|*?[]#~`!\n\t") == std::string::npos) return text;
  std::string result = "'";
  for (const char character : text)
    result += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return result + "'";
}

void make(const Arguments& arguments) {
  const fs::path folder = fs::absolute(arguments.folder).lexically_normal();
  fs::create_directories(folder);
  const std::chrono::hours valid = std::chrono::hours(24) * arguments.days;
  const bool has_authority = fs::exists(folder / "authority.key");
  const Identity authority = has_authority
                                 ? read_identity(folder / "authority.pem", folder / "authority.key")
                                 : make_authority(folder, valid);
  const auto& names = arguments.names;
  CertificateContents server =
      contents_for_host(names.empty() ? host_name() : names.front(), names);
  server.valid_until = valid;
  // The client has names, too: a server that calls it back checks the names in its certificate.
  CertificateContents client = contents_for_host("client", {});
  client.valid_until = valid;
  const Written for_server = issue(folder, "server", server, authority);
  const Written for_client = issue(folder, "client", client, authority);
  const fs::path trusted = folder / "authority.pem";
  const auto options = [&](const Written& written) {
    return "-ORBTlsCertificate " + quoted(written.certificate) + " -ORBTlsKey " +
           quoted(written.key) + " -ORBTlsAuthorities " + quoted(trusted);
  };
  Result result;
  result.text = "The certificates are valid for " + std::to_string(arguments.days) +
                " days. They are for tests only: the key of their authority lies beside them.\n"
                "server: " +
                options(for_server) + "\nclient: " + "-ORBTlsAuthorities " + quoted(trusted) +
                "\nclient with a certificate: " + options(for_client) + '\n';
  result.json = {{"authority", trusted.string()},
                 {"server",
                  {{"certificate", for_server.certificate.string()},
                   {"key", for_server.key.string()},
                   {"dns_names", server.dns_names},
                   {"ip_addresses", server.ip_addresses}}},
                 {"client",
                  {{"certificate", for_client.certificate.string()},
                   {"key", for_client.key.string()},
                   {"dns_names", client.dns_names},
                   {"ip_addresses", client.ip_addresses}}},
                 {"days", arguments.days}};
  print(result, format_of(arguments.json));
}

}  // namespace

void add_cert_command(CLI::App& program) {
  CLI::App* const command = program.add_subcommand(
      "cert", "Make certificates for a first try of TLS: an authority, a server, a client");
  const auto arguments = std::make_shared<Arguments>();
  command
      ->add_option("folder", arguments->folder,
                   "Folder for the files; created if it does not exist")
      ->required();
  command
      ->add_option("--name", arguments->names,
                   "Further name or address of the server; may be repeated. The certificate always "
                   "contains localhost and the names of this host")
      ->allow_extra_args(false);
  command->add_option("--days", arguments->days, "How many days the certificates are valid")
      ->check(CLI::Range(1, 3650))
      ->capture_default_str();
  add_json_option(*command, arguments->json);
  command->callback([arguments] { make(*arguments); });
}

}  // namespace perigee::tool
