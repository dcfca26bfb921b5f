#pragma once

#include <string>

/// What a bot shows that serves TLS; both in PEM.
struct Identity {
  std::string certificate;
  std::string key;
};

/// The certificates of the file that --ca names. Throws UsageError if there are none.
std::string read_authority(const std::string& file);

/// What --tls-cert and --tls-key name. Throws UsageError if they are not a certificate and its key.
Identity read_identity(const std::string& certificate_file, const std::string& key_file);
