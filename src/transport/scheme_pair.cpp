// Forwards to the transport of a pair, and replaces the transport's schemes by the scheme of the
// pair.
#include "transport/scheme_pair.h"

#include "transport/wrapped_connections.h"
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

namespace perigee::transport {
namespace {

/// The profile inside the envelope, without its data.
struct Inside {
  std::uint32_t tag = 0;
  std::string scheme;
};

Octets encode_inside(const Inside& inside) {
  return cdr::encode_encapsulation(std::endian::native, [&](cdr::Encoder& encoder) {
    encoder.write(inside.tag);
    encoder.write_string(inside.scheme);
  });
}

/// The first component of a decoded body describes the inner profile.
std::optional<Inside> inside_of(const iop::ProfileBody& body) {
  if (body.components.empty() || body.components.front().tag != scheme_profile_tag) return {};
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(body.components.front().data);
  Inside inside;
  inside.tag = decoder.read<std::uint32_t>();
  decoder.read_string(inside.scheme);
  return decoder.ok() ? std::optional(std::move(inside)) : std::nullopt;
}

iop::TaggedProfile enclose(const std::string& scheme, const iop::TaggedProfile& profile) {
  const auto write = [&](cdr::Encoder& encoder) {
    encoder.write(profile.tag);
    encoder.write_string(scheme);
    encoder.write_length(profile.data.size());
    encoder.write_octets(profile.data);
  };
  return {scheme_profile_tag, cdr::encode_encapsulation(std::endian::native, write)};
}

class SchemeProfileCodec final : public iop::ProfileCodec {
 public:
  explicit SchemeProfileCodec(CodecFinder find) : find_(std::move(find)) {}

  [[nodiscard]] std::uint32_t tag() const noexcept override { return scheme_profile_tag; }

  [[nodiscard]] std::expected<iop::ProfileBody, cdr::Error> decode(
      const iop::TaggedProfile& profile, const iop::IorLimits& limits) const override {
    cdr::Decoder decoder = cdr::Decoder::from_encapsulation(profile.data);
    Inside inside;
    inside.tag = decoder.read<std::uint32_t>();
    decoder.read_string(inside.scheme);
    const OctetSpan data = decoder.read_octet_sequence();
    // Nested envelopes are refused: the sender could choose the depth of this recursion.
    const auto* const codec = inside.tag != tag() ? find_(inside.tag) : nullptr;
    if (codec == nullptr) decoder.fail(cdr::ErrorKind::bad_value);
    if (!decoder.ok()) return std::unexpected(decoder.error());
    auto body = codec->decode({inside.tag, {data.begin(), data.end()}}, limits);
    if (!body) return body;
    body->components.insert(body->components.begin(), {tag(), encode_inside(inside)});
    return body;
  }

  [[nodiscard]] iop::TaggedProfile encode(const iop::ProfileBody& body) const override {
    const auto inside = inside_of(body);
    const auto* const codec = inside ? find_(inside->tag) : nullptr;
    if (codec == nullptr) return {tag(), {}};
    iop::ProfileBody own = body;
    own.components.erase(own.components.begin());
    return enclose(inside->scheme, codec->encode(own));
  }

 private:
  const CodecFinder find_;
};

class SchemePair final : public ProtocolFactory {
 public:
  SchemePair(std::string scheme, ProtocolFactory& transport)
      : renamed_(std::make_shared<const RenamedScheme>(std::move(scheme),
                                                       std::string(transport.schemes().front()))),
        scheme_(renamed_->own()),
        transport_(transport) {}

  [[nodiscard]] std::string_view name() const noexcept override { return scheme_; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    return {&scheme_, 1};
  }
  [[nodiscard]] messaging::Carrier carrier() const noexcept override {
    return transport_.carrier();
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector() override {
    return wrap(transport_.make_connector(), renamed_);
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector_with(
      const Properties& properties) override {
    return wrap(transport_.make_connector_with(properties), renamed_);
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint) override {
    return wrap(transport_.listen(renamed_->inner(endpoint)), renamed_);
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen_with(
      const Endpoint& endpoint, const Properties& properties) override {
    return wrap(transport_.listen_with(renamed_->inner(endpoint), properties), renamed_);
  }

  [[nodiscard]] std::vector<ProfileEndpoint> claim(std::uint32_t tag,
                                                   const iop::ProfileBody& body) const override {
    const auto inside = tag == scheme_profile_tag ? inside_of(body) : std::nullopt;
    if (!inside || inside->scheme != renamed_->own()) return {};
    auto places = transport_.claim(inside->tag, body);
    for (ProfileEndpoint& place : places) place.endpoint.scheme = renamed_->own();
    return places;
  }
  [[nodiscard]] iop::TaggedProfile make_profile(const Endpoint& endpoint,
                                                const ProfileSource& source) const override {
    std::vector<Endpoint> alternates;
    for (const Endpoint& alternate : source.alternates)
      alternates.push_back(renamed_->inner(alternate));
    ProfileSource inner = source;
    inner.alternates = alternates;
    return enclose(renamed_->own(), transport_.make_profile(renamed_->inner(endpoint), inner));
  }

 private:
  const std::shared_ptr<const RenamedScheme> renamed_;
  const std::string_view scheme_;
  ProtocolFactory& transport_;
};

}  // namespace

std::unique_ptr<iop::ProfileCodec> make_scheme_profile_codec(CodecFinder find) {
  return std::make_unique<SchemeProfileCodec>(std::move(find));
}

std::unique_ptr<ProtocolFactory> make_scheme_pair(std::string scheme, ProtocolFactory& transport) {
  return std::make_unique<SchemePair>(std::move(scheme), transport);
}

}  // namespace perigee::transport
