// A process of its own for work that may crash, hang or eat all memory: it is sent a request and sends an answer.
//
//   os::Worker worker({program, "model-worker"}, kLimits);   // started by the first request, and again after its end
//   Result<Bytes> answer = worker.ask(request);              // or "it took more than 60 s of a processor"
//
//   return os::serve(kLimits, [](ByteView request) { return answer; });   // the whole of the process
//
// It shares nothing with us but that one connection; stderr goes nowhere. It ends with us, however we end.
// Threads: one at a time, which lives as long as the worker is used (the kernel kills the process at its end); cancel()
// from any.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "convoy/time.h"
#include "core/bytes.h"
#include "os/descriptor.h"

namespace convoy::os {

struct WorkerLimits {
  std::uint64_t memory = std::uint64_t{4} << 30;  // bytes of address space; none under the address sanitizer
  Duration work = std::chrono::seconds(60);       // of a processor, for one request
  Duration patience = std::chrono::minutes(10);   // by the clock, for one request
  std::uint64_t answer = std::uint64_t{1} << 30;  // bytes
};

class Worker {
 public:
  Worker(std::vector<std::string> argv, WorkerLimits limits) : argv_(std::move(argv)), limits_(limits) {}
  ~Worker() { end(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Sends the request and waits for the answer. An Error says which limit it met, or how the process ended.
  Result<Bytes> ask(ByteView request);
  // What is asked, now or later, is given up.
  void cancel() { cancelled_ = true; }

 private:
  Status start();
  void end();
  // Moves `size` bytes, by send or recv; its Error is about a limit, or about the process's end.
  template <class Move>
  Status move(std::size_t size, short event, const Move& step);
  Status over_limit(Moment begun, Duration work_before);
  Error ended();

  std::vector<std::string> argv_;
  WorkerLimits limits_;
  pid_t pid_ = 0;
  Descriptor link_;
  Moment begun_{};
  Duration work_before_{};
  std::atomic<bool> cancelled_{false};
};

// In the worker's process: answers requests from standard input until there are no more. Returns the exit code.
int serve(const WorkerLimits& limits, const std::function<Bytes(ByteView)>& answer);

}  // namespace convoy::os
