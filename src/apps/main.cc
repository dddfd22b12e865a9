// The convoy command: its subcommands and their options. What they do stands in a file each.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "apps/arguments.h"
#include "apps/identity.h"
#include "os/terminal.h"

namespace convoy::apps {

int complain(const std::string& text, int code) {
  std::fprintf(stderr, "convoy: %s\n", text.c_str());
  return code;
}

namespace {

void add_scenario(CLI::App& app, ScenarioArguments& a) {
  app.add_option("SCENARIO", a.scenario, "a scenario file (YAML)")->required();
  app.add_option("--hosts", a.hosts, "number of robot clients")->check(CLI::Range(1, 1000));
  app.add_option("--mode", a.mode, "lockstep or free")->check(CLI::IsMember({"lockstep", "free"}));
  app.add_option("--seed", a.seed, "seed of every random stream");
  app.add_option("--duration", a.duration, "simulated time, as 60s");
  app.add_option("--speed", a.speed, "times real time, or max");
  app.add_option("--set", a.set, "override a field of the scenario, as robots[0].count=10")->allow_extra_args(false);
  app.add_option("--leave", a.leave, "a lost host's robots: freeze or remove")->check(CLI::IsMember({"freeze", "remove"}));
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  std::string level = "info";
  int code = kOk;
  CLI::App app{"Convoy simulates fleets of robots over many machines: one world, the same bytes on any number of hosts."};
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--log-level", level, "debug, info, warn or error")->envname("CONVOY_LOG_LEVEL");
  app.add_flag("--json", a.json, "print data as JSON");
  const auto command = [&](const char* name, const char* help, int (*body)(const Arguments&)) {
    CLI::App* sub = app.add_subcommand(name, help);
    sub->callback([&a, &code, &level, body] {
      const auto parsed = os::parse_log_level(level);
      if (!parsed) {
        code = complain(parsed.error().message(), kUsage);
        return;
      }
      a.log_level = *parsed;
      code = body(a);
    });
    return sub;
  };

  CLI::App* run_command = command("run", "Run a scenario in this process", run);
  add_scenario(*run_command, a.run);
  run_command->add_option("--threads", a.threads, "threads for the agents")->check(CLI::Range(1, 256))->envname("CONVOY_THREADS");
  run_command->add_option("--report", a.report, "write the report as JSON to this file");
  run_command->add_option("--record", a.record, "record the run to this file (MCAP)");
  run_command->add_option("--start-order", a.start_order, "start the hosts in another order (a permutation's number)");

  CLI::App* launch_command = command("launch", "Run a scenario as processes on this machine, over real sockets", launch);
  add_scenario(*launch_command, a.run);
  CLI::App* server_command = command("server", "Serve a scenario to robot clients", server);
  add_scenario(*server_command, a.run);
  server_command->add_flag("--launched", a.launched)->group("");
  for (CLI::App* sub : {launch_command, server_command}) {
    sub->add_option("--threads", a.threads, "threads for the agents of each client")->check(CLI::Range(1, 256))->envname("CONVOY_THREADS");
    sub->add_option("--report", a.report, "write the report as JSON to this file");
    sub->add_option("--record", a.record, "record the run to this file (MCAP)");
    sub->add_option_function<std::string>("--listen", [&a](const std::string& text) { a.listen = text, a.listen_given = true; },
                                          "ADDR:PORT; port 0 is a free one")->envname("CONVOY_LISTEN");
    sub->add_option("--credentials", a.credentials, "what clients must show")->envname("CONVOY_CREDENTIALS");
    sub->add_flag("--insecure", a.insecure, "listen beyond this machine without credentials");
    sub->add_flag("--paused", a.paused, "begin paused");
  }
  launch_command->add_option("--log-dir", a.log_dir, "one log file a process in this folder");
  launch_command->add_option("--start-order", a.start_order, "start the hosts in another order (a permutation's number)");
  launch_command->add_option("--relay", a.relay)->group("");
  CLI::App* client_command = command("client", "Own robots of a server and run them", client);
  client_command->add_option("--connect", a.connect, "the server, ADDR:PORT")->envname("CONVOY_CONNECT");
  client_command->add_option("--name", a.name, "host0, ...; the server chooses if not given");
  client_command->add_option("--threads", a.threads, "threads for the agents")->check(CLI::Range(1, 256))->envname("CONVOY_THREADS");
  client_command->add_option("--credentials", a.credentials, "what the server asks for")->envname("CONVOY_CREDENTIALS");
  client_command->add_option("--corrupt-state-at", a.corrupt_state_at)->group("");

  CLI::App* check_command = command("check", "Validate a scenario", check);
  add_scenario(*check_command, a.run);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int result = app.exit(e);
    return result == 0 ? kOk : kUsage;
  }
  return code;
}

}  // namespace convoy::apps

int main(int argc, char** argv) { return convoy::apps::main(argc, argv); }
