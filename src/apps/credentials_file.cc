#include "apps/credentials_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "core/nearest.h"
#include "os/file.h"
#include "os/terminal.h"

namespace convoy::apps {

namespace {

constexpr const char* kHost = "host";

std::optional<Grant> grant_named(const std::string& role) {
  if (role == kHost) return Grant{Access::kEdit, true};
  for (std::size_t i = 0; i < kAccessNames.size(); ++i)
    if (role == kAccessNames[i]) return Grant{static_cast<Access>(i), false};
  return {};
}

Status long_enough(const std::string& secret, bool beyond) {
  if (!beyond || secret.size() >= kLeastSecret) return {};
  return fail(
      ErrorCode::kDenied,
      fmt::format("a secret of {} characters is too short for a server that listens beyond this machine: {} or more",
                  secret.size(), kLeastSecret));
}

}  // namespace

Result<Credential> lone_credential(const std::string& secret, bool beyond) {
  if (auto ok = long_enough(secret, beyond); !ok) return tl::unexpected(ok.error());
  return Credential{secret, {}};
}

Result<std::vector<Credential>> read_credentials(const std::string& path, bool beyond) {
  const auto text = os::read_text(path, std::size_t{1} << 20);
  if (!text) return tl::unexpected(text.error());
  std::vector<Credential> out;
  std::istringstream lines(*text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string role, secret, more;
    words >> role >> secret >> more;
    const auto wrong = [&](const std::string& why) {
      return fail(ErrorCode::kInvalid, fmt::format("{}:{}: {}", path, number, why));
    };
    if (role.empty() || role[0] == '#') continue;
    std::vector<std::string> roles(kAccessNames.begin(), kAccessNames.end());
    roles.emplace_back(kHost);
    const auto grant = grant_named(role);
    if (!grant) {
      const std::string near = nearest_name(role, roles);
      return wrong(fmt::format("found '{}'{}; allowed: {}", os::escape_line(role, 40),
                               near.empty() ? "" : "; did you mean '" + near + "'?", fmt::join(roles, ", ")));
    }
    if (secret.empty() || !more.empty()) return wrong("a line is a role and a secret without spaces");
    if (auto ok = long_enough(secret, beyond); !ok) return wrong(ok.error().message());
    if (std::any_of(out.begin(), out.end(), [&](const Credential& c) { return c.secret == secret; }))
      return wrong("this secret stands there already");
    out.push_back({secret, *grant});
  }
  if (out.empty()) return fail(ErrorCode::kInvalid, path + ": it has no secret");
  return out;
}

}  // namespace convoy::apps
