#include "roles/file_intake.h"

#include <algorithm>

namespace convoy {

namespace {

constexpr Duration kNameEvery = std::chrono::seconds(10);

std::uint64_t charge(std::uint64_t size) { return std::max(size, kLeastFile); }

std::uint64_t bytes_of(const auto& coming) {
  std::uint64_t sum = 0;
  for (const auto& [hash, one] : coming) sum += charge(one.total);
  return sum;
}

Status over(const std::string& what, std::uint64_t most) {
  return fail(ErrorCode::kUnavailable, what + ", and " + std::to_string(most >> 20) + " MiB is the limit");
}

}  // namespace

Status FileIntake::room(Owner from, std::uint64_t size, bool in_pieces, const ModelFiles& world) const {
  std::size_t places = 0;
  std::uint64_t all_coming = 0, in_world = 0;
  for (const auto& [owner, account] : accounts_)
    places += account.coming.size(), all_coming += bytes_of(account.coming);
  for (const auto& [hash, bytes] : world) in_world += charge(bytes->size());
  if (const auto found = accounts_.find(from); found != accounts_.end()) {
    const Account& own = found->second;
    const std::uint64_t coming = bytes_of(own.coming);
    std::uint64_t brought = 0;
    for (const auto& [hash, bytes] : own.brought) brought += world.count(hash) > 0 ? charge(bytes) : 0;
    if (in_pieces && own.coming.size() >= kComingFilesOfMember)
      return fail(ErrorCode::kUnavailable,
                  std::to_string(kComingFilesOfMember) + " of your files are on their way already, which is the limit");
    if (in_pieces && coming + size > kComingBytesOfMember)
      return over("your files on their way would have too many bytes", kComingBytesOfMember);
    if (brought + coming + size > kFileBytesOfMember)
      return over("the files that you have brought would have too many bytes", kFileBytesOfMember);
  }
  if (places >= kMaxHalfFiles)
    return fail(ErrorCode::kUnavailable,
                std::to_string(kMaxHalfFiles) + " files are on their way from all members, which is the limit");
  if (all_coming + size > kComingBytes)
    return over("files on their way from all members would have too many bytes", kComingBytes);
  if (in_world + all_coming + size > kFileBytes) return over("the world's files would have too many bytes", kFileBytes);
  return {};
}

Result<SharedFile> FileIntake::take(Owner from, const AddFile& piece, const ModelFiles& world) {
  if (piece.total > kMaxModelFile) return fail(ErrorCode::kInvalid, "the file is larger than 256 MB");
  Account& own = accounts_[from];
  auto half = own.coming.find(piece.hash);
  if (half != own.coming.end() && !half->second.whole && piece.offset == 0) {
    own.coming.erase(half);
    half = own.coming.end();
  }
  const std::uint64_t have = half == own.coming.end() ? 0 : half->second.bytes.size();
  const std::uint64_t total = half == own.coming.end() ? piece.total : half->second.total;
  if (piece.offset != have || piece.total != total || piece.bytes.size() > kMaxFilePiece ||
      piece.bytes.size() > total - have || (piece.bytes.empty() && total > 0))
    return fail(ErrorCode::kInvalid, "the piece of a file does not follow the one before");
  if (half == own.coming.end()) {
    if (auto ok = room(from, charge(total), true, world); !ok) {
      ++own.refused;
      return tl::unexpected(ok.error());
    }
    half = own.coming.emplace(piece.hash, Coming{total, {}, false}).first;
  }
  Bytes& bytes = half->second.bytes;
  bytes.insert(bytes.end(), piece.bytes.begin(), piece.bytes.end());
  if (bytes.size() < total) return SharedFile{};
  if (hash64(bytes) != piece.hash) {
    own.coming.erase(half);
    return fail(ErrorCode::kInvalid, "the file is not the one that its hash names");
  }
  half->second.whole = true;
  return std::make_shared<const Bytes>(std::exchange(bytes, {}));
}

Status FileIntake::take_whole(Owner from, const std::map<std::uint64_t, std::uint64_t>& files,
                              const ModelFiles& world) {
  Account& own = accounts_[from];
  std::uint64_t sum = 0;
  for (const auto& [hash, size] : files) own.coming.erase(hash), sum += charge(size);
  if (auto ok = room(from, sum, false, world); !ok) {
    ++own.refused;
    return ok;
  }
  for (const auto& [hash, size] : files) own.coming[hash] = {size, {}, true};
  return {};
}

void FileIntake::settled(Owner by, std::uint64_t hash, bool in_world) {
  for (auto& [owner, account] : accounts_) {
    const auto one = account.coming.find(hash);
    if (one == account.coming.end() || (!in_world && !one->second.whole)) continue;
    if (in_world && owner == by) account.brought[hash] = one->second.total;
    account.coming.erase(one);
  }
}

void FileIntake::left(Owner member) {
  const auto found = accounts_.find(member);
  if (found == accounts_.end()) return;
  for (auto& [hash, one] : found->second.coming)
    if (one.whole) accounts_[kNobody].coming.insert_or_assign(hash, std::move(one));
  accounts_.erase(found);
}

std::map<Owner, std::string> FileIntake::take_news(Moment now) {
  std::map<Owner, std::string> out;
  for (auto& [owner, account] : accounts_) {
    if (account.refused == 0 || (account.named != kNever && now - account.named < kNameEvery)) continue;
    account.named = now;
    out[owner] =
        "wants to bring more files than it may: " + std::to_string(std::exchange(account.refused, 0)) + " were refused";
  }
  return out;
}

}  // namespace convoy
