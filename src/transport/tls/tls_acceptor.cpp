// Each accepted connection uses the certificate that was read last.
#include "transport/tls/tls_acceptor.h"

#include "transport/tls/tls_scheme.h"
#include "transport/tls/tls_transport.h"

#include <cerrno>
#include <utility>

namespace perigee::transport::tls {

TlsAcceptor::TlsAcceptor(std::unique_ptr<Acceptor> inner,
                         std::shared_ptr<const ContextSource> source)
    : inner_(std::move(inner)),
      source_(std::move(source)),
      listening_(outer_endpoint(inner_->listening())),
      published_(outer_endpoint(inner_->published())) {
  for (const Endpoint& alternate : inner_->alternates())
    alternates_.push_back(outer_endpoint(alternate));
}

std::expected<std::unique_ptr<Transport>, IoError> TlsAcceptor::accept(Wait wait) {
  auto accepted = inner_->accept(wait);
  if (!accepted) return std::unexpected(outer_error(std::move(accepted.error())));
  if (*accepted == nullptr) return nullptr;
  TlsRecords::Setup setup;
  setup.contexts = source_->current();
  setup.role = messaging::Role::acceptor;
  auto records = TlsRecords::make(std::move(setup));
  if (records == nullptr)
    return std::unexpected(
        IoError{IoErrorKind::limit, IoOperation::accept, ENOMEM, to_string(listening_)});
  return std::make_unique<TlsTransport>(std::move(*accepted), std::move(records));
}

std::expected<std::unique_ptr<Acceptor>, IoError> TlsAcceptor::shard() {
  auto inner = inner_->shard();
  if (!inner) return std::unexpected(outer_error(std::move(inner.error())));
  return std::make_unique<TlsAcceptor>(std::move(*inner), source_);
}

}  // namespace perigee::transport::tls
