// convoy_seeds: whole clusters in virtual time, one a seed; see testing/cluster.h and testing/live_cluster.h.
//
//   convoy_seeds [--kind KIND] [--from A] [--count N] [--seed S] [--planted BUG] [--expect-failure] [--verbose]
//
// Exit 0 if all seeds passed (with --expect-failure: if one failed as the planted bug does, and none in another way), 1 if
// not, 2 on bad usage. A sweep of 200 seeds or more also fails if something that it knows of never happened.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "engines/engines.h"
#include "seeds/noticed.h"
#include "seeds/seeds.h"

namespace {

using namespace convoy;
using namespace convoy::testing;

constexpr unsigned long long kLargeSweep = 200;

int usage() {
  std::fprintf(stderr,
               "usage: convoy_seeds [--kind lockstep|free|mujoco|nodes] [--from A] [--count N] [--seed S] [--verbose]\n"
               "                    [--planted BUG] [--expect-failure]\n"
               "  BUG: dedupe|ordering|tokens|resend|gaps|corrupt|losses, of kind free: tokens|checksum|stamps\n");
  return 2;
}

struct Options {
  Kind kind = Kind::kLockstep;
  unsigned long long from = 1, count = 200;
  Planted planted = Planted::kNone;
  bool verbose = false, expect_failure = false;
};

std::optional<Options> read(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--verbose") options.verbose = true;
    else if (flag == "--expect-failure") options.expect_failure = true;
    else if (i + 1 >= argc) return std::nullopt;
    if (flag == "--verbose" || flag == "--expect-failure") continue;
    const std::string value = argv[++i];
    char* end = nullptr;
    const unsigned long long number = std::strtoull(value.c_str(), &end, 10);
    const bool is_number = !value.empty() && *end == 0;
    if (flag == "--from" && is_number) options.from = number;
    else if (flag == "--count" && is_number) options.count = number;
    else if (flag == "--seed" && is_number) options.from = number, options.count = 1;
    else if (flag == "--kind" && kind_of(value)) options.kind = *kind_of(value);
    else if (flag == "--planted" && planted_of(value)) options.planted = *planted_of(value);
    else return std::nullopt;
  }
  if (options.expect_failure && options.planted == Planted::kNone) return std::nullopt;
  return options;
}

std::string again(const Options& options, unsigned long long seed) {
  std::string line = std::string("convoy_seeds --kind ") + name_of(options.kind) + " --seed " + std::to_string(seed);
  if (options.planted != Planted::kNone) line += std::string(" --planted ") + name_of(options.planted);
  return line + " --verbose";
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = read(argc, argv);
  if (!options) return usage();
  auto cast = cast_of(options->kind);
  if (!cast) return std::fprintf(stderr, "convoy_seeds: %s\n", cast.error().message().c_str()), 2;
  std::unique_ptr<PhysicsFactory> physics = std::make_unique<KinematicFactory>();
  if (options->kind == Kind::kMujoco) physics = engines::physics_factory();

  Sweep sweep(options->kind, std::move(*cast), *physics, options->planted, options->verbose);
  unsigned long long passed = 0, noticed = 0, failed = 0;
  for (unsigned long long seed = options->from; seed < options->from + options->count; ++seed) {
    const std::string wrong = sweep.check(seed);
    if (wrong.empty()) {
      ++passed;
      continue;
    }
    const bool planted = options->expect_failure && shows(options->planted, wrong);
    ++(planted ? noticed : failed);
    std::printf("seed %llu: %s%s\n  again: %s\n", seed, planted ? "as planted: " : "", wrong.c_str(),
                again(*options, seed).c_str());
  }
  if (!options->expect_failure) std::printf("what happened:\n%s", sweep.table().c_str());
  const bool large = options->count >= kLargeSweep && options->planted == Planted::kNone;
  const std::string never = large ? sweep.never_happened() : std::string();
  if (!never.empty()) std::printf("never happened in %llu seeds:\n%s", options->count, never.c_str());
  if (!options->expect_failure) std::printf("%llu passed, %llu failed\n", passed, failed);
  else std::printf("%llu passed, %llu failed as planted, %llu in another way\n", passed, noticed, failed);
  if (options->expect_failure) return noticed > 0 && failed == 0 ? 0 : 1;
  return failed == 0 && never.empty() ? 0 : 1;
}
