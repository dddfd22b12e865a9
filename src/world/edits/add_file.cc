// AddFile: a piece of a file that models may be made of. A world that has all pieces has the file.
#include "world/edits/edits.h"
#include "world/edits/structure.h"

namespace convoy::edits {

Status Check::operator()(const AddFile& edit) const {
  if (edit.total > kMaxModelFile) return fail(ErrorCode::kInvalid, "the file is larger than 256 MB");
  if (world.files_.count(edit.hash)) return {};  // another edit has brought it
  const auto half = world.half_files_.find(edit.hash);
  const std::uint64_t have = half == world.half_files_.end() ? 0 : half->second.size();
  if (half == world.half_files_.end() && world.half_files_.size() >= kMaxHalfFiles)
    return fail(ErrorCode::kUnavailable, "too many files are on their way");
  if (edit.offset != have || edit.bytes.size() > kMaxFilePiece || edit.offset + edit.bytes.size() > edit.total ||
      (edit.bytes.empty() && edit.total > 0))
    return fail(ErrorCode::kInvalid, "the piece of a file does not follow the one before");
  if (edit.offset + edit.bytes.size() < edit.total) return {};
  Bytes whole = have ? half->second : Bytes{};
  whole.insert(whole.end(), edit.bytes.begin(), edit.bytes.end());
  if (hash64(whole) != edit.hash) return fail(ErrorCode::kInvalid, "the file is not the one that its hash names");
  return {};
}

WorldNumber Apply::operator()(const AddFile& edit) const {
  if (world.files_.count(edit.hash)) return kNoEntity;
  Bytes& half = world.half_files_[edit.hash];
  half.insert(half.end(), edit.bytes.begin(), edit.bytes.end());
  if (half.size() < edit.total) return kNoEntity;
  world.files_.emplace(edit.hash, std::make_shared<const Bytes>(std::move(half)));
  world.half_files_.erase(edit.hash);
  world.added_files_.push_back(edit.hash);
  return kNoEntity;
}

std::uint64_t StructureHash::operator()(const AddFile& edit) const { return in_order(before, edit); }

std::vector<WorldNumber> EntitiesOf::operator()(const AddFile&) const { return {}; }
std::vector<WorldNumber> ResetsInside::operator()(const AddFile&) const { return {}; }
bool RestartsRun::operator()(const AddFile&) const { return false; }
bool ChangesImage::operator()(const AddFile&) const { return false; }
const std::string* SpawnedName::operator()(const AddFile&) const { return nullptr; }

}  // namespace convoy::edits
