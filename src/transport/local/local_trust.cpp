// Whom clients trust: as people write it, and what it allows.
#include "transport/local/local_trust.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>

namespace perigee::transport {
namespace {

std::optional<std::uint32_t> parse_user(const std::string& name) {
  if (name == "root") return 0;  // where there are no names, too
  std::uint32_t number = 0;
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data(), end, number);
  if (parsed.ec == std::errc{} && parsed.ptr == end) return number;
  std::array<char, 4096> space{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwnam_r(name.c_str(), &entry, space.data(), space.size(), &found) != 0 ||
      found == nullptr)
    return std::nullopt;
  return found->pw_uid;
}

std::string without_slash_behind(std::string folder) {
  while (folder.ends_with('/')) folder.pop_back();
  return folder;
}

/// Begins with what nobody is trusted by; the first user that is named ends the default.
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

/// A path with ".." may lead out of the folder that it begins with.
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
                             "' is no user; own, all, /<folder> and @<prefix> are known besides");
    start = end + 1;
  }
  return std::move(parsed.trust);
}

bool trusts_place(const LocalTrust& trust, const std::string& address) {
  return trust.places.empty() ||
         std::ranges::any_of(trust.places, [&address](const std::string& place) {
           return place.starts_with('@') ? address.starts_with(place) : is_in(address, place);
         });
}

bool trusts_user(const LocalTrust& trust, std::uint32_t user) noexcept {
  return trust.everybody || (trust.own_user && user == ::geteuid()) ||
         std::ranges::find(trust.users, user) != trust.users.end();
}

}  // namespace perigee::transport
