// Reads the rules, and compares them with clients.
#include "services/access/access.h"

#include <perigee/base/printable.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace perigee::services {

namespace {

using Kind = AccessRule::Kind;

struct Form {
  std::string_view prefix;
  Kind kind;
};
constexpr std::array<Form, 4> forms{{{"user=", Kind::user},
                                     {"subject=", Kind::subject},
                                     {"dns=", Kind::dns_name},
                                     {"fingerprint=", Kind::fingerprint}}};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char character) {
    return static_cast<char>(std::tolower(character));
  });
  return result;
}

/// The digits of a fingerprint without the colons that OpenSSL prints.
std::string digits_of(std::string_view fingerprint) {
  std::string digits = lower(fingerprint);
  std::erase(digits, ':');
  return digits;
}

/// "10.0.0.7" of "iiop://10.0.0.7:40000", "::1" of "iiop://[::1]:40000".
std::string_view host_of(std::string_view address) {
  const std::size_t slashes = address.find("://");
  std::string_view host = slashes == std::string_view::npos ? address : address.substr(slashes + 3);
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.rfind(':'));
}

/// Before an IPv4 address in the form of IPv6.
constexpr std::string_view mapped_ipv4 = "::ffff:";

std::vector<std::string_view> groups_of(std::string_view text) {
  std::vector<std::string_view> groups;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(':'), text.size());
    groups.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return groups;
}

/// The first 64 bits of an IPv6 address, as "2001:db8:0:1::/64". RFC 4291, 2.2: "::" stands for
/// groups of zeros.
std::string network_of(std::string_view address) {
  const std::size_t zeros = address.find("::");
  std::vector<std::string_view> groups = groups_of(address.substr(0, zeros));
  if (zeros != std::string_view::npos) {
    const std::vector<std::string_view> last = groups_of(address.substr(zeros + 2));
    while (groups.size() + last.size() < 8) groups.emplace_back("0");
    groups.insert(groups.end(), last.begin(), last.end());
  }
  groups.resize(4, "0");
  std::string network;
  for (const std::string_view group : groups) network += std::string(group) + ':';
  return network + ":/64";
}

bool fits_certificate(const AccessRule& rule, const PeerCertificate& certificate) {
  if (!certificate.is_verified) return false;
  switch (rule.kind) {
    case Kind::subject:
      return certificate.subject == rule.value;
    case Kind::dns_name:
      return std::ranges::any_of(certificate.dns_names, [&](const std::string& name) {
        return lower(name) == lower(rule.value);
      });
    case Kind::fingerprint:
      return digits_of(certificate.fingerprint) == rule.value;
    default:
      return false;
  }
}

bool fits(const AccessRule& rule, const Client& client) {
  switch (rule.kind) {
    case Kind::any:
      return true;
    case Kind::local:
      return is_local(client.address);
    case Kind::user:
      return client.identity && std::to_string(client.identity->user) == rule.value;
    default:
      return client.certificate && fits_certificate(rule, *client.certificate);
  }
}

bool is_valid(const AccessRule& rule) {
  const auto all = [&](auto accepts) {
    return !rule.value.empty() && std::ranges::all_of(rule.value, [&](unsigned char character) {
      return accepts(character) != 0;
    });
  };
  if (rule.kind == Kind::user) return all([](int character) { return std::isdigit(character); });
  if (rule.kind == Kind::fingerprint)
    return rule.value.size() == 64 && all([](int character) { return std::isxdigit(character); });
  return !rule.value.empty();
}

}  // namespace

std::expected<void, std::string> add_rule(std::string_view text, std::vector<AccessRule>& rules) {
  if (text == "none") return {};
  if (text == "any" || text == "local") {
    rules.push_back({text == "any" ? Kind::any : Kind::local, {}});
    return {};
  }
  for (const Form& form : forms) {
    if (!text.starts_with(form.prefix)) continue;
    AccessRule rule{form.kind, std::string(text.substr(form.prefix.size()))};
    if (rule.kind == Kind::fingerprint) rule.value = digits_of(rule.value);
    if (!is_valid(rule)) break;
    rules.push_back(std::move(rule));
    return {};
  }
  return std::unexpected(
      "'" + printable(text) +
      "' is not an access rule; write any, none, local, user=<number>, "
      "subject=<distinguished name>, dns=<name>, or fingerprint=<64 hexadecimal digits>");
}

bool is_local(std::string_view address) {
  if (address.empty()) return true;  // a call within the process
  if (address.starts_with("uiop:") || address.starts_with("shmiop:")) return true;
  std::string_view host = host_of(address);
  if (host == "::1") return true;
  if (host.starts_with(mapped_ipv4)) host.remove_prefix(mapped_ipv4.size());
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos;
}

bool is_admitted(const std::vector<AccessRule>& rules, const Client& client) {
  if (client.address.empty()) return true;
  return std::ranges::any_of(rules, [&](const AccessRule& rule) { return fits(rule, client); });
}

// One host has many addresses of an IPv6 network, and all of 127.0.0.0/8.
std::string name_of(const Client& client) {
  if (client.identity) return "user " + std::to_string(client.identity->user);
  if (client.certificate && client.certificate->is_verified)
    return "subject " + client.certificate->subject;
  if (is_local(client.address)) return "this host";
  const std::string_view host = host_of(client.address);
  if (host.starts_with(mapped_ipv4)) return std::string(host.substr(mapped_ipv4.size()));
  return host.contains(':') ? network_of(host) : std::string(host);
}

}  // namespace perigee::services
