// The expected name of a server comes from the address or from the options; never from the server.
#include "transport/tls/tls_wrapper.h"

#include "transport/tls/tls_transport.h"
#include <perigee/ipc/inet_parse.h>

#include <cerrno>
#include <utility>

namespace perigee::transport::tls {

ConnectionWrapper::Made TlsWrapper::encrypted(std::unique_ptr<Transport> transport,
                                              TlsRecords::Setup setup,
                                              IoOperation operation) const {
  std::string peer = outer(transport->peer());
  setup.contexts = source_->current();
  auto records = TlsRecords::make(std::move(setup));
  if (records == nullptr)
    return std::unexpected(IoError{IoErrorKind::limit, operation, ENOMEM, std::move(peer)});
  return std::make_unique<TlsTransport>(std::move(transport), std::move(records), std::move(peer));
}

ConnectionWrapper::Made TlsWrapper::connected(std::unique_ptr<Transport> transport,
                                              const Endpoint& endpoint) const {
  const auto parts = ipc::split_host_port(endpoint.address);
  TlsRecords::Setup setup;
  setup.role = messaging::Role::opener;
  setup.host = parts ? std::string(parts->host) : std::string();
  const std::string& given = source_->options().peer_name;
  setup.expected_name = given.empty() ? setup.host : given;
  setup.verify = verify_;
  setup.session = endpoint.address + '\n' + setup.expected_name + (verify_ ? "\nverified" : "\n");
  return encrypted(std::move(transport), std::move(setup), IoOperation::connect);
}

ConnectionWrapper::Made TlsWrapper::accepted(std::unique_ptr<Transport> transport) const {
  TlsRecords::Setup setup;
  setup.role = messaging::Role::acceptor;
  return encrypted(std::move(transport), std::move(setup), IoOperation::accept);
}

}  // namespace perigee::transport::tls
