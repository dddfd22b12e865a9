// convoy launch: a server and its robot clients as processes of this machine, over real sockets, supervised.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "apps/arguments.h"
#include "apps/launch_commands.h"
#include "apps/launch_job.h"
#include "apps/library_folders.h"
#include "apps/network.h"
#include "apps/prepare.h"
#include "apps/record_file.h"
#include "apps/ros2.h"
#include "apps/server_words.h"
#include "apps/software.h"
#include "apps/users_code.h"
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

constexpr const char* kPageServer = "the page server";
constexpr const char* kSignalingServer = "the signaling server";
constexpr const char* kViewer = "the viewer";
constexpr std::string_view kVideoAt = "video: ";          // and players
constexpr std::string_view kStreamersAt = "streamers: ";  // what the signaling server says of where they come
constexpr Duration kWatchEvery = std::chrono::milliseconds(100);
constexpr Duration kFarewell = std::chrono::seconds(3);  // for clients to leave by themselves after the server
constexpr Duration kObey = std::chrono::seconds(10);     // for a server that was interrupted and does nothing

// The first line is Convoy's own, the others are the child's last ones.
void report(const os::Death& death, Log& log) {
  const std::string text = death.text();
  const std::size_t end = std::min(text.find('\n'), text.size());
  log.line(LogLevel::kWarn, text.substr(0, end));
  if (end < text.size()) os::print_error("{}\n", text.substr(end + 1));
}

// The server, its clients and the scenario's programs, from the first to the last.
class Launch {
 public:
  Launch(const Arguments& arguments, scenario::Scenario scenario, std::string exe, os::StderrLog& log)
      : arguments_(arguments), scenario_(std::move(scenario)), exe_(std::move(exe)), log_(log) {
    const auto by_hand = [](const scenario::Program& program) { return program.command.empty(); };
    const auto& programs = scenario_.run.programs;
    waits_for_people_ = std::any_of(programs.begin(), programs.end(), by_hand) || !scenario_.run.wait_for.names.empty();
    // One that the server would draw is drawn here, because a relay has another port than it is found by.
    drawn_ = arguments.credentials.text.empty() && !arguments.credentials.insecure &&
             (!arguments.listen_given || loopback(arguments.listen) || !arguments.credentials.file.empty());
    credentials_ = drawn_ ? os::new_secret() : arguments.credentials.text;
  }

  int run();

 private:
  enum class Kind : std::uint8_t { kServer, kClient, kProgram, kPages, kSignaling };
  using Environment = std::vector<std::pair<std::string, std::string>>;
  Status start(const std::string& name, std::vector<std::string> argv, Kind kind, Environment environment = {});
  void line_of(const std::string& name, Kind kind, std::string_view line, bool to_stderr);
  int start_others();  // kOk, or the exit code after a line
  LaunchedRun launched() const { return {arguments_, scenario_, exe_, ros2_run_, drawn_}; }
  Status start_pages();
  Status start_signaling();
  Status start_viewer();

  void watch(Moment now);
  std::string why_hopeless(Moment now);  // empty: it goes on
  int result() const;
  std::string server_text() const { return fmt::format("the server (process {})", family_.pid("server")); }

  const Arguments& arguments_;
  scenario::Scenario scenario_;
  std::string exe_;
  os::StderrLog& log_;
  bool waits_for_people_ = false, drawn_ = false;
  std::string ros2_run_ = new_ros2_run();
  std::string credentials_;

  std::atomic<bool> interrupted_{false};
  os::Supervisor family_;
  ServerWords words_;
  std::string server_address_;
  std::string video_;                           // link for players, as the signaling server has said it
  bool pages_wait_ = false, no_video_ = false;  // for that; it will not come
  std::string streamers_;                       // where the viewer goes, as the signaling server has said it
  std::optional<os::Death> server_end_;
  Moment stopping_since_ = kNever;
  std::string ended_early_;  // the first client that had ended when the run had not begun
  Moment ended_early_at_ = kNever;
  Quiet gathering_, server_, stopping_;
};

Status Launch::start(const std::string& name, std::vector<std::string> argv, Kind kind, Environment environment) {
  os::ChildOptions child;
  child.name = name;
  child.argv = std::move(argv);
  // Not as an argument: those can be read by every user of the machine.
  child.environment = std::move(environment);
  if (!credentials_.empty()) child.environment.emplace_back("CONVOY_CREDENTIALS", credentials_);
  if (!arguments_.log_dir.empty()) {
    child.err = os::Output::kFile;
    child.err_file = arguments_.log_dir + "/" + name + ".log";
  }
  child.on_line = [this, name, kind](std::string_view line, bool to_stderr) { line_of(name, kind, line, to_stderr); };
  return family_.start(std::move(child));
}

void Launch::line_of(const std::string& name, Kind kind, std::string_view line, bool to_stderr) {
  if (!to_stderr && kind == Kind::kServer) return words_.take(line);
  const std::string text(line);
  if (kind == Kind::kSignaling && !to_stderr && text.starts_with(kStreamersAt))
    return void(streamers_ = text.substr(kStreamersAt.size()));
  if (kind == Kind::kSignaling && !to_stderr && text.starts_with(kVideoAt)) video_ = text.substr(kVideoAt.size());
  if ((kind == Kind::kPages || kind == Kind::kSignaling) && !to_stderr) return log_.line(LogLevel::kInfo, text);
  if (kind == Kind::kProgram) return log_.line(LogLevel::kInfo, name + ": " + text);
  // The children's own prefix would be printed twice.
  const bool ours = text.starts_with("convoy: ");
  const std::string bare = ours ? text.substr(8) : text;
  if (kind == Kind::kClient)
    return log_.line(warns_of_nodes(text) ? LogLevel::kWarn : LogLevel::kDebug, name + ": " + bare);
  if (ours) log_.line(LogLevel::kInfo, bare);
  else os::print_error("{}\n", text);
}

int Launch::start_others() {
  const std::string host = arguments_.listen_given ? host_to_dial(arguments_.listen) : "127.0.0.1";
  const std::string address = fmt::format("{}:{}", host, words_.port);
  log_.line(LogLevel::kInfo, "server listens on " + address);
  for (const scenario::Program& program : scenario_.run.programs)
    if (!program.command.empty())
      if (auto ok =
              start(program.name, program.command, Kind::kProgram, {{"CONVOY_JOIN", address + "/" + program.name}});
          !ok)
        return complain(ok.error().message(), kUsage);
  std::erase_if(scenario_.run.programs, [](const scenario::Program& program) { return !program.command.empty(); });
  invite_programs(scenario_, address, log_);

  server_address_ = address;
  if (arguments_.stream.on)
    if (auto ok = start_signaling(); !ok) return complain(ok.error().message(), kFailed);
  pages_wait_ = arguments_.web.on && arguments_.stream.on;
  if (arguments_.web.on && !pages_wait_)
    if (auto ok = start_pages(); !ok) return complain(ok.error().message(), kFailed);

  const std::string& dialled = arguments_.trial.relay.empty() ? address : arguments_.trial.relay;
  for (const std::string& name : sensor_host_names(arguments_.run.sensor_hosts))
    if (auto ok = start(name, sensor_host_command(launched(), name, dialled), Kind::kClient); !ok)
      return complain(ok.error().message(), kFailed);
  std::vector<std::string> names = client_names(scenario_.run);
  for (int i = 0; i < arguments_.trial.start_order; ++i) std::next_permutation(names.begin(), names.end());
  for (const std::string& name : names)
    if (auto ok = start(name, client_command(launched(), name, dialled), Kind::kClient); !ok)
      return complain(ok.error().message(), kFailed);
  return kOk;
}

Status Launch::start_pages() {
  const WebArguments& web = arguments_.web;
  std::vector<std::string> argv{
      exe_,       "web",        "--connect", server_address_, "--web-listen",
      web.listen, "--web-role", web.role,    "--log-level",   level_text(arguments_.log_level)};
  for (const std::string& name : web.names) argv.insert(argv.end(), {"--web-name", name});
  if (!web.certificate.empty()) argv.insert(argv.end(), {"--web-certificate", web.certificate, "--web-key", web.key});
  if (web.foxglove) argv.push_back("--foxglove");
  for (const std::string& origin : web.origins) argv.insert(argv.end(), {"--foxglove-origin", origin});
  if (!web.page.empty()) argv.insert(argv.end(), {"--page", web.page});
  if (arguments_.credentials.insecure) argv.push_back("--insecure");
  Environment video;
  if (!video_.empty()) video.emplace_back("CONVOY_VIDEO", video_);
  return start(kPageServer, std::move(argv), Kind::kPages, std::move(video));
}

Status Launch::start_signaling() {
  const StreamArguments& stream = arguments_.stream;
  std::vector<std::string> argv{exe_,          "signaling",   "--listen",
                                stream.listen, "--log-level", level_text(arguments_.log_level)};
  if (stream.open) argv.push_back("--open");
  for (const std::string& name : arguments_.web.names) argv.insert(argv.end(), {"--web-name", name});
  if (!arguments_.web.certificate.empty())
    argv.insert(argv.end(), {"--web-certificate", arguments_.web.certificate, "--web-key", arguments_.web.key});
  if (!arguments_.web.page.empty()) argv.insert(argv.end(), {"--page", arguments_.web.page});
  if (arguments_.credentials.insecure) argv.push_back("--insecure");
  return start(kSignalingServer, std::move(argv), Kind::kSignaling);
}

// Once the signaling server has said where.
Status Launch::start_viewer() {
  const StreamArguments& stream = arguments_.stream;
  std::vector<std::string> argv{exe_,          "viewer",
                                "--connect",   server_address_,
                                "--size",      stream.size,
                                "--quality",   stream.quality,
                                "--codec",     stream.codec,
                                "--fps",       std::to_string(stream.rate),
                                "--bitrate",   std::to_string(stream.bitrate),
                                "--log-level", level_text(arguments_.log_level)};
  for (const std::string& view : stream.views) argv.insert(argv.end(), {"--view", view});
  const WebArguments& web = arguments_.web;
  argv.insert(argv.end(), {"--direct", stream.listen.substr(0, stream.listen.rfind(':')) + ":0"});
  for (const std::string& name : web.names) argv.insert(argv.end(), {"--web-name", name});
  if (!web.certificate.empty())
    argv.insert(argv.end(),
                {"--signaling-ca", web.certificate, "--web-certificate", web.certificate, "--web-key", web.key});
  if (arguments_.credentials.insecure) argv.push_back("--insecure");
  if (stream.stamped) argv.push_back("--stamp");
  return start(kViewer, std::move(argv), Kind::kPages, {{"CONVOY_SIGNALING", std::exchange(streamers_, {})}});
}

void Launch::watch(Moment now) {
  for (const os::Death& death : family_.poll(kWatchEvery)) {
    if (death.name == "server") {
      server_end_ = death;
    } else if (stopping_since_ == kNever) {
      if (!death.exit.ok()) report(death, log_);
      no_video_ |= death.name == kSignalingServer;
      if (death.name == kPageServer || death.name == kSignalingServer || death.name == kViewer)
        continue;  // nobody needs it
      if (ended_early_.empty() && !words_.begun) ended_early_ = death.name, ended_early_at_ = now;
    }
  }
  if (words_.begun) log_.status(words_.progress, now);
  if (!interrupted_ || stopping_since_ != kNever) return;
  stopping_since_ = now;  // the server ends the run at the next boundary, notifies the clients and reports
  family_.signal("server", SIGINT);
}

std::string Launch::why_hopeless(Moment now) {
  const Duration patience = std::chrono::seconds(arguments_.trial.patience);
  const auto told = [&](const std::string& what, Duration quiet) {
    return fmt::format("{} for {:.0f} s: the run is given up", what, seconds(quiet));
  };
  const std::string lines = std::to_string(words_.lines);
  if (stopping_since_ != kNever) {
    if (stopping_.over("", family_.cpu_time("server"), now) < kObey) return {};
    return server_text() + " was asked to end and does not: it is killed";
  }
  if (!words_.begun && !ended_early_.empty() && now - ended_early_at_ >= kSaidBegun)
    return ended_early_ + " has ended before the run began, which cannot begin without it";
  // Who is looked at in a debugger stands still for as long as that takes.
  const Duration silent = server_.over(lines, family_.cpu_time("server"), now);
  if (silent >= patience && !family_.is_traced("server"))
    return told(server_text() + " has said and done nothing", silent);
  if (words_.begun || waits_for_people_) return {};
  const Duration quiet = gathering_.over(words_.gathering, family_.cpu_time(), now);
  if (quiet < patience) return {};
  return told(words_.gathering.empty() ? "nothing has happened" : "no progress, " + words_.gathering, quiet);
}

int Launch::run() {
  os::Signals signals([this](int) {
    interrupted_ = true;
    family_.wake();
  });
  if (auto ok = start("server", server_command(launched(), arguments_.listen_given ? arguments_.listen : "127.0.0.1:0"),
                      Kind::kServer);
      !ok)
    return complain(ok.error().message(), kFailed);
  bool others_started = false;
  std::string hopeless;
  while (!server_end_ && hopeless.empty()) {
    watch(os::now());
    if (words_.port != 0 && stopping_since_ == kNever && !std::exchange(others_started, true))
      if (const int code = start_others(); code != kOk) return family_.stop(), code;
    if (pages_wait_ && (!video_.empty() || no_video_) && std::exchange(pages_wait_, false))
      if (auto ok = start_pages(); !ok) log_.line(LogLevel::kWarn, ok.error().message());
    if (!streamers_.empty())
      if (auto ok = start_viewer(); !ok) log_.line(LogLevel::kWarn, ok.error().message());
    hopeless = why_hopeless(os::now());
  }
  log_.status("", os::now());
  if (!hopeless.empty()) {
    complain(hopeless, kFailed);
    family_.stop();
    return stopping_since_ != kNever ? kInterrupted : kFailed;
  }
  // The clients leave by themselves when the server sends a goodbye; those that do not are stopped.
  for (const Moment end = os::now() + kFarewell; family_.running() > 0 && os::now() < end;)
    for (const os::Death& death : family_.poll(kWatchEvery))
      if (!death.exit.ok() && stopping_since_ == kNever) report(death, log_);
  family_.stop();
  if (!words_.data.empty()) os::print("{}", words_.data);
  if (!words_.digest.empty()) os::print("{}\n", words_.digest);
  os::flush_stdout();
  return result();
}

int Launch::result() const {
  const os::Exit& exit = server_end_->exit;
  if (exit.ok()) return kOk;
  if (exit.status == kInterrupted || (interrupted_ && exit.signal != 0)) return kInterrupted;
  if (exit.status == kUsage) return kUsage;  // its line states why
  // Its lines were shown as they came.
  return complain(fmt::format("the server (process {}) {}", server_end_->pid, exit.text()), kFailed);
}

}  // namespace

int launch(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  if (arguments.run.scenario.empty())
    return complain("SCENARIO is required (convoy launch --help shows the options)", kUsage);
  auto scenario = load_scenario(arguments.run);
  if (!scenario) return complain(scenario.error());
  warn_of(*scenario, log);
  if (const auto absent = check_users_code(scenario->setup, scenario->setup.entities, library_folders(arguments));
      !absent.empty())
    return complain(absent);
  if (auto ok = check_welcome(*scenario, library_folders(arguments)); !ok)
    return complain(ok.error().message(), kUsage);
  auto exe = os::executable_path();
  if (!exe) return complain(exe.error().message(), kFailed);
  if (!arguments.cluster.engine.empty()) return launch_job(arguments, std::move(*scenario), *exe, log);
  if (scenario->run.zmq)  // the clients open them; that they cannot is reported here
    if (auto ok = try_streams(*scenario->run.zmq, client_names(scenario->run).size()); !ok)
      return complain(ok.error().message(), kUsage);
  if (scenario->run.ros2) {
    const auto place = ros2_place({.domain = scenario->run.ros2->domain});
    if (!place) return complain(place.error().message(), kUsage);
    log.line(LogLevel::kInfo, "ROS 2: " + *place);
  }
  if (!arguments.log_dir.empty()) {
    std::error_code ec;
    std::filesystem::create_directories(arguments.log_dir, ec);
    if (ec) return complain("cannot make the log directory " + arguments.log_dir + ": " + ec.message(), kUsage);
  }
  return Launch(arguments, std::move(*scenario), std::move(*exe), log).run();
}

}  // namespace convoy::apps
