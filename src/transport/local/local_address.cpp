// Parses addresses of the scheme "uiop".
#include "transport/local/local_address.h"

#include "transport/stream/errors.h"
#include <perigee/transport/local.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace perigee::transport {
namespace {

constexpr std::string_view mode_option = "mode=";
constexpr std::string_view omniorb_option = "publish=omniorb";
constexpr std::string_view user_option = "user=";
constexpr std::uint32_t mode_max = 0777;

std::optional<std::uint32_t> parse_number(std::string_view text, int base) noexcept {
  std::uint32_t number = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto parsed = std::from_chars(begin, end, number, base);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return number;
}

// A relative path is refused: it would mean a different file to each client.
std::optional<LocalAddress> parse_place(std::string_view text) {
  if (text.contains('\0')) return std::nullopt;
  if (!text.starts_with('/') && !text.starts_with('@')) return std::nullopt;
  const auto place = ipc::UnixAddr::parse(text);
  if (!place) return std::nullopt;
  return LocalAddress{std::string(text), *place, std::nullopt};
}

bool parse_option(std::string_view text, LocalListenAddress& listen) noexcept {
  if (text == omniorb_option) return listen.for_omniorb = true;
  if (!text.starts_with(mode_option)) return false;
  const auto mode = parse_number(text.substr(mode_option.size()), 8);
  if (mode) listen.mode = *mode;
  return mode && *mode <= mode_max;
}

/// "mode=0660&publish=omniorb"
bool parse_options(std::string_view text, LocalListenAddress& listen) noexcept {
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('&', start), text.size());
    if (!parse_option(text.substr(start, end - start), listen)) return false;
    start = end + 1;
  }
  return true;
}

}  // namespace

std::optional<LocalAddress> parse_local_address(std::string_view text) {
  const std::size_t question = text.find('?');
  auto address = parse_place(text.substr(0, question));
  if (!address || question == std::string_view::npos) return address;
  const std::string_view option = text.substr(question + 1);
  if (option.starts_with(user_option))
    address->user = parse_number(option.substr(user_option.size()), 10);
  if (!address->user) return std::nullopt;
  return address;
}

std::string published_address(const LocalAddress& address, std::uint32_t user) {
  return address.text + '?' + std::string(user_option) + std::to_string(user);
}

std::expected<LocalListenAddress, IoError> parse_local_listen_address(const Endpoint& endpoint) {
  const std::string_view text = endpoint.address;
  const std::size_t question = text.find('?');
  auto address = parse_place(text.substr(0, question));
  if (endpoint.scheme != uiop_scheme || !address)
    return bad_address(IoOperation::listen, endpoint, address_needed);
  LocalListenAddress listen{std::move(*address)};
  if (question == std::string_view::npos) return listen;
  const bool has_file = listen.address.place.kind() == ipc::UnixAddr::Kind::path;
  if (!has_file || !parse_options(text.substr(question + 1), listen))
    return bad_address(
        IoOperation::listen, endpoint,
        "after ? write mode=<octal> or publish=omniorb, or both with & between them; "
        "only a path can have these options");
  return listen;
}

std::string local_host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) == -1) return {};
  return name.data();
}

}  // namespace perigee::transport
