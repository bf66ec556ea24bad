#include "http/test_certificate.h"

#include <cstdio>
#include <memory>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace muster::http {
namespace {

using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using CertificatePtr = std::unique_ptr<X509, decltype(&X509_free)>;
using FilePtr = std::unique_ptr<FILE, decltype(&std::fclose)>;

void AddExtension(X509* certificate, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  if (extension == nullptr) throw std::runtime_error("cannot make the extension " + value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

CertificatePtr SelfSigned(EVP_PKEY* key, const std::string& name) {
  CertificatePtr certificate(X509_new(), X509_free);
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), subject);
  AddExtension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(certificate.get(), NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,DNS:" + name);
  X509_sign(certificate.get(), key, EVP_sha256());
  return certificate;
}

}  // namespace

TestCertificate::TestCertificate(const os::Path& folder, const std::string& name)
    : certificate(folder / (name + ".crt")), key(folder / (name + ".key")) {
  const KeyPtr pair(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const CertificatePtr made = SelfSigned(pair.get(), name);
  const FilePtr certificate_file(std::fopen(certificate.c_str(), "w"), std::fclose);
  PEM_write_X509(certificate_file.get(), made.get());
  const FilePtr key_file(std::fopen(key.c_str(), "w"), std::fclose);
  PEM_write_PrivateKey(key_file.get(), pair.get(), nullptr, nullptr, 0, nullptr, nullptr);
}

}  // namespace muster::http
