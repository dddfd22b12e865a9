// The convoy command: reads the command line and runs what it names.
#include <string_view>

#include "apps/command_line.h"
#include "apps/models.h"
#include "os/machine.h"
#include "os/pool_sizes.h"
#include "os/signals.h"
#include "os/standard_streams.h"

namespace convoy::apps {

int complain(const std::string& text, int code) {
  os::print_error("convoy: {}\n", text);
  return code;
}

int complain(const std::vector<Error>& errors) {
  for (const Error& error : errors) complain(error.message(), kUsage);
  return kUsage;
}

}  // namespace convoy::apps

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == convoy::apps::kModelWorker) return convoy::apps::serve_models();
  convoy::os::begin_streams();
  convoy::os::exit_on_signals();
  convoy::os::keep_memory_small();
  convoy::apps::CommandLine line;
  const auto code = line.parse(argc, argv);
  if (!code && line.arguments.run.strict_threads && !convoy::os::give_pools_one_thread(argv))
    return convoy::apps::complain("--strict-threads cannot begin this program anew", convoy::apps::kFailed);
  return convoy::os::end_streams(code ? *code : line.run());
}
