// Listening, connecting and profiles in memory.
#include "support/memory_protocol.h"

#include "support/memory_transport.h"
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/ipc/lsock.h>

#include <array>
#include <bit>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::test {

using transport::Endpoint;
using transport::Transport;
using transport::Wait;

namespace {

std::unexpected<IoError> failure(IoErrorKind kind, IoOperation operation, int code,
                                 const Endpoint& endpoint) {
  return std::unexpected(IoError{kind, operation, code, to_string(endpoint)});
}

bool is_address(const Endpoint& endpoint, const MemoryScheme& scheme) {
  return endpoint.scheme == scheme.name && !endpoint.address.empty();
}

TransportEnds make_memory_ends() {
  MemoryPair pair = make_memory_pair();
  return {std::move(pair.first), std::move(pair.second)};
}

}  // namespace

/// A queue of connections that wait, and a pair of sockets that wakes a reactor.
class MemoryAcceptor final : public transport::Acceptor {
 public:
  MemoryAcceptor(std::shared_ptr<MemoryHub> hub, Endpoint endpoint)
      : hub_(std::move(hub)), endpoint_(std::move(endpoint)) {
    auto pair = ipc::lsock::pair();
    if (!pair) throw std::runtime_error("no sockets for the signal");
    signal_ = std::move(*pair);
  }
  ~MemoryAcceptor() override { hub_->remove(*this); }

  std::expected<std::unique_ptr<Transport>, IoError> accept(Wait wait) override {
    std::unique_lock lock(mutex_);
    if (wait == Wait::yes) changed_.wait(lock, [this] { return interrupted_ || !queue_.empty(); });
    std::array<std::byte, 64> octets;
    static_cast<void>(signal_.second.recv(MutableOctetSpan(octets), ipc::no_wait));
    if (interrupted_) return failure(IoErrorKind::interrupted, IoOperation::accept, 0, endpoint_);
    if (queue_.empty()) return nullptr;
    auto transport = std::move(queue_.front());
    queue_.pop_front();
    if (!queue_.empty()) signal();
    return transport;
  }
  void interrupt() noexcept override {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    queue_.clear();
    changed();
  }
  [[nodiscard]] int readiness_fd() const noexcept override { return signal_.second.handle(); }
  [[nodiscard]] const Endpoint& listening() const noexcept override { return endpoint_; }
  [[nodiscard]] const Endpoint& published() const noexcept override { return endpoint_; }

  /// False if the acceptor takes no more connections.
  bool give(std::unique_ptr<Transport> transport) {
    const std::lock_guard lock(mutex_);
    if (interrupted_) return false;
    queue_.push_back(std::move(transport));
    changed();
    return true;
  }

 private:
  void signal() {
    const std::byte octet{0};
    static_cast<void>(signal_.first.send(OctetSpan(&octet, 1), ipc::no_wait));
  }
  void changed() {
    changed_.notify_all();
    signal();
  }

  const std::shared_ptr<MemoryHub> hub_;  // shared with the protocols
  const Endpoint endpoint_;
  ipc::Pair<ipc::lsock::Stream> signal_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Transport>> queue_;
  bool interrupted_ = false;
};

MemoryHub::MemoryHub() : make_ends_(&make_memory_ends) {}

bool MemoryHub::add(const std::string& name, MemoryAcceptor& acceptor) {
  const std::lock_guard lock(mutex_);
  return acceptors_.try_emplace(name, &acceptor).second;
}

void MemoryHub::remove(const MemoryAcceptor& acceptor) {
  const std::lock_guard lock(mutex_);
  std::erase_if(acceptors_, [&](const auto& entry) { return entry.second == &acceptor; });
}

void MemoryHub::hold(const std::string& name) {
  const std::lock_guard lock(mutex_);
  held_ = name;
}

void MemoryHub::release() {
  const std::lock_guard lock(mutex_);
  held_.clear();
  released_.notify_all();
}

std::unique_ptr<Transport> MemoryHub::connect(const std::string& name) {
  std::unique_lock lock(mutex_);
  released_.wait(lock, [&] { return held_ != name; });
  const auto found = acceptors_.find(name);
  if (found == acceptors_.end()) return nullptr;
  auto pair = make_ends_();
  return found->second->give(std::move(pair.second)) ? std::move(pair.first) : nullptr;
}

namespace {

class MemoryConnector final : public transport::Connector {
 public:
  MemoryConnector(std::shared_ptr<MemoryHub> hub, const MemoryScheme& scheme)
      : hub_(std::move(hub)), scheme_(scheme) {}
  std::expected<std::unique_ptr<Transport>, IoError> connect(
      const Endpoint& endpoint, std::chrono::milliseconds /*timeout*/) override {
    if (!is_address(endpoint, scheme_))
      return failure(IoErrorKind::bad_address, IoOperation::connect, 0, endpoint);
    auto transport = hub_->connect(endpoint.address);
    if (transport == nullptr)
      return failure(IoErrorKind::system, IoOperation::connect, ECONNREFUSED, endpoint);
    return transport;
  }

 private:
  const std::shared_ptr<MemoryHub> hub_;  // shared with the protocols
  const MemoryScheme scheme_;
};

class MemoryCodec final : public iop::ProfileCodec {
 public:
  explicit MemoryCodec(std::uint32_t tag) noexcept : tag_(tag) {}
  [[nodiscard]] std::uint32_t tag() const noexcept override { return tag_; }
  [[nodiscard]] std::expected<iop::ProfileBody, cdr::Error> decode(
      const iop::TaggedProfile& profile, const iop::IorLimits& limits) const override {
    cdr::Decoder decoder = cdr::Decoder::from_encapsulation(profile.data);
    iop::ProfileBody body;
    body.major = decoder.read<std::uint8_t>();
    body.minor = decoder.read<std::uint8_t>();
    decoder.read_string(body.address);
    iop::decode_key_and_components(decoder, body, limits);
    if (!decoder.ok()) return std::unexpected(decoder.error());
    return body;
  }
  [[nodiscard]] iop::TaggedProfile encode(const iop::ProfileBody& body) const override {
    return {tag(), cdr::encode_encapsulation(std::endian::native, [&](cdr::Encoder& encoder) {
              encoder.write(body.major);
              encoder.write(body.minor);
              encoder.write_string(body.address);
              iop::encode_key_and_components(encoder, body);
            })};
  }

 private:
  const std::uint32_t tag_;
};

class MemoryProtocol final : public transport::ProtocolFactory {
 public:
  MemoryProtocol(std::shared_ptr<MemoryHub> hub, const MemoryScheme& scheme)
      : hub_(std::move(hub)), scheme_(scheme) {}

  [[nodiscard]] std::string_view name() const noexcept override { return scheme_.name; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    return {&scheme_.name, 1};
  }
  [[nodiscard]] messaging::Carrier carrier() const noexcept override { return scheme_.carrier; }
  [[nodiscard]] std::unique_ptr<transport::Connector> make_connector() override {
    return std::make_unique<MemoryConnector>(hub_, scheme_);
  }
  std::expected<std::unique_ptr<transport::Acceptor>, IoError> listen(
      const Endpoint& endpoint) override {
    if (!is_address(endpoint, scheme_))
      return failure(IoErrorKind::bad_address, IoOperation::listen, 0, endpoint);
    auto acceptor = std::make_unique<MemoryAcceptor>(hub_, endpoint);
    if (!hub_->add(endpoint.address, *acceptor))
      return failure(IoErrorKind::system, IoOperation::listen, EADDRINUSE, endpoint);
    return acceptor;
  }
  [[nodiscard]] std::vector<std::unique_ptr<iop::ProfileCodec>> make_profile_codecs() override {
    std::vector<std::unique_ptr<iop::ProfileCodec>> codecs;
    codecs.push_back(std::make_unique<MemoryCodec>(scheme_.tag));
    return codecs;
  }
  [[nodiscard]] std::vector<transport::ProfileEndpoint> claim(
      std::uint32_t tag, const iop::ProfileBody& body) const override {
    if (tag != scheme_.tag) return {};
    return {{{std::string(scheme_.name), body.address}, transport::Distance::same_host}};
  }
  [[nodiscard]] iop::TaggedProfile make_profile(
      const Endpoint& endpoint, const transport::ProfileSource& source) const override {
    iop::ProfileBody body = transport::to_body(source);
    body.address = endpoint.address;
    return MemoryCodec(scheme_.tag).encode(body);
  }

 private:
  const std::shared_ptr<MemoryHub> hub_;  // shared with other protocols, and what they make
  const MemoryScheme scheme_;
};

}  // namespace

std::unique_ptr<transport::ProtocolFactory> make_memory_protocol(std::shared_ptr<MemoryHub> hub,
                                                                 const MemoryScheme& scheme) {
  return std::make_unique<MemoryProtocol>(std::move(hub), scheme);
}

}  // namespace perigee::test
