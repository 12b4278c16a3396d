// Taking addresses of the scheme "uiop" apart.
#include "transport/local/local_address.h"

#include "transport/stream/errors.h"
#include <perigee/transport/local.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace perigee::transport {
namespace {

constexpr std::string_view mode_option = "mode=";
constexpr std::string_view omniorb_option = "publish=omniorb";
constexpr std::uint32_t mode_max = 0777;

std::optional<std::uint32_t> parse_mode(std::string_view text) noexcept {
  std::uint32_t mode = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto parsed = std::from_chars(begin, end, mode, 8);
  if (parsed.ec != std::errc{} || parsed.ptr != end || mode > mode_max) return std::nullopt;
  return mode;
}

bool parse_option(std::string_view text, LocalListenAddress& listen) noexcept {
  if (text == omniorb_option) return listen.for_omniorb = true;
  if (!text.starts_with(mode_option)) return false;
  const auto mode = parse_mode(text.substr(mode_option.size()));
  if (mode) listen.mode = *mode;
  return mode.has_value();
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

// A relative path would mean something else to each client.
std::optional<ipc::UnixAddr> parse_local_address(std::string_view address) noexcept {
  if (address.contains('\0')) return std::nullopt;
  if (!address.starts_with('/') && !address.starts_with('@')) return std::nullopt;
  return ipc::UnixAddr::parse(address);
}

std::expected<LocalListenAddress, IoError> parse_local_listen_address(const Endpoint& endpoint) {
  const std::string_view text = endpoint.address;
  const std::size_t question = text.find('?');
  const std::string_view address = text.substr(0, question);
  const auto place = parse_local_address(address);
  if (endpoint.scheme != uiop_scheme || !place)
    return bad_address(IoOperation::listen, endpoint,
                       "/<path> or @<name> is needed, of at most 107 octets");
  LocalListenAddress listen{std::string(address), *place};
  if (question == std::string_view::npos) return listen;
  const bool has_file = place->kind() == ipc::UnixAddr::Kind::path;
  if (!has_file || !parse_options(text.substr(question + 1), listen))
    return bad_address(IoOperation::listen, endpoint,
                       "after ? only mode=<octal> and publish=omniorb are known, with & between, "
                       "and only for a path");
  return listen;
}

std::string local_host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) == -1) return {};
  return name.data();
}

}  // namespace perigee::transport
