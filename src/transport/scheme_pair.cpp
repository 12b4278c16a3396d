// Forwards to the transport of a pair, and replaces the transport's schemes by the scheme of the
// pair.
#include "transport/scheme_pair.h"

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

/// The scheme of a pair, and the scheme that its transport uses.
struct Schemes {
  std::string own;
  std::string of_transport;

  [[nodiscard]] Endpoint inner(Endpoint endpoint) const {
    endpoint.scheme = of_transport;
    return endpoint;
  }
  [[nodiscard]] Endpoint outer(Endpoint endpoint) const {
    endpoint.scheme = own;
    return endpoint;
  }
  /// Replaces the endpoint in the error by the endpoint that the caller knows.
  [[nodiscard]] IoError outer(IoError error) const {
    if (error.endpoint.starts_with(of_transport + "://"))
      error.endpoint.replace(0, of_transport.size(), own);
    return error;
  }
};

class PairConnect final : public ConnectInProgress {
 public:
  PairConnect(std::unique_ptr<ConnectInProgress> inner, const Schemes& schemes)
      : inner_(std::move(inner)), schemes_(schemes) {}
  std::expected<std::unique_ptr<Transport>, IoError> advance() override {
    auto transport = inner_->advance();
    if (!transport) return std::unexpected(schemes_.outer(std::move(transport.error())));
    return transport;
  }
  [[nodiscard]] int handle() const noexcept override { return inner_->handle(); }
  [[nodiscard]] IoError timed_out() const override { return schemes_.outer(inner_->timed_out()); }

 private:
  const std::unique_ptr<ConnectInProgress> inner_;
  const Schemes schemes_;
};

class PairConnector final : public Connector {
 public:
  PairConnector(std::unique_ptr<Connector> inner, Schemes schemes)
      : inner_(std::move(inner)), schemes_(std::move(schemes)) {}
  std::expected<std::unique_ptr<Transport>, IoError> connect(
      const Endpoint& endpoint, std::chrono::milliseconds timeout) override {
    auto transport = inner_->connect(schemes_.inner(endpoint), timeout);
    if (!transport) return std::unexpected(schemes_.outer(std::move(transport.error())));
    return transport;
  }
  Begun begin(const Endpoint& endpoint) override {
    return outer(inner_->begin(schemes_.inner(endpoint)));
  }
  Begun look_up(const Endpoint& endpoint) override {
    return outer(inner_->look_up(schemes_.inner(endpoint)));
  }

 private:
  [[nodiscard]] Begun outer(Begun begun) const {
    if (!begun) return std::unexpected(schemes_.outer(std::move(begun.error())));
    if (*begun == nullptr) return begun;
    return std::make_unique<PairConnect>(std::move(*begun), schemes_);
  }

  const std::unique_ptr<Connector> inner_;
  const Schemes schemes_;
};

class PairAcceptor final : public Acceptor {
 public:
  PairAcceptor(std::unique_ptr<Acceptor> inner, const Schemes& schemes)
      : inner_(std::move(inner)),
        schemes_(schemes),
        listening_(schemes.outer(inner_->listening())),
        published_(schemes.outer(inner_->published())) {
    for (const Endpoint& alternate : inner_->alternates())
      alternates_.push_back(schemes.outer(alternate));
  }
  std::expected<std::unique_ptr<Transport>, IoError> accept(Wait wait) override {
    return inner_->accept(wait);
  }
  void interrupt() noexcept override { inner_->interrupt(); }
  [[nodiscard]] int readiness_fd() const noexcept override { return inner_->readiness_fd(); }
  [[nodiscard]] const Endpoint& listening() const noexcept override { return listening_; }
  [[nodiscard]] const Endpoint& published() const noexcept override { return published_; }
  [[nodiscard]] std::span<const Endpoint> alternates() const noexcept override {
    return alternates_;
  }
  [[nodiscard]] std::uint64_t datagrams_dropped() const noexcept override {
    return inner_->datagrams_dropped();
  }
  [[nodiscard]] std::expected<std::unique_ptr<Acceptor>, IoError> shard() override {
    auto inner = inner_->shard();
    if (!inner) return std::unexpected(schemes_.outer(std::move(inner.error())));
    return std::make_unique<PairAcceptor>(std::move(*inner), schemes_);
  }

 private:
  const std::unique_ptr<Acceptor> inner_;
  const Schemes schemes_;
  const Endpoint listening_;
  const Endpoint published_;
  std::vector<Endpoint> alternates_;
};

class SchemePair final : public ProtocolFactory {
 public:
  SchemePair(std::string scheme, ProtocolFactory& transport)
      : schemes_{std::move(scheme), std::string(transport.schemes().front())},
        scheme_(schemes_.own),
        transport_(transport) {}

  [[nodiscard]] std::string_view name() const noexcept override { return scheme_; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    return {&scheme_, 1};
  }
  [[nodiscard]] messaging::Carrier carrier() const noexcept override {
    return transport_.carrier();
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector() override {
    return wrap(transport_.make_connector());
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector_with(
      const Properties& properties) override {
    return wrap(transport_.make_connector_with(properties));
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint) override {
    return wrap(transport_.listen(schemes_.inner(endpoint)));
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen_with(
      const Endpoint& endpoint, const Properties& properties) override {
    return wrap(transport_.listen_with(schemes_.inner(endpoint), properties));
  }

  [[nodiscard]] std::vector<ProfileEndpoint> claim(std::uint32_t tag,
                                                   const iop::ProfileBody& body) const override {
    const auto inside = tag == scheme_profile_tag ? inside_of(body) : std::nullopt;
    if (!inside || inside->scheme != schemes_.own) return {};
    auto places = transport_.claim(inside->tag, body);
    for (ProfileEndpoint& place : places) place.endpoint.scheme = schemes_.own;
    return places;
  }
  [[nodiscard]] iop::TaggedProfile make_profile(const Endpoint& endpoint,
                                                const ProfileSource& source) const override {
    std::vector<Endpoint> alternates;
    for (const Endpoint& alternate : source.alternates)
      alternates.push_back(schemes_.inner(alternate));
    ProfileSource inner = source;
    inner.alternates = alternates;
    return enclose(schemes_.own, transport_.make_profile(schemes_.inner(endpoint), inner));
  }

 private:
  [[nodiscard]] std::unique_ptr<Connector> wrap(std::unique_ptr<Connector> connector) const {
    if (connector == nullptr) return nullptr;
    return std::make_unique<PairConnector>(std::move(connector), schemes_);
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> wrap(
      std::expected<std::unique_ptr<Acceptor>, IoError> acceptor) const {
    if (!acceptor) return std::unexpected(schemes_.outer(std::move(acceptor.error())));
    return std::make_unique<PairAcceptor>(std::move(*acceptor), schemes_);
  }

  const Schemes schemes_;
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
