// convoy launch: a server and its robot clients as processes of this machine, over real sockets, supervised.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>

#include "apps/arguments.h"
#include "apps/library_folders.h"
#include "apps/network.h"
#include "apps/prepare.h"
#include "apps/software.h"
#include "apps/zmq.h"
#include "os/clock.h"
#include "os/machine.h"
#include "os/port_secret.h"
#include "os/process.h"
#include "os/signals.h"
#include "os/standard_streams.h"
#include "os/terminal.h"

namespace convoy::apps {

namespace {

void add(std::vector<std::string>& argv, const std::string& flag, const std::optional<std::string>& value) {
  if (value) argv.push_back(flag), argv.push_back(*value);
}

// The server's own line "listening on port N", "progress ...", its digest, and whatever else it prints on stdout.
struct ServerWords {
  int port = 0;
  std::string progress, digest, data;
  void take(std::string_view line) {
    const std::string text(line);
    if (text.rfind("listening on port ", 0) == 0) port = std::atoi(text.c_str() + 18);
    else if (text.rfind("progress ", 0) == 0) progress = text.substr(9);
    else if (text.rfind("digest ", 0) == 0) digest = text;
    else data += text + "\n";
  }
};

// The first line is Convoy's own, the others are the child's last ones.
void report(const os::Death& death, Log& log) {
  const std::string text = death.text();
  const std::size_t end = std::min(text.find('\n'), text.size());
  log.line(LogLevel::kWarn, text.substr(0, end));
  if (end < text.size()) std::fprintf(stderr, "%s\n", text.c_str() + end + 1);
}

// A warning or an error of Convoy's own about somebody's nodes: "[WARN] [12.500000000] [convoy]: ...".
bool warns_of_nodes(const std::string& line) {
  return (line.starts_with("[WARN] ") || line.starts_with("[ERROR] ")) && line.find("[convoy]: ") != line.npos;
}

}  // namespace

int launch(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  auto scenario = load_scenario(arguments.run);
  if (!scenario) return complain(scenario.error());
  warn_of(*scenario, log);
  if (const auto absent = check_components(scenario->setup.entities, library_folders(arguments)); !absent.empty())
    return complain(absent);
  if (scenario->run.zmq)  // the clients open them; that they cannot is reported here
    if (auto ok = try_streams(*scenario->run.zmq, client_names(scenario->run).size()); !ok)
      return complain(ok.error().message(), kUsage);
  const auto exe = os::executable_path();
  if (!exe) return complain(exe.error().message(), kFailed);
  if (!arguments.log_dir.empty()) {
    std::error_code ec;
    std::filesystem::create_directories(arguments.log_dir, ec);
    if (ec) return complain("cannot make the log directory " + arguments.log_dir + ": " + ec.message(), kUsage);
  }

  std::atomic<int> signals_seen{0};
  os::Supervisor family;
  os::Signals signals([&](int) {
    signals_seen = 1;
    family.wake();
  });
  const std::string level = arguments.log_level == LogLevel::kDebug  ? "debug"
                            : arguments.log_level == LogLevel::kInfo ? "info"
                            : arguments.log_level == LogLevel::kWarn ? "warn"
                                                                     : "error";
  // One that the server would draw is drawn here, because a relay has another port than it is found by.
  const bool drawn =
      arguments.credentials.empty() && !arguments.insecure && (!arguments.listen_given || loopback(arguments.listen));
  const std::string credentials = drawn ? os::new_secret() : arguments.credentials;
  ServerWords words;
  enum class Child { kServer, kClient, kProgram };
  // `join`: where a program goes.
  const auto start = [&](const std::string& name, std::vector<std::string> argv, Child kind,
                         std::string join = {}) -> Status {
    const bool is_server = kind == Child::kServer, is_program = kind == Child::kProgram;
    os::ChildOptions child;
    child.name = name;
    child.argv = std::move(argv);
    // Not as an argument: those can be read by every user of the machine.
    if (!credentials.empty()) child.environment = {{"CONVOY_CREDENTIALS", credentials}};
    if (is_program) child.environment.emplace_back("CONVOY_JOIN", std::move(join));
    if (!arguments.log_dir.empty()) {
      child.err = os::Output::kFile;
      child.err_file = arguments.log_dir + "/" + name + ".log";
    }
    child.on_line = [&words, &log, name, is_server, is_program](std::string_view line, bool to_stderr) {
      if (!to_stderr && is_server) return words.take(line);
      const std::string text(line);
      if (is_program) return log.line(LogLevel::kInfo, name + ": " + text);
      // The children's own prefix would be printed twice.
      const std::string bare = text.rfind("convoy: ", 0) == 0 ? text.substr(8) : text;
      if (is_server) {
        if (text.rfind("convoy: ", 0) == 0) log.line(LogLevel::kInfo, bare);
        else std::fprintf(stderr, "%s\n", text.c_str());
      } else {
        log.line(warns_of_nodes(text) ? LogLevel::kWarn : LogLevel::kDebug, name + ": " + bare);
      }
    };
    return family.start(std::move(child));
  };

  std::vector<std::string> argv{*exe,
                                "server",
                                arguments.run.scenario,
                                "--listen",
                                arguments.listen_given ? arguments.listen : "127.0.0.1:0",
                                "--launched",
                                "--log-level",
                                level};
  if (arguments.run.hosts) add(argv, "--hosts", std::to_string(*arguments.run.hosts));
  if (arguments.run.seed) add(argv, "--seed", std::to_string(*arguments.run.seed));
  add(argv, "--mode", arguments.run.mode);
  add(argv, "--duration", arguments.run.duration);
  add(argv, "--speed", arguments.run.speed);
  add(argv, "--leave", arguments.run.leave);
  for (const std::string& set : arguments.run.set) add(argv, "--set", set);
  if (!arguments.report.empty()) add(argv, "--report", arguments.report);
  if (!arguments.record.empty()) add(argv, "--record", arguments.record);
  if (arguments.insecure) argv.push_back("--insecure");
  if (drawn) argv.push_back("--drawn");
  if (arguments.paused) argv.push_back("--paused");
  if (arguments.accept_losses) argv.push_back("--accept-losses");
  if (arguments.json) argv.push_back("--json");
  add(argv, "--threads", std::to_string(arguments.threads));
  add(argv, "--handlers", std::to_string(arguments.handlers));
  if (auto ok = start("server", argv, Child::kServer); !ok) return complain(ok.error().message(), kFailed);

  const std::string reached_at = arguments.listen_given ? host_to_dial(arguments.listen) : "127.0.0.1";
  bool clients_started = false, stopping = false;
  std::optional<os::Death> server_end;
  std::set<std::string> lost;
  while (family.running() > 0) {
    for (const os::Death& death : family.poll(std::chrono::milliseconds(100))) {
      if (death.name == "server") {
        server_end = death;
      } else if (!death.exit.ok() && !stopping) {
        lost.insert(death.name);
        report(death, log);
      }
    }
    if (server_end) break;
    if (!words.progress.empty()) log.status(words.progress, os::now());
    if (signals_seen != 0 && !stopping) {
      stopping = true;  // the server ends the run at the next boundary, notifies the clients and reports
      for (const std::string& name : {std::string("server")}) family.signal(name, SIGINT);
    }
    if (words.port != 0 && !clients_started && !stopping) {
      clients_started = true;
      log.line(LogLevel::kInfo, fmt::format("server listens on {}:{}", reached_at, words.port));
      const std::string address = fmt::format("{}:{}", reached_at, words.port);
      for (const scenario::Program& program : scenario->run.programs) {
        if (program.command.empty()) continue;
        if (auto ok = start(program.name, program.command, Child::kProgram, address + "/" + program.name); !ok) {
          family.stop();
          return complain(ok.error().message(), kUsage);
        }
      }
      std::erase_if(scenario->run.programs, [](const scenario::Program& program) { return !program.command.empty(); });
      invite_programs(*scenario, address, log);
      const std::vector<std::string> clients = client_names(scenario->run);
      std::vector<std::string> names = clients;
      for (int i = 0; i < arguments.start_order; ++i) std::next_permutation(names.begin(), names.end());
      for (const std::string& name : names) {
        const std::string target =
            arguments.relay.empty() ? fmt::format("{}:{}", reached_at, words.port) : arguments.relay;
        std::vector<std::string> client{*exe,          "client", "--connect", target,
                                        "--name",      name,     "--threads", std::to_string(arguments.threads),
                                        "--log-level", level};
        const auto index = static_cast<std::size_t>(std::find(clients.begin(), clients.end(), name) - clients.begin());
        client.insert(client.end(), {"--scenario-folder", folder_of(arguments.run.scenario)});
        for (const std::string& folder : arguments.library_folders)
          client.insert(client.end(), {"--allow-library", folder});
        if (scenario->run.zmq) add_zmq_flags(client, of_client(*scenario->run.zmq, index));
        for (const scenario::Fault& fault : scenario->run.faults)
          if (fault.kind == scenario::FaultKind::kCorruptState && fault.host == name)
            add(client, "--corrupt-state-at", std::to_string(nanos(fault.at) / nanos(scenario->setup.tick)));
        if (auto ok = start(name, client, Child::kClient); !ok) {
          family.stop();
          return complain(ok.error().message(), kFailed);
        }
      }
    }
  }
  log.status("", os::now());
  // The clients leave by themselves when the server sends a goodbye; those that do not are stopped.
  const Moment patience = os::now() + std::chrono::seconds(3);
  while (family.running() > 0 && os::now() < patience)
    for (const os::Death& death : family.poll(std::chrono::milliseconds(100)))
      if (!death.exit.ok() && !stopping) report(death, log);
  family.stop();
  if (!server_end) return complain("the server ended without a word", kFailed);
  if (!words.data.empty()) os::print("{}", words.data);
  if (!words.digest.empty()) os::print("{}\n", words.digest);
  os::flush_stdout();
  if (server_end->exit.ok()) return kOk;
  if (server_end->exit.status == kInterrupted) return kInterrupted;
  if (server_end->exit.status == kUsage) return kUsage;  // its line states why
  // Its lines were shown as they came.
  return complain(fmt::format("the server (process {}) {}", server_end->pid, server_end->exit.text()), kFailed);
}

}  // namespace convoy::apps
