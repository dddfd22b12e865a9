// Takes the files that members bring and lets them into the world when they are whole, a piece at a time and of each
// member in its turn: no boundary has more than one piece, however large the files are, and a small file does not wait
// for another member's large one. The world never holds half of a file of which the rest is not here: who leaves in the
// middle leaves nothing behind, neither here nor in the journal.
//
//   desk.take(member, piece, done);      // done: the piece is kept; of the last one, the file is in the world
//   desk.bring(member, files, done);     // done: all are in the world, or one was refused
//   desk.proceed(now);
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "roles/file_intake.h"
#include "run/run.h"

namespace convoy {

inline constexpr Duration kPieceEvery = std::chrono::milliseconds(1);  // where no boundary has to be waited for

class FileDesk {
 public:
  explicit FileDesk(Run& run) : run_(run) {}
  FileDesk(const FileDesk&) = delete;

  void take(Owner from, const AddFile& piece, EditDone done);
  // Of a member that is there: all, or none. Those that the world has are left out.
  void bring(Owner from, std::vector<Bytes> files, const EditDone& done);
  void proceed(Moment now);
  // Of the next piece; kNever: none waits, or one is on its way.
  Moment deadline() const { return out_ || turns_.empty() ? kNever : next_; }
  void left(Owner member) { intake_.left(member); }
  std::map<Owner, std::string> take_news(Moment now) { return intake_.take_news(now); }

 private:
  struct Entering {
    Owner by;  // the member that had it whole first
    SharedFile file;
    std::vector<EditDone> waiting;
    std::uint64_t at = 0;   // of its bytes; those before are in the world
    std::uint32_t run = 0;  // in which they are: a reset of the whole world forgets halves
  };
  void enter(Owner from, std::uint64_t hash, SharedFile file, EditDone done);
  void send_piece(std::uint64_t hash);
  void answered(std::uint64_t hash, std::uint64_t size, const Result<EditOutcome>& outcome);
  void settle(std::uint64_t hash, const Result<EditOutcome>& outcome);

  Run& run_;
  FileIntake intake_;
  std::map<std::uint64_t, Entering> entering_;        // by hash
  std::map<Owner, std::deque<std::uint64_t>> turns_;  // what each member has there, in its order
  Owner last_ = kNobody;                              // whose piece was the last
  bool out_ = false;                                  // a piece waits for its boundary
  Moment next_{};
};

}  // namespace convoy
