#include "pem.hpp"

#include <asio/ssl/context.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "exit.hpp"

using asio::ssl::context;

namespace {

std::string read(const std::string& option, const std::string& file) {
  std::ifstream stream(file);
  if (!stream || std::filesystem::is_directory(file)) {
    throw UsageError(absl::StrCat(option, " ", file, ": it cannot be read"));
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::string read_authority(const std::string& file) {
  std::string text = read("--ca", file);
  asio::error_code error;
  context(context::tls_client).use_certificate(asio::buffer(text), context::pem, error);
  if (error) throw UsageError(absl::StrCat("--ca ", file, ": no certificate in PEM"));
  return text;
}

Identity read_identity(const std::string& certificate_file, const std::string& key_file) {
  Identity identity{read("--tls-cert", certificate_file), read("--tls-key", key_file)};
  context tls(context::tls_server);
  asio::error_code error;
  tls.use_certificate_chain(asio::buffer(identity.certificate), error);
  if (error) throw UsageError(absl::StrCat("--tls-cert ", certificate_file, ": no certificate in PEM"));
  tls.use_private_key(asio::buffer(identity.key), context::pem, error);
  if (error) {
    throw UsageError(absl::StrCat("--tls-key ", key_file, ": not the private key, in PEM, of the certificate in ",
                                  certificate_file, ": ", error.message()));
  }
  return identity;
}
