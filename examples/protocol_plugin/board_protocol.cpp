// The plug-in: the protocol `board`. Its servers listen at any free port of this host, and write
// the port to a file, the notice. References name the notice, so they stay valid if the port
// changes.
#include "board_profile.h"
#include "board_transport.h"
#include "brief_messages.h"
#include "notice.h"
#include <perigee/transport/local.h>
#include <perigee/transport/plugin.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <optional>

namespace board {
namespace {

namespace ipc = perigee::ipc;
namespace iop = perigee::iop;
using perigee::IoError;
using perigee::IoErrorKind;
using perigee::IoOperation;
using perigee::transport::Acceptor;
using perigee::transport::Connector;
using perigee::transport::Endpoint;
using perigee::transport::ProfileEndpoint;
using perigee::transport::ProfileSource;
using perigee::transport::Transport;
using perigee::transport::Wait;

constexpr std::string_view scheme = "board";  // carries GIOP
constexpr std::array schemes_spoken{scheme};

std::unexpected<IoError> failure(IoOperation operation, const Endpoint& endpoint,
                                 const std::error_code& error) {
  const bool passed = error == std::errc::timed_out;
  return std::unexpected(IoError{passed ? IoErrorKind::timed_out : IoErrorKind::system, operation,
                                 error.value(), to_string(endpoint)});
}

std::unexpected<IoError> bad_address(IoOperation operation, const Endpoint& endpoint) {
  return std::unexpected(IoError{IoErrorKind::bad_address, operation, 0, to_string(endpoint)});
}

bool is_ours(const Endpoint& endpoint) {
  return endpoint.scheme == scheme && is_notice_path(endpoint.address);
}

class BoardConnector final : public Connector {
 public:
  std::expected<std::unique_ptr<Transport>, IoError> connect(
      const Endpoint& endpoint, std::chrono::milliseconds timeout) override {
    if (!is_ours(endpoint)) return bad_address(IoOperation::connect, endpoint);
    const auto address = read_notice(endpoint.address);
    if (!address) return failure(IoOperation::connect, endpoint, address.error());
    const auto limit = timeout.count() == 0 ? ipc::forever : ipc::TimeLimit(timeout);
    auto stream = ipc::sock::Connector::connect(*address, limit, ipc::NoDelay{true});
    if (!stream) return failure(IoOperation::connect, endpoint, stream.error());
    return std::make_unique<BoardTransport>(std::move(*stream), to_string(endpoint));
  }
};

class BoardAcceptor final : public Acceptor {
 public:
  BoardAcceptor(Endpoint endpoint, ipc::sock::Acceptor acceptor, Notice notice)
      : endpoint_(std::move(endpoint)),
        acceptor_(std::move(acceptor)),
        notice_(std::move(notice)) {}

  std::expected<std::unique_ptr<Transport>, IoError> accept(Wait wait) override {
    auto stream = acceptor_.accept(wait == Wait::yes ? ipc::forever : ipc::no_wait);
    if (stream) {
      static_cast<void>(stream->set(ipc::NoDelay{true}));
      return std::make_unique<BoardTransport>(std::move(*stream), to_string(endpoint_));
    }
    if (interrupted_)
      return std::unexpected(
          IoError{IoErrorKind::interrupted, IoOperation::accept, 0, to_string(endpoint_)});
    if (wait == Wait::no && stream.error().value() == EAGAIN) return nullptr;
    return failure(IoOperation::accept, endpoint_, stream.error());
  }
  void interrupt() noexcept override {
    if (!interrupted_.exchange(true)) notice_.reset();
    acceptor_.interrupt();
  }
  [[nodiscard]] int readiness_fd() const noexcept override { return acceptor_.handle(); }
  [[nodiscard]] const Endpoint& listening() const noexcept override { return endpoint_; }
  [[nodiscard]] const Endpoint& published() const noexcept override { return endpoint_; }

 private:
  const Endpoint endpoint_;
  ipc::sock::Acceptor acceptor_;
  std::optional<Notice> notice_;  // removed before the port becomes free
  std::atomic<bool> interrupted_ = false;
};

// A killed server leaves its notice behind. No server listens at its port any more, so the notice
// is replaced. If another program has got the port meanwhile, the file has to be removed by hand.
bool is_in_use(const std::string& path) {
  const auto address = read_notice(path);
  return address && ipc::sock::Connector::connect(*address, std::chrono::seconds(1)).has_value();
}

class BoardProtocol final : public perigee::transport::ProtocolFactory {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "board"; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    return schemes_spoken;
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector() override {
    return std::make_unique<BoardConnector>();
  }

  std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint) override {
    if (!is_ours(endpoint)) return bad_address(IoOperation::listen, endpoint);
    if (is_in_use(endpoint.address))
      return failure(IoOperation::listen, endpoint,
                     std::make_error_code(std::errc::address_in_use));
    auto acceptor = ipc::sock::Acceptor::open(ipc::InetAddr::loopback());
    if (!acceptor) return failure(IoOperation::listen, endpoint, acceptor.error());
    const auto address = acceptor->local_address();
    if (!address) return failure(IoOperation::listen, endpoint, address.error());
    auto notice = Notice::put_up(endpoint.address, *address);
    if (!notice) return failure(IoOperation::listen, endpoint, notice.error());
    return std::make_unique<BoardAcceptor>(endpoint, std::move(*acceptor), std::move(*notice));
  }

  [[nodiscard]] std::vector<std::unique_ptr<iop::ProfileCodec>> make_profile_codecs() override {
    std::vector<std::unique_ptr<iop::ProfileCodec>> codecs;
    codecs.push_back(make_profile_codec());
    return codecs;
  }

  // The notice is a file of the host that made the reference.
  [[nodiscard]] std::vector<ProfileEndpoint> claim(std::uint32_t tag,
                                                   const iop::ProfileBody& body) const override {
    if (tag != profile_tag) return {};
    const auto endpoint = perigee::transport::parse_endpoint(body.address);
    if (!endpoint || !is_ours(*endpoint)) return {};
    const bool here = body.host == perigee::transport::local_host_name();
    using enum perigee::transport::Distance;
    return {{*endpoint, here ? same_host : other_host}};
  }

  [[nodiscard]] iop::TaggedProfile make_profile(const Endpoint& endpoint,
                                                const ProfileSource& source) const override {
    iop::ProfileBody body = to_body(source);
    body.host = perigee::transport::local_host_name();
    body.address = endpoint.scheme + "://" + endpoint.address;
    return make_profile_codec()->encode(body);
  }
};

void make_parts(perigee::transport::ProtocolParts& parts) {
  parts.transports.push_back(std::make_unique<BoardProtocol>());
  parts.messagings.push_back(make_brief_messages);
  parts.schemes.push_back({"board-brief", "brief", "board"});
}

}  // namespace
}  // namespace board

PERIGEE_PROTOCOL_PLUGIN(board::make_parts)
