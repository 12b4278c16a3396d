// The factory of scheme "shmiop", over the factory of scheme "uiop".
#include "transport/shared_memory/ring_wrapper.h"
#include <perigee/transport/local.h>
#include <perigee/transport/shared_memory.h>

#include <array>
#include <string>
#include <utility>

namespace perigee::transport {
namespace shared_memory {
namespace {

class SharedMemoryCodec final : public iop::ProfileCodec {
 public:
  [[nodiscard]] std::uint32_t tag() const noexcept override { return tag_perigee_shared_memory; }

  [[nodiscard]] std::expected<iop::ProfileBody, cdr::Error> decode(
      const iop::TaggedProfile& profile, const iop::IorLimits& limits) const override {
    return local_->decode(profile, limits);
  }
  [[nodiscard]] iop::TaggedProfile encode(const iop::ProfileBody& body) const override {
    iop::TaggedProfile profile = local_->encode(body);
    profile.tag = tag_perigee_shared_memory;
    return profile;
  }

 private:
  const std::unique_ptr<iop::ProfileCodec> local_ = make_local_codec();
};

class SharedMemoryProtocol final : public ProtocolFactory {
 public:
  SharedMemoryProtocol(std::unique_ptr<ProtocolFactory> local, std::uint32_t connections_max,
                       std::shared_ptr<LazyPool> pool)
      : local_(std::move(local)),
        wrapper_(std::make_shared<const RingWrapper>(connections_max, std::move(pool))) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "shared_memory"; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    static constexpr std::array names{shared_memory_scheme};
    return names;
  }
  [[nodiscard]] std::uint32_t protocol_tag() const noexcept override {
    return tag_perigee_shared_memory;
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector() override {
    return wrap(local_->make_connector(), wrapper_);
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint) override {
    return wrap(local_->listen(wrapper_->inner(endpoint)), wrapper_);
  }
  [[nodiscard]] std::vector<std::unique_ptr<iop::ProfileCodec>> make_profile_codecs() override {
    std::vector<std::unique_ptr<iop::ProfileCodec>> codecs;
    codecs.push_back(make_shared_memory_codec());
    return codecs;
  }
  [[nodiscard]] std::vector<ProfileEndpoint> claim(std::uint32_t tag,
                                                   const iop::ProfileBody& body) const override {
    if (tag != tag_perigee_shared_memory) return {};
    std::vector<ProfileEndpoint> places = local_->claim(tag_perigee_local, body);
    for (ProfileEndpoint& place : places) place.endpoint = wrapper_->outer(place.endpoint);
    return places;
  }
  [[nodiscard]] iop::TaggedProfile make_profile(const Endpoint& endpoint,
                                                const ProfileSource& source) const override {
    iop::TaggedProfile profile = local_->make_profile(wrapper_->inner(endpoint), source);
    profile.tag = tag_perigee_shared_memory;
    return profile;
  }

 private:
  const std::unique_ptr<ProtocolFactory> local_;
  const std::shared_ptr<const RingWrapper> wrapper_;
};

}  // namespace
}  // namespace shared_memory

std::unique_ptr<ProtocolFactory> make_shared_memory_protocol(std::unique_ptr<ProtocolFactory> local,
                                                             std::uint32_t connections_max,
                                                             std::shared_ptr<LazyPool> pool) {
  return std::make_unique<shared_memory::SharedMemoryProtocol>(std::move(local), connections_max,
                                                               std::move(pool));
}

std::unique_ptr<iop::ProfileCodec> make_shared_memory_codec() {
  return std::make_unique<shared_memory::SharedMemoryCodec>();
}

}  // namespace perigee::transport
