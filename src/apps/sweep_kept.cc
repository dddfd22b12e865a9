#include "apps/sweep_kept.h"

#include <filesystem>

#include "core/hash.h"

namespace convoy::apps {

namespace {

namespace fs = std::filesystem;

constexpr const char* kAside = ".first";

// In the place of what is there. What is not there is not moved.
Status move(const std::string& from, const std::string& to) {
  std::error_code error;
  if (!fs::exists(from, error)) return {};
  fs::remove_all(to, error);
  if (!error) fs::rename(from, to, error);
  return error ? fail(ErrorCode::kUnavailable, error.message(), to) : Status{};
}

}  // namespace

std::string KeptRuns::of(std::uint64_t key) const { return folder_ + "/" + hex16(key); }

Status KeptRuns::set_aside(std::uint64_t key) const { return move(of(key), of(key) + kAside); }

Status KeptRuns::put_back(std::uint64_t key, bool both) const {
  if (both)
    if (auto ok = move(of(key), again(key)); !ok) return ok;
  return move(of(key) + kAside, of(key));
}

Status KeptRuns::put_back_all() const {
  std::error_code error;
  for (const auto& one : fs::directory_iterator(folder_, error)) {
    const fs::path& path = one.path();
    if (path.extension() != kAside) continue;
    if (auto ok = move(path.string(), (path.parent_path() / path.stem()).string()); !ok) return ok;
  }
  return {};
}

}  // namespace convoy::apps
