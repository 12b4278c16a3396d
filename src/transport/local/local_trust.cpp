// Parses the trust of a client (-ORBUiopTrust), and applies it to sockets and users.
#include "transport/local/local_trust.h"

#include "transport/local/socket_file.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace perigee::transport {
namespace {

constexpr std::string_view trusted_name_prefix = "@perigee-";

// The system does not say how much space an entry needs, so the space grows until it is enough.
std::optional<std::uint32_t> find_user(const std::string& name) {
  constexpr std::size_t space_max = std::size_t{1} << 20;
  for (std::size_t size = 4096; size <= space_max; size *= 2) {
    std::vector<char> space(size);
    passwd entry{};
    passwd* found = nullptr;
    const int error = ::getpwnam_r(name.c_str(), &entry, space.data(), space.size(), &found);
    if (error == ERANGE) continue;
    if (error != 0 || found == nullptr) return std::nullopt;
    return found->pw_uid;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> parse_user(const std::string& name) {
  if (name == "root") return 0;  // works on systems without user names, too
  std::uint32_t number = 0;
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data(), end, number);
  if (parsed.ec == std::errc{} && parsed.ptr == end) return number;
  return find_user(name);
}

std::string without_slash_behind(std::string folder) {
  while (folder.ends_with('/')) folder.pop_back();
  return folder;
}

/// Begins with the default trust. The first user that the text names replaces the default users.
struct Parsed {
  LocalTrust trust;
  bool names_users = false;

  bool add(const std::string& entry) {
    if (entry.starts_with('/') || entry.starts_with('@')) {
      trust.places.push_back(entry[0] == '/' ? without_slash_behind(entry) : entry);
      return true;
    }
    if (!std::exchange(names_users, true)) trust = {false, false, {}, std::move(trust.places)};
    if (entry == "all") return trust.everybody = true;
    if (entry == "own") return trust.own_user = true;
    const auto user = parse_user(entry);
    if (user) trust.users.push_back(*user);
    return user.has_value();
  }
};

std::string content_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// False for a path with "..", which may lead out of the folder.
bool is_in(const std::string& path, const std::string& folder) {
  return path.starts_with(folder + '/') &&
         std::filesystem::path(path).lexically_normal() == std::filesystem::path(path);
}

}  // namespace

std::expected<LocalTrust, std::string> parse_local_trust(std::string_view text) {
  Parsed parsed;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string entry(text.substr(start, end - start));
    if (!parsed.add(entry))
      return std::unexpected("'" + entry +
                             "' is not a user; write a user, own, all, /<folder> or @<prefix>");
    start = end + 1;
  }
  return std::move(parsed.trust);
}

bool trusts_place(const LocalTrust& trust, const std::string& address) {
  if (trust.places.empty())
    return !address.starts_with('@') || address.starts_with(trusted_name_prefix);
  return std::ranges::any_of(trust.places, [&address](const std::string& place) {
    return place.starts_with('@') ? address.starts_with(place) : is_in(address, place);
  });
}

bool trusts_socket(const LocalTrust& trust, const std::string& address) {
  if (!trusts_place(trust, address)) return false;
  if (!trust.places.empty() || address.starts_with('@')) return true;
  struct stat status{};
  if (::stat(address.c_str(), &status) == -1 || !S_ISSOCK(status.st_mode)) return true;
  return (status.st_mode & socket_mark) != 0;
}

// Each line describes one range: first number here, first number outside, count.
UserNumbers user_numbers(std::uint32_t own, const std::string& map, const std::string& overflow) {
  constexpr std::uint64_t all_users = 0xffff'ffff;  // the last number belongs to no user
  constexpr std::uint32_t usual_overflow = 65'534;
  std::uint64_t mapped = 0;
  std::istringstream lines(map);
  for (std::uint64_t here = 0, outside = 0, count = 0; lines >> here >> outside >> count;)
    mapped += count;
  if (mapped >= all_users) return {own, std::nullopt};
  std::uint32_t number = usual_overflow;
  std::istringstream(overflow) >> number;
  return {own, number};
}

// The number is cached: a process with several threads cannot change its user namespace.
UserNumbers user_numbers_here() {
  static const std::optional<std::uint32_t> of_others =
      user_numbers(0, content_of("/proc/self/uid_map"), content_of("/proc/sys/kernel/overflowuid"))
          .of_others;
  return {::geteuid(), of_others};
}

bool trusts_user(const LocalTrust& trust, std::uint32_t user, const UserNumbers& here) noexcept {
  if (trust.everybody) return true;
  if (!here.tells_apart(user)) return false;
  return (trust.own_user && user == here.own) ||
         std::ranges::find(trust.users, user) != trust.users.end();
}

}  // namespace perigee::transport
