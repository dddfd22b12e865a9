// What is kept of a sweep's runs, in folders `runs/KEY`. Of a run that is made once more it stands aside meanwhile, so that
// nothing of the first is lost: the second takes its place only where it came to something else, as `runs/KEY.again`.
//
//   KeptRuns kept(folder);
//   kept.set_aside(key);  ... the run is made and kept ...  kept.put_back(key, both);
//   kept.put_back_all();  what an interrupt or a crash left aside
//
// Where nothing is kept, nothing is done. One thread.
#pragma once

#include <cstdint>
#include <string>

#include "convoy/result.h"

namespace convoy::apps {

class KeptRuns {
 public:
  explicit KeptRuns(const std::string& sweep) : folder_(sweep + "/runs") {}

  std::string of(std::uint64_t key) const;
  std::string again(std::uint64_t key) const { return of(key) + ".again"; }

  // kUnavailable, here and below: the folder cannot be written.
  Status set_aside(std::uint64_t key) const;
  // `both`: the second stays, too.
  Status put_back(std::uint64_t key, bool both) const;
  Status put_back_all() const;

 private:
  std::string folder_;
};

}  // namespace convoy::apps
