// What a server says to its launcher, and for how long nothing has been said.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/ports.h"

namespace convoy::apps {

// On stdout: "listening on port N", "gathering ..." while it waits for others, "progress ..." from the beginning of the
// run on, its digest, and whatever else it prints.
struct ServerWords {
  int port = 0;
  bool begun = false;
  std::uint64_t lines = 0;
  std::string gathering, progress, digest, data;
  void take(std::string_view line) {
    const std::string text(line);
    ++lines;
    if (text.rfind("listening on port ", 0) == 0) port = std::atoi(text.c_str() + 18);
    else if (text.rfind("gathering ", 0) == 0) gathering = text.substr(10);
    else if (text.rfind("progress ", 0) == 0) progress = text.substr(9), begun = true;
    else if (text.rfind("digest ", 0) == 0) digest = text;
    else data += text + "\n";
  }
};

// How long nothing has happened: nothing new was said, and no processor was used.
class Quiet {
 public:
  Duration over(const std::string& said, Duration cpu, Moment now) {
    if (since_ == kNever || said != said_ || cpu < cpu_ || cpu - cpu_ >= kWork) since_ = now, said_ = said, cpu_ = cpu;
    return now - since_;
  }

 private:
  static constexpr Duration kWork =
      std::chrono::milliseconds(500);  // of processors: whoever has used as much is at work
  Moment since_ = kNever;
  std::string said_;
  Duration cpu_{};
};

// From a client's end to the server's word that the run began.
inline constexpr Duration kSaidBegun = std::chrono::seconds(3);

}  // namespace convoy::apps
