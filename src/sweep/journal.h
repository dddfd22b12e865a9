// The journal of a sweep's folder: a line for each run that was made, in the order in which they ended.
//
//   auto journal = sweep::Journal::open(folder + "/runs.jsonl", keys);
//   if (!journal->done(keys[i])) ... journal->add(outcome);
//   Result<Outcome> outcome = journal->outcome_of(keys[i]);
//
// Lines of other keys stay, and are passed over: runs of an earlier plan or build. A line that was cut is taken away. In
// memory there are 24 bytes a run. One at a time: the caller holds the folder's lock.
#pragma once

#include <memory>
#include <vector>

#include "convoy/result.h"
#include "os/file.h"
#include "sweep/outcome.h"

namespace convoy::sweep {

inline constexpr std::size_t kMaxOutcome = 1u << 20;  // bytes of a line; longer ones are passed over

class Journal {
 public:
  // `keys`: of the plan's runs, in any order.
  static Result<Journal> open(const std::string& path, std::vector<std::uint64_t> keys);

  bool is_of(std::uint64_t key) const { return at(key).key == key; }  // one of the keys
  bool known(std::uint64_t key) const { return at(key).line != kNone; }
  bool done(std::uint64_t key) const { return at(key).done; }
  // The last one of it. kNotFound: there is none.
  Result<Outcome> outcome_of(std::uint64_t key) const;
  // Written to the system before this returns. Of one of the keys.
  Status add(const Outcome& outcome);

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  struct Entry {
    std::uint64_t key = 0, line = kNone;  // where it begins
    bool done = false;
  };
  explicit Journal(os::AppendFile file) : file_(std::move(file)) {}
  const Entry& at(std::uint64_t key) const;
  static Entry* find(std::vector<Entry>& entries, std::uint64_t key);  // null: not one of them

  std::vector<Entry> entries_;  // by key
  os::AppendFile file_;
};

}  // namespace convoy::sweep
