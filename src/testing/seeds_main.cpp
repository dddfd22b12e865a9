// convoy_seeds: whole clusters in virtual time, one a seed; see testing/cluster.h.
//
//   convoy_seeds [--free] [--from A] [--count N] [--seed S] [--planted BUG] [--expect-failure] [--verbose]
//
// Exit 0 if all seeds passed (with --expect-failure: if one failed), 1 if not, 2 on bad usage.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "testing/seeds.h"

namespace {

int usage() {
  std::fprintf(stderr,
               "usage: convoy_seeds [--free] [--from A] [--count N] [--seed S] [--verbose] [--expect-failure]\n"
               "                    [--planted dedupe|ordering|tokens|resend|gaps|corrupt|losses]\n"
               "       with --free:    tokens|checksum|stamps\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace convoy::testing;
  unsigned long long from = 1, count = 200;
  Planted planted = Planted::kNone;
  bool free = false, verbose = false, expect_failure = false, all_kinds = true;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--free") {
      free = true;
      continue;
    }
    if (flag == "--verbose") {
      verbose = true;
      continue;
    }
    if (flag == "--expect-failure") {
      expect_failure = true;
      continue;
    }
    if (i + 1 >= argc) return usage();
    const char* value = argv[++i];
    char* end = nullptr;
    const unsigned long long number = std::strtoull(value, &end, 10);
    const bool is_number = end != value && *end == 0;
    if (flag == "--from" && is_number) from = number;
    else if (flag == "--count" && is_number) count = number;
    else if (flag == "--seed" && is_number) from = number, count = 1;
    else if (flag == "--planted" && planted_of(value)) planted = *planted_of(value);
    else return usage();
  }
  all_kinds = count >= 200 && planted == Planted::kNone;

  Sweep sweep(planted, free, verbose);
  unsigned long long passed = 0, failed = 0;
  for (unsigned long long seed = from; seed < from + count; ++seed) {
    const std::string wrong = sweep.check(seed);
    if (wrong.empty()) {
      ++passed;
      continue;
    }
    ++failed;
    std::printf("seed %llu: %s\n  again: build/src/testing/convoy_seeds%s --seed %llu --verbose%s%s\n", seed,
                wrong.c_str(), free ? " --free" : "", seed, planted == Planted::kNone ? "" : " --planted ",
                planted == Planted::kNone ? "" : name_of(planted));
    if (expect_failure) break;  // noticed
  }
  if (!expect_failure) std::printf("what happened:\n%s", sweep.table().c_str());
  const std::string never = all_kinds ? sweep.never_happened() : std::string();
  if (!never.empty()) std::printf("never happened in %llu seeds:\n%s", count, never.c_str());
  std::printf("%llu passed, %llu failed\n", passed, failed);
  if (expect_failure) return failed > 0 ? 0 : 1;
  return failed == 0 && never.empty() ? 0 : 1;
}
