// The decorator that records a transport, and the file that it writes.
#include "transport/decorated_protocol.h"
#include "transport/pcap_writer.h"
#include "transport/socket_names.h"
#include <perigee/base/segments.h>
#include <perigee/transport/pcap.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <mutex>
#include <set>
#include <utility>

namespace perigee::transport {
namespace {

using From = Conversation::From;

/// Only octets that pass `send` and `receive` are recorded, so other ways of transfer are not
/// offered.
Features recorded_features(const Transport& inner) noexcept {
  Features features = inner.features();
  features.encodes_in_place = false;
  features.scatters = false;
  return features;
}

/// The names of the conversations in progress. If both ends of a connection are in this process,
/// the file records the connection twice; then only the first conversation gets the real names. Any
/// thread.
class NamesInUse {
 public:
  /// Keeps the names in use until it is destroyed.
  class Claim {
   public:
    Claim(NamesInUse& names, const IpName& lower, const IpName& upper)
        : names_(names), pair_(lower, upper) {}
    ~Claim() {
      if (!held_) return;
      const std::scoped_lock lock(names_.mutex_);
      names_.pairs_.erase(pair_);
    }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

    /// Expects the mutex of the names to be held. False if the names are in use.
    [[nodiscard]] bool hold() { return held_ = names_.pairs_.insert(pair_).second; }

   private:
    NamesInUse& names_;
    std::pair<IpName, IpName> pair_;
    bool held_ = false;
  };

  /// Null if another conversation has these names, in either direction.
  std::unique_ptr<Claim> claim(const SocketNames& names) {
    const auto& [lower, upper] = std::minmax(names.own, names.peer);
    auto made = std::make_unique<Claim>(*this, lower, upper);
    const std::scoped_lock lock(mutex_);
    return made->hold() ? std::move(made) : nullptr;
  }

 private:
  std::mutex mutex_;
  std::set<std::pair<IpName, IpName>> pairs_;
};

Conversation conversation_of(const SocketNames& names, PcapFile::Side side) {
  Conversation conversation;
  const bool connected = side == PcapFile::Side::connected;
  conversation.client.name = connected ? names.own : names.peer;
  conversation.server.name = connected ? names.peer : names.own;
  return conversation;
}

/// A send that waits is recorded before it is made. Otherwise another thread could record the reply
/// before the send returns, and the reply must come later in the file. The record is true, because
/// either all octets leave or the connection is lost.
class RecordingTransport final : public Transport {
 public:
  RecordingTransport(std::unique_ptr<Transport> inner, PcapWriter& writer,
                     const Conversation& conversation, PcapFile::Side side,
                     std::unique_ptr<NamesInUse::Claim> claim)
      : Transport(recorded_features(*inner)),
        inner_(std::move(inner)),
        claim_(std::move(claim)),
        writer_(writer),
        conversation_(conversation),
        self_(side == PcapFile::Side::connected ? From::client : From::server),
        peer_(side == PcapFile::Side::connected ? From::server : From::client) {
    writer_.open(conversation_);
  }
  ~RecordingTransport() override { writer_.finish(conversation_, self_); }

  IoResult send(std::span<const OctetSpan> segments, Wait wait) override {
    if (wait == Wait::yes) return send_recorded(segments);
    const IoResult result = inner_->send(segments, wait);
    const std::size_t known = std::min(recorded_ahead_, result.count);
    record_behind(known, segments, result.count);
    recorded_ahead_ -= known;
    return result;
  }
  IoResult receive(MutableOctetSpan space, Wait wait) override {
    const IoResult result = inner_->receive(space, wait);
    if (result.ok()) {
      const OctetSpan received = space.first(result.count);
      writer_.data(conversation_, peer_, {&received, 1}, result.count);
    } else if (result.status == IoStatus::end_of_stream) {
      writer_.finish(conversation_, peer_);
    }
    return result;
  }
  IoResult set_receive_timeout(std::chrono::microseconds timeout) override {
    return inner_->set_receive_timeout(timeout);
  }
  IoResult set_send_timeout(std::chrono::microseconds timeout) override {
    return inner_->set_send_timeout(timeout);
  }
  [[nodiscard]] messaging::Carrier carrier() const noexcept override { return inner_->carrier(); }
  IoResult open(Wait wait) override { return inner_->open(wait); }
  IoResult finish(Wait wait) override {
    const IoResult result = inner_->finish(wait);
    if (result.ok()) writer_.finish(conversation_, self_);
    return result;
  }
  [[nodiscard]] Wants wants(Step step) const noexcept override { return inner_->wants(step); }
  [[nodiscard]] bool has_output() const noexcept override { return inner_->has_output(); }
  [[nodiscard]] int lifetime_fd() const noexcept override { return inner_->lifetime_fd(); }
  void shutdown_send() noexcept override {
    writer_.finish(conversation_, self_);
    inner_->shutdown_send();
  }
  void interrupt() noexcept override { inner_->interrupt(); }
  [[nodiscard]] bool buffered() const noexcept override { return inner_->buffered(); }
  [[nodiscard]] bool holds_input() const noexcept override { return inner_->holds_input(); }
  bool begin_watch() noexcept override { return inner_->begin_watch(); }
  void end_watch() noexcept override { inner_->end_watch(); }
  void await_sendable(std::chrono::milliseconds limit) noexcept override {
    inner_->await_sendable(limit);
  }
  [[nodiscard]] int readiness_fd() const noexcept override { return inner_->readiness_fd(); }
  [[nodiscard]] const std::string& peer() const noexcept override { return inner_->peer(); }
  [[nodiscard]] std::optional<PeerIdentity> peer_identity() const noexcept override {
    return inner_->peer_identity();
  }
  [[nodiscard]] const PeerCertificate* peer_certificate() const noexcept override {
    return inner_->peer_certificate();
  }
  [[nodiscard]] Refusal refusal() const override { return inner_->refusal(); }

 private:
  // After a short send the caller sends the rest again. The rest is in the file already.
  IoResult send_recorded(std::span<const OctetSpan> segments) {
    const std::size_t size = total_size(segments);
    record_behind(recorded_ahead_, segments, size);
    const IoResult result = inner_->send(segments, Wait::yes);
    // If no octet has left, the caller may give its message up and send another message next.
    if (result.count != 0 || recorded_ahead_ != 0)
      recorded_ahead_ = std::max(size, recorded_ahead_) - result.count;
    return result;
  }

  // Records the first `size` octets of the segments. The first `known` octets are in the file
  // already.
  void record_behind(std::size_t known, std::span<const OctetSpan> segments, std::size_t size) {
    if (known == 0) return writer_.data(conversation_, self_, segments, size);
    for (OctetSpan segment : segments) {
      segment = segment.first(std::min(size, segment.size()));
      size -= segment.size();
      const std::size_t skipped = std::min(known, segment.size());
      known -= skipped;
      segment = segment.subspan(skipped);
      if (!segment.empty()) writer_.data(conversation_, self_, {&segment, 1}, segment.size());
    }
  }

  std::unique_ptr<Transport> inner_;
  std::unique_ptr<NamesInUse::Claim> claim_;  // null if the conversation has made-up names
  PcapWriter& writer_;
  Conversation conversation_;
  From self_;
  From peer_;
  std::size_t recorded_ahead_ = 0;  // octets in the file that have not been sent yet
};

/// The port at the end of "iiop://127.0.0.1:40000"; `otherwise` if there is none.
std::uint16_t port_of(std::string_view peer, std::uint16_t otherwise) noexcept {
  const auto colon = peer.rfind(':');
  std::uint16_t port = 0;
  if (colon == std::string_view::npos) return otherwise;
  const char* const end = peer.data() + peer.size();
  const auto parsed = std::from_chars(peer.data() + colon + 1, end, port);
  return parsed.ec == std::errc{} && parsed.ptr == end ? port : otherwise;
}

IpName ipv4_name(std::uint32_t address, std::uint16_t port) noexcept {
  IpName name{.port = port};
  for (std::size_t index = 4; index-- > 0; address >>= 8)
    name.address[index] = static_cast<std::byte>(address);
  return name;
}

/// Names for a connection that is not between IP sockets. Each connection gets its own client
/// address, so that conversations are distinct. The peer's port is kept, so that users recognise
/// the peer.
SocketNames make_names(std::uint32_t number, PcapFile::Side side, std::string_view peer) {
  constexpr std::uint32_t clients = 0x0a00'0000;  // 10.0.0.0/8
  constexpr std::uint32_t server = 0xc000'0201;   // 192.0.2.1: RFC 5737
  constexpr std::uint16_t unknown_client_port = 49152;
  constexpr std::uint16_t unknown_server_port = 2809;
  const std::uint32_t client = clients | (number & 0x00ff'ffff);
  if (side == PcapFile::Side::connected)
    return {.own = ipv4_name(client, unknown_client_port),
            .peer = ipv4_name(server, port_of(peer, unknown_server_port))};
  return {.own = ipv4_name(server, unknown_server_port),
          .peer = ipv4_name(client, port_of(peer, unknown_client_port))};
}

class PcapFileImplementation final : public PcapFile {
 public:
  explicit PcapFileImplementation(const std::string& path) : writer_(path) {}
  [[nodiscard]] bool ok() const { return writer_.ok(); }

  [[nodiscard]] std::unique_ptr<Transport> record(std::unique_ptr<Transport> inner,
                                                  Side side) override {
    const std::uint32_t number = ++conversations_;
    const auto names = socket_names(inner->readiness_fd());
    auto claim = names ? names_.claim(*names) : nullptr;
    const auto conversation =
        conversation_of(claim ? *names : make_names(number, side, inner->peer()), side);
    return std::make_unique<RecordingTransport>(std::move(inner), writer_, conversation, side,
                                                std::move(claim));
  }
  void flush() noexcept override { writer_.flush(); }

 private:
  PcapWriter writer_;
  NamesInUse names_;
  std::atomic<std::uint32_t> conversations_ = 0;
};

}  // namespace

std::expected<std::unique_ptr<PcapFile>, IoError> make_pcap_file(const std::string& path) {
  errno = 0;  // streams report the reason of an error only in errno
  auto file = std::make_unique<PcapFileImplementation>(path);
  if (!file->ok())
    return std::unexpected(IoError{IoErrorKind::system, IoOperation::create, errno, path});
  return file;
}

std::unique_ptr<ProtocolFactory> record_protocol(std::unique_ptr<ProtocolFactory> inner,
                                                 PcapFile& file) {
  const auto at_side = [&file](PcapFile::Side side) {
    return [&file, side](std::unique_ptr<Transport> transport) {
      return file.record(std::move(transport), side);
    };
  };
  return decorate_protocol(std::move(inner),
                           {at_side(PcapFile::Side::connected), at_side(PcapFile::Side::accepted)});
}

}  // namespace perigee::transport
