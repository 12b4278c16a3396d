// X.509 certificates of version 3 (RFC 5280), by OpenSSL.
#include "certificate_maker.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <cstdio>
#include <stdexcept>
#include <utility>

namespace perigee::tool {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

void require(bool succeeded, const std::string& what) {
  if (succeeded) return;
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  throw std::runtime_error(what + ": " + (reason != nullptr ? reason : "OpenSSL gives no reason"));
}

// A serial number that no other certificate has: 64 random bits (RFC 5280, 4.1.2.2).
void set_serial(X509& certificate) {
  std::uint64_t number = 0;
  require(RAND_bytes(reinterpret_cast<unsigned char*>(&number), sizeof number) == 1,
          "cannot make a random number");
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(&certificate), number >> 1u);
}

void set_times(X509& certificate, const CertificateContents& contents) {
  const auto seconds = [](std::chrono::hours time) {
    return static_cast<long>(std::chrono::seconds(time).count());
  };
  X509_gmtime_adj(X509_getm_notBefore(&certificate), seconds(contents.valid_from));
  X509_gmtime_adj(X509_getm_notAfter(&certificate), seconds(contents.valid_until));
}

void add_extension(X509& certificate, X509& issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
  require(extension != nullptr, "cannot make the extension '" + value + "' of a certificate");
  const int added = X509_add_ext(&certificate, extension, -1);
  X509_EXTENSION_free(extension);
  require(added == 1, "cannot add the extension '" + value + "' to a certificate");
}

std::string names_of(const CertificateContents& contents) {
  std::string names;
  const auto add = [&names](const char* kind, const std::string& name) {
    if (!names.empty()) names += ',';
    names.append(kind).append(name);
  };
  for (const std::string& name : contents.dns_names) add("DNS:", name);
  for (const std::string& address : contents.ip_addresses) add("IP:", address);
  return names;
}

void add_extensions(X509& certificate, X509& issuer, const CertificateContents& contents) {
  const auto add = [&](int id, const std::string& value) {
    add_extension(certificate, issuer, id, value);
  };
  add(NID_basic_constraints, contents.is_authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
  add(NID_key_usage,
      contents.is_authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature");
  if (!contents.is_authority) add(NID_ext_key_usage, "serverAuth,clientAuth");
  add(NID_subject_key_identifier, "hash");
  if (&certificate != &issuer) add(NID_authority_key_identifier, "keyid:always");
  if (const std::string names = names_of(contents); !names.empty())
    add(NID_subject_alt_name, names);
}

std::unique_ptr<EVP_PKEY, FreeKey> make_key(int rsa_bits) {
  std::unique_ptr<EVP_PKEY, FreeKey> key(
      rsa_bits != 0 ? EVP_RSA_gen(static_cast<unsigned>(rsa_bits)) : EVP_EC_gen("P-256"));
  require(key != nullptr, "cannot make a private key");
  return key;
}

File create(const std::filesystem::path& path, mode_t permissions) {
  std::filesystem::remove(path);  // the permissions of an old file would stay
  const mode_t others = ::umask(0777 & ~permissions);
  File file(std::fopen(path.c_str(), "wx"));
  ::umask(others);
  if (file == nullptr) throw std::runtime_error(path.string() + " cannot be written");
  return file;
}

File open(const std::filesystem::path& path) {
  File file(std::fopen(path.c_str(), "r"));
  if (file == nullptr) throw std::runtime_error(path.string() + " cannot be read");
  return file;
}

}  // namespace

Identity make_identity(const CertificateContents& contents, const Identity* authority) {
  Identity made;
  made.key = make_key(contents.rsa_bits);
  made.certificate.reset(X509_new());
  require(made.certificate != nullptr, "cannot make a certificate");
  X509& certificate = *made.certificate;
  X509& issuer = authority != nullptr ? *authority->certificate : certificate;
  X509_set_version(&certificate, X509_VERSION_3);
  set_serial(certificate);
  set_times(certificate, contents);
  X509_set_pubkey(&certificate, made.key.get());
  const auto* const name = reinterpret_cast<const unsigned char*>(contents.common_name.c_str());
  require(X509_NAME_add_entry_by_txt(X509_get_subject_name(&certificate), "CN", MBSTRING_UTF8, name,
                                     -1, -1, 0) == 1,
          "cannot use the name '" + contents.common_name + "'");
  X509_set_issuer_name(&certificate, X509_get_subject_name(&issuer));
  add_extensions(certificate, issuer, contents);
  EVP_PKEY* const signer = authority != nullptr ? authority->key.get() : made.key.get();
  require(X509_sign(&certificate, signer, EVP_sha256()) > 0, "cannot make a signature");
  return made;
}

Identity read_identity(const std::filesystem::path& certificate, const std::filesystem::path& key) {
  const File certificate_file = open(certificate);
  const File key_file = open(key);
  Identity identity;
  identity.certificate.reset(PEM_read_X509(certificate_file.get(), nullptr, nullptr, nullptr));
  identity.key.reset(PEM_read_PrivateKey(key_file.get(), nullptr, nullptr, nullptr));
  if (identity.certificate == nullptr || identity.key == nullptr)
    throw std::runtime_error(certificate.string() + " or " + key.string() +
                             " is damaged: delete both to make new ones");
  return identity;
}

void write_revocations(const Identity& authority, const std::vector<const Identity*>& revoked,
                       const std::filesystem::path& path, std::chrono::hours valid_until) {
  const std::unique_ptr<X509_CRL, decltype(&X509_CRL_free)> list(X509_CRL_new(), X509_CRL_free);
  const std::unique_ptr<ASN1_TIME, decltype(&ASN1_TIME_free)> time(ASN1_TIME_new(), ASN1_TIME_free);
  require(list != nullptr && time != nullptr, "cannot make a list of revoked certificates");
  X509_CRL_set_version(list.get(), X509_CRL_VERSION_2);
  X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(authority.certificate.get()));
  X509_gmtime_adj(time.get(), -3600);
  X509_CRL_set1_lastUpdate(list.get(), time.get());
  for (const Identity* const identity : revoked) {
    X509_REVOKED* const entry = X509_REVOKED_new();
    require(entry != nullptr, "cannot make a list of revoked certificates");
    X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(identity->certificate.get()));
    X509_REVOKED_set_revocationDate(entry, time.get());
    X509_CRL_add0_revoked(list.get(), entry);
  }
  X509_gmtime_adj(time.get(), static_cast<long>(std::chrono::seconds(valid_until).count()));
  X509_CRL_set1_nextUpdate(list.get(), time.get());
  require(X509_CRL_sign(list.get(), authority.key.get(), EVP_sha256()) > 0,
          "cannot make a signature");
  const File file = create(path, 0644);
  require(PEM_write_X509_CRL(file.get(), list.get()) == 1, "cannot write " + path.string());
}

void write_certificate(const Identity& identity, const std::filesystem::path& path) {
  const File file = create(path, 0644);
  require(PEM_write_X509(file.get(), identity.certificate.get()) == 1,
          "cannot write " + path.string());
}

void write_key(const Identity& identity, const std::filesystem::path& path,
               const std::string& passphrase) {
  const File file = create(path, 0600);
  const EVP_CIPHER* const cipher = passphrase.empty() ? nullptr : EVP_aes_256_cbc();
  const auto* const text = reinterpret_cast<const unsigned char*>(passphrase.data());
  require(PEM_write_PrivateKey(file.get(), identity.key.get(), cipher,
                               passphrase.empty() ? nullptr : text,
                               static_cast<int>(passphrase.size()), nullptr, nullptr) == 1,
          "cannot write " + path.string());
}

}  // namespace perigee::tool
