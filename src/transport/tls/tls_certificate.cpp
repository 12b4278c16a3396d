// Reads the parts of an X.509 certificate.
#include "transport/tls/tls_certificate.h"

#include <arpa/inet.h>
#include <openssl/bn.h>
#include <openssl/x509v3.h>

#include <array>
#include <string_view>

namespace perigee::transport::tls {
namespace {

using Names = std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>>;
using Number = std::unique_ptr<BIGNUM, Free<BN_free>>;

std::string text_of(const Bio& memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

std::string text_of(const X509_NAME* name) {
  const Bio memory(BIO_new(BIO_s_mem()));
  if (memory == nullptr || name == nullptr) return {};
  X509_NAME_print_ex(memory.get(), name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  return text_of(memory);
}

std::string hexadecimal(const unsigned char* octets, std::size_t count) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::size_t index = 0; index < count; ++index) {
    text += digits[octets[index] >> 4u];
    text += digits[octets[index] & 15u];
  }
  return text;
}

std::string serial_of(const X509& certificate) {
  const Number number(ASN1_INTEGER_to_BN(X509_get0_serialNumber(&certificate), nullptr));
  if (number == nullptr) return {};
  std::vector<unsigned char> octets(static_cast<std::size_t>(BN_num_bytes(number.get())));
  BN_bn2bin(number.get(), octets.data());
  return hexadecimal(octets.data(), octets.size());
}

std::string fingerprint_of(const X509& certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (X509_digest(&certificate, EVP_sha256(), digest.data(), &size) != 1) return {};
  return hexadecimal(digest.data(), size);
}

void add_text(std::vector<std::string>& names, const ASN1_STRING& name) {
  std::string text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(&name)),
                   static_cast<std::size_t>(ASN1_STRING_length(&name)));
  if (text.find('\0') == std::string::npos) names.push_back(std::move(text));
}

void add_address(std::vector<std::string>& names, const ASN1_OCTET_STRING& address) {
  const int size = ASN1_STRING_length(&address);
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (size != 4 && size != 16) return;
  const int family = size == 4 ? AF_INET : AF_INET6;
  if (::inet_ntop(family, ASN1_STRING_get0_data(&address), text.data(), text.size()) != nullptr)
    names.emplace_back(text.data());
}

void add_name(PeerCertificate& described, const GENERAL_NAME& name) {
  switch (name.type) {
    case GEN_DNS:
      return add_text(described.dns_names, *name.d.dNSName);
    case GEN_URI:
      return add_text(described.uris, *name.d.uniformResourceIdentifier);
    case GEN_EMAIL:
      return add_text(described.emails, *name.d.rfc822Name);
    case GEN_IPADD:
      return add_address(described.ip_addresses, *name.d.iPAddress);
    default:
      return;
  }
}

}  // namespace

PeerCertificate describe(const X509& certificate) {
  PeerCertificate described;
  described.subject = text_of(X509_get_subject_name(&certificate));
  described.issuer = text_of(X509_get_issuer_name(&certificate));
  described.serial = serial_of(certificate);
  described.fingerprint = fingerprint_of(certificate);
  const Names names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  const int count = names == nullptr ? 0 : sk_GENERAL_NAME_num(names.get());
  for (int index = 0; index < count; ++index)
    add_name(described, *sk_GENERAL_NAME_value(names.get(), index));
  return described;
}

}  // namespace perigee::transport::tls
