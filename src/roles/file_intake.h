// The files that members bring, in pieces, until they are whole; each member has a budget of bytes and of places, so that
// none fills the memory of server and hosts, nor keeps others from bringing theirs.
//
//   auto whole = intake.take(member, piece, world.files());   // an error: the piece is refused; null: more is to come
//   ... the world has it:
//   intake.settled(member, hash, true);
//
// A file counts from its first piece on, with the size that it says it has: what was begun can be finished. Bytes of a
// file that the world has already do not count.
#pragma once

#include <map>
#include <string>

#include "convoy/result.h"
#include "convoy/time.h"
#include "world/edit.h"
#include "world/model_files.h"

namespace convoy {

// Of one member, as long as its connection lasts; a file is on its way from its first piece until the world has it.
inline constexpr std::size_t kComingFilesOfMember = 8;
inline constexpr std::uint64_t kComingBytesOfMember = std::uint64_t{256} << 20;
inline constexpr std::uint64_t kFileBytesOfMember = std::uint64_t{512} << 20;  // on their way, or in the world
// Of all members together. Places are kMaxHalfFiles: as many as the world can have halves of.
inline constexpr std::uint64_t kComingBytes = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kFileBytes = std::uint64_t{2}
                                            << 30;  // on their way, or in the world, whoever brought them
inline constexpr std::uint64_t kLeastFile = 4096;   // what the smallest file counts

class FileIntake {
 public:
  // A piece at 0 begins the file anew. The whole file comes with its last piece, once.
  Result<SharedFile> take(Owner from, const AddFile& piece, const ModelFiles& world);
  // Some that are whole already, by hash with their sizes: all or none. Their member's places and bytes on their way are
  // not looked at: nothing waits for more of them.
  Status take_whole(Owner from, const std::map<std::uint64_t, std::uint64_t>& files, const ModelFiles& world);
  // A file that was whole is in the world, as part of this member's budget, or will not come.
  void settled(Owner by, std::uint64_t hash, bool in_world);
  // Its halves are forgotten, and their places free.
  void left(Owner member);
  // What each member may be told of that was refused for its budget; of one now and then.
  std::map<Owner, std::string> take_news(Moment now);

 private:
  struct Coming {
    std::uint64_t total = 0;
    Bytes bytes;         // so far; empty once it is whole
    bool whole = false;  // on its way into the world
  };
  struct Account {
    std::map<std::uint64_t, Coming> coming;          // by hash
    std::map<std::uint64_t, std::uint64_t> brought;  // sizes, by hash; those count that the world has
    std::uint64_t refused = 0;                       // not named yet
    Moment named = kNever;
  };
  Status room(Owner from, std::uint64_t size, bool in_pieces, const ModelFiles& world) const;

  std::map<Owner, Account> accounts_;  // kNobody's are whole files of members that have left
};

}  // namespace convoy
