#include "adapters/ros2/brought_models.h"

#include <algorithm>

#include "core/base64.h"
#include "core/hash.h"
#include "world/edit.h"

namespace convoy::ros2 {

void BroughtModels::bring(RobotDescription what, Done done) {
  const bool text = !what.text.empty();
  const std::uint64_t key =
      hash64(as_bytes((text ? "text" : "file") + what.model_name + '\0' + what.file + '\0' + what.text));
  if (!can()) return done(fail(ErrorCode::kUnsupported, "descriptions of robots are not read here"));
  if (!here_.fleet) return done(fail(ErrorCode::kState, kRunNotBegun));
  if (const auto known = known_.find(key); known != known_.end() && here_.fleet->world().model(known->second))
    return done(known->second);
  if (const auto same = coming_.find(key); same != coming_.end()) return same->second.done.push_back(std::move(done));
  if (coming_.size() >= kMaxBrought)
    return done(fail(ErrorCode::kUnavailable, "too many descriptions of robots are being read already"));
  coming_[key].done.push_back(std::move(done));
  here_.importer->import(std::move(what), [this, key, text](const Result<ImportedModel>& made) {
    if (text && made) known_[key] = made->model.name;
    imported(key, made);
  });
}

void BroughtModels::imported(std::uint64_t key, const Result<ImportedModel>& made) {
  if (!made) return end(key, tl::unexpected(made.error()));
  coming_.at(key).made = *made;
  send(key);
}

// Its files, a piece at a time, and then the model that is made of them.
void BroughtModels::send(std::uint64_t key) {
  Coming& coming = coming_.at(key);
  if (coming.whole) return end(key, std::string(coming.made.model.name));
  if (!here_.fleet) return end(key, fail(ErrorCode::kState, kRunNotBegun));
  const auto sent = [this, key](const Answer& answer) {
    if (answer.error) end(key, tl::unexpected(*answer.error));
    else send(key);
  };
  const auto& files = coming.made.files;
  if (coming.file == files.size()) {
    coming.whole = true;
    return ask(here_.control, *here_.fleet, "add_model", base64_of(save(coming.made.model)), {}, sent);
  }
  const Bytes& bytes = files[coming.file];
  const ByteView piece = ByteView(bytes).subspan(coming.at, std::min(kMaxFilePiece, bytes.size() - coming.at));
  const AddFile edit{hash64(bytes), coming.at, bytes.size(), {piece.begin(), piece.end()}};
  coming.at += piece.size();
  if (coming.at == bytes.size()) coming.at = 0, ++coming.file;
  ask(here_.control, *here_.fleet, "add_file", base64_of(save(edit)), {}, sent);
}

void BroughtModels::end(std::uint64_t key, const Result<std::string>& model) {
  const std::vector<Done> done = std::move(coming_.at(key).done);
  coming_.erase(key);
  for (const Done& one : done) one(model);
}

}  // namespace convoy::ros2
