// Runs a job in a program that is not linked to Convoy's library and loads this one, for tests.
#include <cstdio>

#include <convoy_ros/job.hpp>

extern "C" int odd_late_job(const char* library, const char* type) {
  convoy::ros::JobSpec spec;
  spec.components.push_back({library, type, {}});
  spec.duration = std::chrono::seconds(1);
  auto job = convoy::ros::Job::make(std::move(spec));
  if (!job) return std::fprintf(stderr, "%s\n", job.error().message().c_str()), 2;
  const auto ran = (*job)->run({});
  if (!ran) return std::fprintf(stderr, "%s\n", ran.error().message().c_str()), 1;
  return std::printf("%016llx\n", static_cast<unsigned long long>((*job)->digest())), 0;
}
