#include "adapters/web/turn.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <chrono>

namespace convoy::web {

IceServer turn_server_until(std::string url, const std::string& secret, std::uint64_t until_s) {
  const std::string name = std::to_string(until_s) + ":convoy";
  unsigned char sum[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(EVP_sha1(), secret.data(), static_cast<int>(secret.size()), reinterpret_cast<const unsigned char*>(name.data()),
       name.size(), sum, &size);
  unsigned char text[2 * EVP_MAX_MD_SIZE];
  const int length = EVP_EncodeBlock(text, sum, static_cast<int>(size));
  return {std::move(url), name, std::string(reinterpret_cast<const char*>(text), static_cast<std::size_t>(length))};
}

IceServer turn_server(std::string url, const std::string& secret, Duration lasts) {
  const auto until = std::chrono::system_clock::now() + std::chrono::duration_cast<std::chrono::seconds>(lasts);
  const auto since = std::chrono::duration_cast<std::chrono::seconds>(until.time_since_epoch());
  return turn_server_until(std::move(url), secret, static_cast<std::uint64_t>(since.count()));
}

}  // namespace convoy::web
