#include "roles/file_desk.h"

#include <algorithm>
#include <memory>

namespace convoy {

void FileDesk::take(Owner from, const AddFile& piece, EditDone done) {
  const EditOutcome now{run_.tick(), kNoEntity};
  if (run_.world().files().count(piece.hash) > 0) return done(now);
  // Whoever brings the same waits with the one that had it whole first.
  if (const auto same = entering_.find(piece.hash); same != entering_.end())
    return same->second.waiting.push_back(std::move(done));
  auto whole = intake_.take(from, piece, run_.world().files());
  if (!whole) return done(tl::unexpected(whole.error()));
  if (!*whole) return done(now);
  enter(from, piece.hash, std::move(*whole), std::move(done));
}

void FileDesk::bring(Owner from, std::vector<Bytes> files, const EditDone& done) {
  std::map<std::uint64_t, std::uint64_t> sizes;  // of those that neither the world has nor anybody brings
  std::map<std::uint64_t, Bytes> lacking;
  for (Bytes& file : files)
    if (const std::uint64_t hash = hash64(file); run_.world().files().count(hash) == 0) {
      if (entering_.count(hash) == 0) sizes[hash] = file.size();
      lacking[hash] = std::move(file);
    }
  if (!sizes.empty())
    if (auto ok = intake_.take_whole(from, sizes, run_.world().files()); !ok) return done(tl::unexpected(ok.error()));
  if (lacking.empty()) return done(EditOutcome{run_.tick(), kNoEntity});
  const EditDone one_is_in = [rest = std::make_shared<std::size_t>(lacking.size()),
                              done](const Result<EditOutcome>& outcome) {
    if (*rest == 0 || (outcome && --*rest > 0)) return;
    *rest = 0;
    done(outcome);
  };
  for (auto& [hash, file] : lacking)
    if (const auto same = entering_.find(hash); same != entering_.end()) same->second.waiting.push_back(one_is_in);
    else enter(from, hash, std::make_shared<const Bytes>(std::move(file)), one_is_in);
}

void FileDesk::enter(Owner from, std::uint64_t hash, SharedFile file, EditDone done) {
  entering_.emplace(hash, Entering{from, std::move(file), {std::move(done)}, 0, run_.run()});
  turns_[from].push_back(hash);
}

void FileDesk::proceed(Moment now) {
  if (out_ || turns_.empty() || now < next_) return;
  next_ = now + kPieceEvery;
  if (run_.over()) {
    while (!entering_.empty()) settle(entering_.begin()->first, fail(ErrorCode::kState, "the run is over"));
    return;
  }
  auto turn = turns_.upper_bound(last_);
  if (turn == turns_.end()) turn = turns_.begin();
  last_ = turn->first;
  const std::uint64_t hash = turn->second.front();
  if (run_.world().files().count(hash) > 0) return settle(hash, EditOutcome{run_.tick(), kNoEntity});
  send_piece(hash);
}

void FileDesk::send_piece(std::uint64_t hash) {
  Entering& one = entering_.at(hash);
  if (one.run != run_.run()) one.at = 0, one.run = run_.run();
  const Bytes& file = *one.file;
  const ByteView piece = ByteView(file).subspan(one.at, std::min<std::size_t>(kMaxFilePiece, file.size() - one.at));
  out_ = true;
  run_.submit(AddFile{hash, one.at, file.size(), {piece.begin(), piece.end()}},
              [this, hash, size = piece.size()](const Result<EditOutcome>& outcome) { answered(hash, size, outcome); });
}

void FileDesk::answered(std::uint64_t hash, std::uint64_t size, const Result<EditOutcome>& outcome) {
  out_ = false;
  Entering& one = entering_.at(hash);
  const bool reset = std::exchange(one.run, run_.run()) != run_.run();
  if (!outcome && reset && !run_.over()) {
    one.at = 0;  // it waited behind a reset, and goes in anew
    return;
  }
  one.at += size;
  if (!outcome || one.at == one.file->size()) settle(hash, outcome);
}

void FileDesk::settle(std::uint64_t hash, const Result<EditOutcome>& outcome) {
  auto one = entering_.extract(hash);
  const Owner by = one.mapped().by;
  std::deque<std::uint64_t>& turns = turns_.at(by);
  std::erase(turns, hash);
  if (turns.empty()) turns_.erase(by);
  intake_.settled(by, hash, outcome.has_value());
  for (const EditDone& done : one.mapped().waiting) done(outcome);
}

}  // namespace convoy
