// The expected name of a server comes from the address or from the options; never from the server.
#include "transport/tls/tls_connector.h"

#include "transport/tls/tls_scheme.h"
#include "transport/tls/tls_transport.h"
#include <perigee/ipc/inet_parse.h>

#include <cerrno>
#include <utility>

namespace perigee::transport::tls {
namespace {

using Connected = std::expected<std::unique_ptr<Transport>, IoError>;

Connected encrypt(Connected connected, TlsRecords::Setup setup) {
  if (!connected) return std::unexpected(outer_error(std::move(connected.error())));
  auto records = TlsRecords::make(std::move(setup));
  if (records == nullptr)
    return std::unexpected(IoError{IoErrorKind::limit, IoOperation::connect, ENOMEM,
                                   outer_text((*connected)->peer())});
  return std::make_unique<TlsTransport>(std::move(*connected), std::move(records));
}

class TlsConnect final : public ConnectInProgress {
 public:
  TlsConnect(std::unique_ptr<ConnectInProgress> inner, TlsRecords::Setup setup)
      : inner_(std::move(inner)), setup_(std::move(setup)) {}

  Connected advance() override {
    auto connected = inner_->advance();
    if (connected && *connected == nullptr) return nullptr;
    return encrypt(std::move(connected), std::move(setup_));
  }
  [[nodiscard]] int handle() const noexcept override { return inner_->handle(); }
  [[nodiscard]] IoError timed_out() const override { return outer_error(inner_->timed_out()); }

 private:
  const std::unique_ptr<ConnectInProgress> inner_;
  TlsRecords::Setup setup_;
};

}  // namespace

TlsRecords::Setup TlsConnector::setup_for(const Endpoint& endpoint) const {
  const auto parts = ipc::split_host_port(endpoint.address);
  TlsRecords::Setup setup;
  setup.contexts = source_->current();
  setup.role = messaging::Role::opener;
  setup.host = parts ? std::string(parts->host) : std::string();
  const std::string& given = source_->options().peer_name;
  setup.expected_name = given.empty() ? setup.host : given;
  setup.verify = verify_;
  setup.session = endpoint.address + '\n' + setup.expected_name + (verify_ ? "\nverified" : "\n");
  return setup;
}

Connector::Begun TlsConnector::wrap(Begun begun, const Endpoint& endpoint) const {
  if (!begun) return std::unexpected(outer_error(std::move(begun.error())));
  if (*begun == nullptr) return begun;
  return std::make_unique<TlsConnect>(std::move(*begun), setup_for(endpoint));
}

Connector::Begun TlsConnector::begin(const Endpoint& endpoint) {
  return wrap(inner_->begin(inner_endpoint(endpoint)), endpoint);
}

Connector::Begun TlsConnector::look_up(const Endpoint& endpoint) {
  return wrap(inner_->look_up(inner_endpoint(endpoint)), endpoint);
}

Connected TlsConnector::connect(const Endpoint& endpoint, std::chrono::milliseconds timeout) {
  return encrypt(inner_->connect(inner_endpoint(endpoint), timeout), setup_for(endpoint));
}

}  // namespace perigee::transport::tls
