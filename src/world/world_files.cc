// World's files of models: pieces come by edits, and who has them all has the file.
#include "world/world.h"

namespace convoy {

std::optional<Source> source_of(std::string_view name) {
  for (std::size_t i = 0; i < kSources; ++i)
    if (kSourceNames[i] == name) return static_cast<Source>(i);
  return {};
}

void forget_scene(Setup& setup) {
  Bytes().swap(setup.map.cells);  // "= {}" would keep the memory
  std::vector<Bytes>().swap(setup.files);
  std::vector<EntitySpec>().swap(setup.entities);
}

Status World::check_files_of(const Model& model) const {
  for (const ModelFile& file : model.files)
    if (!files_.count(file.hash))
      return fail(ErrorCode::kNotFound, "model '" + model.name + "': the file '" + file.name + "' is not there");
  return model_check_ ? model_check_(model, files_) : Status{};
}

Status World::check_file(const AddFile& e) const {
  if (e.total > kMaxModelFile) return fail(ErrorCode::kInvalid, "the file is larger than 256 MB");
  if (files_.count(e.hash)) return {};  // somebody else has brought it
  const auto half = half_files_.find(e.hash);
  const std::uint64_t have = half == half_files_.end() ? 0 : half->second.size();
  if (half == half_files_.end() && half_files_.size() >= kMaxHalfFiles)
    return fail(ErrorCode::kUnavailable, "too many files are on their way");
  if (e.offset != have || e.bytes.size() > kMaxFilePiece || e.offset + e.bytes.size() > e.total ||
      (e.bytes.empty() && e.total > 0))
    return fail(ErrorCode::kInvalid, "the piece of a file does not follow the one before");
  if (e.offset + e.bytes.size() < e.total) return {};
  Bytes whole = have ? half->second : Bytes{};
  whole.insert(whole.end(), e.bytes.begin(), e.bytes.end());
  if (hash64(whole) != e.hash) return fail(ErrorCode::kInvalid, "the file is not the one that its hash names");
  return {};
}

void World::take_piece(const AddFile& e) {
  if (files_.count(e.hash)) return;
  Bytes& half = half_files_[e.hash];
  half.insert(half.end(), e.bytes.begin(), e.bytes.end());
  if (half.size() < e.total) return;
  files_.emplace(e.hash, std::make_shared<const Bytes>(std::move(half)));
  half_files_.erase(e.hash);
  added_files_.push_back(e.hash);
}

}  // namespace convoy
