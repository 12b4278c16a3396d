// Owners of OpenSSL's objects. Private to transport/tls.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>

namespace perigee::transport::tls {

template <auto free>
struct Free {
  template <typename Object>
  void operator()(Object* object) const noexcept {
    free(object);
  }
};

using Context = std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>>;
using Ssl = std::unique_ptr<SSL, Free<SSL_free>>;
using Session = std::unique_ptr<SSL_SESSION, Free<SSL_SESSION_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;

}  // namespace perigee::transport::tls
