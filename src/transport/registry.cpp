// The registry of protocols, and endpoints as text.
#include <perigee/transport/registry.h>

#include <algorithm>
#include <utility>

namespace perigee::transport {
namespace {

/// RFC 3986, 3.1, in lower case as all our schemes are.
bool is_scheme(std::string_view text) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto other = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  };
  return !text.empty() && letter(text.front()) && std::ranges::all_of(text, other);
}

bool has_scheme(const ProtocolFactory& factory, std::string_view scheme) noexcept {
  const auto schemes = factory.schemes();
  return std::ranges::find(schemes, scheme) != schemes.end();
}

std::unexpected<IoError> bad_address(std::string_view text) {
  return std::unexpected(
      IoError{IoErrorKind::bad_address, IoOperation::none, 0, std::string(text)});
}

}  // namespace

std::string to_string(const Endpoint& endpoint) {
  return endpoint.scheme + "://" + endpoint.address;
}

std::expected<Endpoint, IoError> parse_endpoint(std::string_view text) {
  const auto separator = text.find("://");
  if (separator == std::string_view::npos) return bad_address(text);
  const auto scheme = text.substr(0, separator);
  if (!is_scheme(scheme)) return bad_address(text);
  return Endpoint{std::string(scheme), std::string(text.substr(separator + 3))};
}

ProtocolRegistry::ProtocolRegistry() = default;
ProtocolRegistry::~ProtocolRegistry() = default;

std::expected<void, IoError> ProtocolRegistry::add(std::unique_ptr<ProtocolFactory> factory) {
  for (const auto scheme : factory->schemes()) {
    if (find(scheme) != nullptr) return bad_address(scheme);
  }
  auto connector = factory->make_connector();
  entries_.push_back({std::move(factory), std::move(connector)});
  return {};
}

ProtocolFactory* ProtocolRegistry::find(std::string_view scheme) const noexcept {
  for (const auto& entry : entries_) {
    if (has_scheme(*entry.factory, scheme)) return entry.factory.get();
  }
  return nullptr;
}

Connector* ProtocolRegistry::connector(std::string_view scheme) const noexcept {
  for (const auto& entry : entries_) {
    if (has_scheme(*entry.factory, scheme)) return entry.connector.get();
  }
  return nullptr;
}

std::optional<ProfileTarget> ProtocolRegistry::claim(const iop::TaggedProfile& profile) const {
  for (const auto& entry : entries_) {
    if (auto target = entry.factory->claim(profile)) return target;
  }
  return std::nullopt;
}

}  // namespace perigee::transport
