// Transports in memory. Profiles of scheme "test" hold version, address and object key.
#include "orb/scripted_protocol.h"

#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace perigee::test {

ScriptedTransport::ScriptedTransport(Script script, const messaging::MessagingProtocol& protocol,
                                     TransportCounts& counts)
    : Transport(transport::Features{.buffers = true}),
      script_(std::move(script)),
      counts_(counts),
      reader_(protocol) {}

void ScriptedTransport::deliver(OctetSpan octets) {
  const std::lock_guard lock(mutex_);
  inbound_.insert(inbound_.end(), octets.begin(), octets.end());
  changed();
}

int ScriptedTransport::readiness_fd() const noexcept {
  const std::lock_guard lock(mutex_);
  if (signal_) return signal_->far.handle();
  auto acceptor = ipc::lsock::Acceptor::open(ipc::UnixAddr{});
  auto near = ipc::lsock::Connector::connect(acceptor.value().local_address().value());
  auto far = acceptor.value().accept();
  signal_ = {std::move(near.value()), std::move(far.value())};
  return signal_->far.handle();
}

bool ScriptedTransport::buffered() const noexcept {
  const std::lock_guard lock(mutex_);
  return inbound_taken_ < inbound_.size() || end_ != End::open;
}

void ScriptedTransport::changed() noexcept {
  arrived_.notify_all();
  constexpr std::byte octet{1};
  if (signal_) static_cast<void>(signal_->near.send(OctetSpan(&octet, 1), ipc::no_wait));
}

void ScriptedTransport::deliver(const cdr::Buffer& message) {
  if (message.borrowed().empty()) return deliver(message.own_octets());  // allocates nothing
  deliver(message.flatten());
}

void ScriptedTransport::end_of_stream() {
  const std::lock_guard lock(mutex_);
  if (end_ == End::open) end_ = End::closed;
  changed();
}

void ScriptedTransport::reset() {
  const std::lock_guard lock(mutex_);
  end_ = End::reset;
  changed();
}

void ScriptedTransport::block_after(std::size_t octets) {
  const std::lock_guard lock(mutex_);
  window_ = octets;
}

void ScriptedTransport::unblock() {
  const std::lock_guard lock(mutex_);
  window_.reset();
  changed();
}

IoResult ScriptedTransport::send(std::span<const OctetSpan> segments, transport::Wait) {
  ++counts_.sends;
  std::size_t taken = 0;
  for (OctetSpan segment : segments) {
    const std::size_t open = take_of_window(segment.size());
    const std::size_t count = std::min(open, script_.accepts_max - accepted_);
    taken += count;
    accepted_ += count;
    OctetSpan rest = segment.first(count);
    while (!rest.empty()) {
      const MutableOctetSpan space = reader_.receive_space(scratch_);
      const std::size_t part = std::min(rest.size(), space.size());
      std::copy_n(rest.begin(), part, space.begin());
      reader_.received(part);
      rest = rest.subspan(part);
      take_messages();
    }
    if (count < open) return {taken, IoStatus::failed, EPIPE};
    if (count < segment.size()) return {taken, taken != 0 ? IoStatus::ok : IoStatus::would_block};
  }
  return {taken, IoStatus::ok, 0};
}

std::size_t ScriptedTransport::take_of_window(std::size_t wanted) {
  const std::lock_guard lock(mutex_);
  if (!window_) return wanted;
  const std::size_t taken = std::min(wanted, *window_);
  *window_ -= taken;
  return taken;
}

void ScriptedTransport::take_messages() {
  messaging::IncomingMessage message;
  while (reader_.next(message) == Next::message)
    if (script_.on_message) script_.on_message(*this, message);
}

void ScriptedTransport::await_read() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return inbound_taken_ == inbound_.size() || end_ != End::open; });
}

void ScriptedTransport::await_receive() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return receive_waits_; });
}

IoResult ScriptedTransport::receive(MutableOctetSpan space, transport::Wait wait) {
  ++counts_.receives;
  std::unique_lock lock(mutex_);
  const auto something = [this] { return inbound_taken_ < inbound_.size() || end_ != End::open; };
  if (!something() && wait == transport::Wait::no) return {0, IoStatus::would_block, 0};
  if (!something() && receive_timeout_.count() > 0) return {0, IoStatus::timed_out, 0};
  if (!something()) {
    receive_waits_ = true;
    arrived_.notify_all();
    arrived_.wait(lock, something);
    receive_waits_ = false;
  }
  const std::size_t count = std::min(space.size(), inbound_.size() - inbound_taken_);
  if (count == 0 && end_ == End::reset) return {0, IoStatus::failed, ECONNRESET};
  if (count == 0) return {0, IoStatus::end_of_stream, 0};
  std::copy_n(inbound_.begin() + static_cast<std::ptrdiff_t>(inbound_taken_), count, space.begin());
  inbound_taken_ += count;
  if (inbound_taken_ == inbound_.size()) {
    inbound_.clear();
    inbound_taken_ = 0;
    arrived_.notify_all();
  }
  return {count, IoStatus::ok, 0};
}

IoResult ScriptedTransport::set_receive_timeout(std::chrono::microseconds timeout) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(receive_timeout_, timeout) != timeout) ++counts_.timeouts_set;
  return {};
}

IoResult ScriptedTransport::set_send_timeout(std::chrono::microseconds timeout) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(send_timeout_, timeout) != timeout) ++counts_.timeouts_set;
  return {};
}

namespace {

class ScriptedConnector final : public transport::Connector {
 public:
  explicit ScriptedConnector(ScriptedProtocol& protocol) : protocol_(protocol) {}
  std::expected<std::unique_ptr<transport::Transport>, IoError> connect(
      const transport::Endpoint& endpoint, std::chrono::milliseconds timeout) override {
    return protocol_.connect(endpoint, timeout);
  }

 private:
  ScriptedProtocol& protocol_;
};

}  // namespace

std::span<const std::string_view> ScriptedProtocol::schemes() const noexcept {
  static constexpr std::string_view schemes[] = {"test"};
  return schemes;
}

std::unique_ptr<transport::Connector> ScriptedProtocol::make_connector() {
  return std::make_unique<ScriptedConnector>(*this);
}

std::expected<std::unique_ptr<transport::Acceptor>, IoError> ScriptedProtocol::listen(
    const transport::Endpoint& endpoint) {
  return std::unexpected(
      IoError{IoErrorKind::unsupported, IoOperation::listen, 0, to_string(endpoint)});
}

std::expected<std::unique_ptr<transport::Transport>, IoError> ScriptedProtocol::connect(
    const transport::Endpoint& endpoint, std::chrono::milliseconds timeout) {
  const std::lock_guard lock(mutex_);
  TransportCounts& counts = counts_[endpoint.address];
  counts.connect_timeout_ms = timeout.count();
  ++counts.connects;
  std::deque<Script>& scripts = scripts_[endpoint.address];
  if (!scripts.empty() && scripts.front().on_connect) scripts.front().on_connect();
  if (scripts.empty() || scripts.front().refuse) {
    if (scripts.size() > 1) scripts.pop_front();
    return std::unexpected(
        IoError{IoErrorKind::system, IoOperation::connect, ECONNREFUSED, to_string(endpoint)});
  }
  if (scripts.front().times_out) {
    if (scripts.size() > 1) scripts.pop_front();
    return std::unexpected(
        IoError{IoErrorKind::timed_out, IoOperation::connect, 0, to_string(endpoint)});
  }
  Script script = scripts.front();
  if (scripts.size() > 1) scripts.pop_front();
  return std::make_unique<ScriptedTransport>(std::move(script), messaging_, counts);
}

namespace {

class ScriptedCodec final : public iop::ProfileCodec {
 public:
  [[nodiscard]] std::uint32_t tag() const noexcept override {
    return ScriptedProtocol::profile_tag;
  }
  [[nodiscard]] std::expected<iop::ProfileBody, cdr::Error> decode(
      const iop::TaggedProfile& profile, const iop::IorLimits& limits) const override {
    cdr::Decoder decoder(profile.data, std::endian::little);
    iop::ProfileBody body;
    body.major = decoder.read<std::uint8_t>();
    body.minor = decoder.read<std::uint8_t>();
    decoder.read_string(body.address);
    iop::decode_key_and_components(decoder, body, limits);
    if (!decoder.ok()) return std::unexpected(decoder.error());
    return body;
  }
  [[nodiscard]] iop::TaggedProfile encode(const iop::ProfileBody& body) const override {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer, std::endian::little);
    encoder.write(body.major);
    encoder.write(body.minor);
    encoder.write_string(body.address);
    iop::encode_key_and_components(encoder, body);
    return {tag(), buffer.flatten()};
  }
};

}  // namespace

std::vector<std::unique_ptr<iop::ProfileCodec>> ScriptedProtocol::make_profile_codecs() {
  std::vector<std::unique_ptr<iop::ProfileCodec>> codecs;
  codecs.push_back(std::make_unique<ScriptedCodec>());
  return codecs;
}

std::vector<transport::ProfileEndpoint> ScriptedProtocol::claim(
    std::uint32_t tag, const iop::ProfileBody& body) const {
  ++claims_;
  if (tag != profile_tag) return {};
  return {{{"test", body.address}}};
}

iop::TaggedProfile ScriptedProtocol::make_profile(const transport::Endpoint& endpoint,
                                                  const transport::ProfileSource& source) const {
  iop::ProfileBody body = transport::to_body(source);
  body.address = endpoint.address;
  return ScriptedCodec().encode(body);
}

}  // namespace perigee::test
