// The page server: convoy web, what launch starts for --web, and the pages of run --web and replay --web.
#pragma once

#include <memory>

#include "apps/arguments.h"
#include "convoy/result.h"
#include "core/ports.h"
#include "record/recording.h"

namespace convoy::apps {

// convoy web
int web(const Arguments& arguments);

// Shows a recording to browsers until it is interrupted; the exit code.
int show_recording(const Arguments& arguments, const Recording& recording, Log& log);

// A page in the process of a run: it follows the run in threads of its own, and nothing waits for it.
class PageOfRun {
 public:
  virtual ~PageOfRun() = default;
  // A client of the run as any other, for Embedded.
  virtual Role& role() = 0;
  virtual void start() = 0;
  // A descriptor that is readable when role() has something to do.
  virtual int wakes() const = 0;
};

// Opens the page and logs its links. The Error is for the user: a port that is taken, a build without a page.
Result<std::unique_ptr<PageOfRun>> page_of_run(const Arguments& arguments, Network& network, Log& log);

}  // namespace convoy::apps
