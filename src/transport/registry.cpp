// The registry of protocols, and endpoints as text.
#include <perigee/base/printable.h>
#include <perigee/transport/registry.h>

#include <algorithm>
#include <iterator>
#include <mutex>
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
  return endpoint.scheme + "://" + printable(endpoint.address);
}

std::expected<Endpoint, IoError> parse_endpoint(std::string_view text) {
  const auto separator = text.find("://");
  if (separator == std::string_view::npos) return bad_address(text);
  const auto scheme = text.substr(0, separator);
  if (!is_scheme(scheme)) return bad_address(text);
  return Endpoint{std::string(scheme), std::string(text.substr(separator + 3))};
}

// IIOP's codec is nobody's own: several protocols live in its profiles.
ProtocolRegistry::ProtocolRegistry() { codecs_.push_back({iop::make_iiop_codec(), "iop"}); }
ProtocolRegistry::~ProtocolRegistry() = default;

const ProtocolRegistry::Entry* ProtocolRegistry::entry_of(std::string_view scheme) const noexcept {
  const auto found = std::ranges::find_if(
      entries_, [scheme](const Entry& entry) { return has_scheme(*entry.factory, scheme); });
  return found == entries_.end() ? nullptr : &*found;
}

const ProtocolRegistry::Codec* ProtocolRegistry::codec_of(std::uint32_t tag) const noexcept {
  const auto found =
      std::ranges::find(codecs_, tag, [](const Codec& codec) { return codec.codec->tag(); });
  return found == codecs_.end() ? nullptr : &*found;
}

std::expected<void, IoError> ProtocolRegistry::check_new(
    const ProtocolFactory& factory,
    std::span<const std::unique_ptr<iop::ProfileCodec>> codecs) const {
  const std::string name(factory.name());
  for (const std::string_view scheme : factory.schemes())
    if (const Entry* const other = entry_of(scheme))
      return bad_address("protocol " + name + ": the scheme " + std::string(scheme) +
                         " is already that of protocol " + std::string(other->factory->name()));
  for (const auto& codec : codecs)
    if (const Codec* const other = codec_of(codec->tag()))
      return bad_address("protocol " + name + ": profiles with tag " +
                         std::to_string(codec->tag()) + " are already read by " + other->owner);
  return {};
}

std::expected<void, IoError> ProtocolRegistry::add(std::unique_ptr<ProtocolFactory> factory) {
  auto connector = factory->make_connector();
  auto codecs = factory->make_profile_codecs();
  const std::string owner = "protocol " + std::string(factory->name());
  const std::lock_guard lock(mutex_);
  if (auto checked = check_new(*factory, codecs); !checked) return checked;
  // First all that may fail: without memory nothing must be half registered.
  entries_.reserve(entries_.size() + 1);
  codecs_.reserve(codecs_.size() + codecs.size());
  for (auto& codec : codecs) codecs_.push_back({std::move(codec), owner});
  entries_.push_back({std::move(factory), std::move(connector)});
  return {};
}

ProtocolFactory* ProtocolRegistry::find(std::string_view scheme) const noexcept {
  const std::shared_lock lock(mutex_);
  const Entry* const entry = entry_of(scheme);
  return entry != nullptr ? entry->factory.get() : nullptr;
}

Connector* ProtocolRegistry::connector(std::string_view scheme) const noexcept {
  const std::shared_lock lock(mutex_);
  const Entry* const entry = entry_of(scheme);
  return entry != nullptr ? entry->connector.get() : nullptr;
}

std::optional<ProfileTarget> ProtocolRegistry::claim(const iop::TaggedProfile& profile) const {
  const std::shared_lock lock(mutex_);
  const Codec* const codec = codec_of(profile.tag);
  if (codec == nullptr) return std::nullopt;
  auto body = codec->codec->decode(profile, iop::IorLimits{});
  if (!body) return std::nullopt;
  ProfileTarget target;
  for (const Entry& entry : entries_)
    std::ranges::move(entry.factory->claim(profile.tag, *body),
                      std::back_inserter(target.endpoints));
  if (target.endpoints.empty()) return std::nullopt;
  target.major = body->major;
  target.minor = body->minor;
  target.object_key = std::move(body->object_key);
  target.components = std::move(body->components);
  return target;
}

std::vector<std::string> ProtocolRegistry::schemes() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::string> all;
  for (const Entry& entry : entries_)
    for (const std::string_view scheme : entry.factory->schemes()) all.emplace_back(scheme);
  return all;
}

}  // namespace perigee::transport
