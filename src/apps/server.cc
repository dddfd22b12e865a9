// convoy server: the authoritative server of a run, over real sockets.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "apps/arguments.h"
#include "apps/audit_file.h"
#include "apps/credentials_file.h"
#include "apps/library_folders.h"
#include "apps/models.h"
#include "apps/network.h"
#include "apps/prepare.h"
#include "apps/record_file.h"
#include "apps/report.h"
#include "apps/software.h"
#include "apps/users_code.h"
#include "os/handler_pool.h"
#include "os/machine.h"
#include "os/port_secret.h"
#include "os/standard_streams.h"
#include "plugins/welcome_library.h"

namespace convoy::apps {

namespace {

// What the command line names; that one comes last.
Result<std::vector<Credential>> given_credentials(const Arguments& a, bool beyond) {
  if (beyond && a.credentials.text.empty() && a.credentials.file.empty() && !a.credentials.insecure)
    return fail(ErrorCode::kDenied, "listening on " + a.listen +
                                        " lets anybody on the network command this run; give --credentials TEXT, "
                                        "--credentials-file FILE or --insecure");
  std::vector<Credential> all;
  if (!a.credentials.file.empty()) {
    auto file = read_credentials(a.credentials.file, beyond);
    if (!file) return file;
    all = std::move(*file);
  }
  if (a.credentials.text.empty()) return all;
  auto lone = lone_credential(a.credentials.text, beyond);
  if (!lone) return tl::unexpected(lone.error());
  all.push_back(std::move(*lone));
  return all;
}

// The scenario's own function for programs that join, once the run that it speaks of is there.
class Welcoming {
 public:
  Welcoming(const scenario::Scenario& s, Log& log) : spec_(s.run.welcome), log_(log) {}
  UserData function() {
    if (!spec_.any()) return {};
    return [this](const std::string& member, ByteView bytes, const std::function<void(ByteView)>& answer) {
      if (const std::string trouble = library_->received(member, bytes, answer); !trouble.empty())
        log_.line(LogLevel::kWarn, "the welcome of " + member + ": " + trouble);
    };
  }
  // `setup` with its entities.
  Status begin(const LibraryFolders& folders, const Setup& setup, Run& run) {
    if (!spec_.any()) return {};
    auto made = WelcomeLibrary::make(spec_, folders, run.world(), setup);
    if (!made) return fail(made.error().code, "welcome: " + made.error().message());
    library_ = std::move(*made);
    run.books().code.add("the server", library_->code());
    return {};
  }

 private:
  WelcomeSpec spec_;
  Log& log_;
  std::unique_ptr<WelcomeLibrary> library_;
};

}  // namespace

int server(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  os::raise_descriptor_limit();
  auto scenario = load_scenario(arguments.run);
  if (!scenario) return complain(scenario.error());
  if (!arguments.launched) warn_of(*scenario, log);  // else the launcher did
  const bool beyond = !loopback(arguments.listen);
  auto credentials = given_credentials(arguments, beyond);
  if (!credentials) return complain(credentials.error().message(), kUsage);

  std::unique_ptr<AuditFile> audit;
  if (!arguments.credentials.audit.empty()) {
    auto file = AuditFile::open(arguments.credentials.audit, log);
    if (!file) return complain(file.error().message(), kUsage);
    audit = std::move(*file);
  }

  std::optional<os::PortSecret> secret;
  const auto keep_secret = [&](std::uint16_t port) -> Status {
    auto kept = os::PortSecret::keep(credentials->back().secret, port);
    if (kept) return secret.emplace(std::move(*kept)), Status{};
    const std::string trouble = "cannot keep a secret: " + kept.error().message();
    if (!arguments.launched)
      return fail(ErrorCode::kUnavailable, trouble + "; --credentials TEXT gives one, --insecure asks for none");
    log.line(LogLevel::kWarn, trouble + "; convoy ctl does not reach this run without --credentials TEXT");
    return {};
  };
  os::NetLoopOptions net;
  net.listen = arguments.listen;
  net.log = &log;
  if (arguments.credentials.drawn || (arguments.credentials.text.empty() && !arguments.credentials.insecure)) {
    if (!arguments.credentials.drawn) credentials->push_back({os::new_secret(), {}});
    net.before_listening = keep_secret;  // who can connect can find it
  }
  auto loop = os::NetLoop::open(net);
  if (!loop) return complain(loop.error().message(), kUsage);

  // Over sockets a scenario runs in real time unless specified otherwise.
  ServerOptions options = server_options(*scenario, 1.0);
  for (const std::string& name : sensor_host_names(arguments.run.sensor_hosts)) options.hosts.push_back(name);
  options.membership.credentials = *credentials;
  options.membership.audit = audit.get();
  options.membership.program_build = program_build();
  options.membership.host_build = host_library_build();
  options.membership.udp_port = (*loop)->port();
  options.conductor.paused = options.live.paused = arguments.paused;
  std::optional<os::HandlerPool> handlers;  // outlives the role, and the loop outlives it
  if (arguments.handlers > 0)
    options.elements.handlers = &handlers.emplace(arguments.handlers, [&loop] { (void)(*loop)->post([] {}); });
  JudgeThread judges([&loop] { (void)(*loop)->post([] {}); });
  options.judge = judges.judge(scenario->setup.tick);
  options.judges = &judges.handlers();
  TickTimer timer;
  auto report_file = report_to(arguments.report);
  if (!report_file) return complain(report_file.error().message(), kUsage);
  auto record = RecordFile::open(arguments.record, *scenario, options, log);
  if (!record) return complain(record.error().message(), kUsage);
  (*record)->want_from_hosts(options);
  std::vector<RunWatcher*> watchers{&timer};
  (*record)->add_to(watchers);
  RunSource source = source_of(*scenario);
  const std::vector<std::string> hosts = options.hosts;
  Welcoming welcoming(*scenario, log);  // outlives the role
  options.user_data = welcoming.function();
  auto role = ServerRole::make(scenario->setup, options, **loop, log, watchers);
  if (!role) return complain(role.error().message(), kUsage);
  if (auto ok = welcoming.begin(library_folders(arguments), scenario->setup, (*role)->run()); !ok)
    return complain(ok.error().message(), kUsage);
  if (audit) audit->set_tick([&] { return (*role)->run().tick(); });
  forget_scene(scenario->setup);                         // the role has its own
  os::print("listening on port {}\n", (*loop)->port());  // stdout: a launcher reads it
  os::flush_stdout();
  if (!arguments.launched)
    invite_programs(*scenario, host_to_dial(arguments.listen) + ":" + std::to_string((*loop)->port()), log);

  int beats = 0;
  const auto progress = [&](Moment now) {
    (*record)->on_time(now);
    const Run& c = (*role)->run();
    if ((*role)->run_begun() == kNever) {
      if (!arguments.launched) return;
      os::print("gathering {}\n", "waiting for " + missing_of(hosts, **role));
      return os::flush_stdout();
    }
    // Loading, and the image for each host until it is acknowledged, took several times what the run needs.
    if (++beats == 1 || beats == 4 || beats == 16) os::give_memory_back();
    const double wall = seconds(now - (*role)->run_begun());
    const std::string text = fmt::format("{:.1f} of {:.0f} s simulated, {:.1f} x real time", seconds(c.now()),
                                         seconds(scenario->run.duration), wall > 0 ? seconds(c.now()) / wall : 0.0);
    if (arguments.launched) {
      os::print("progress {}\n", text);
      os::flush_stdout();
    } else {
      log.status(text, now);
    }
  };
  const auto interrupted = drive(
      **loop, **role, [&] { (*role)->stop(); }, progress);
  log.status("", os::now());
  const bool recorded = (*record)->close(log, (*role)->run().books().seen.lacking());
  if (!interrupted) return complain(interrupted.error().message(), kFailed);
  RunReport report = gather(*scenario, std::move(source), **role, timer, arguments.threads);
  report.interrupted = *interrupted;
  report.accept_losses = arguments.accept_losses;
  // Not of the role, which never saw them.
  if (const std::uint64_t lost = (*loop)->counters().datagrams.overrun; lost > 0) report.drops["receive_buffer"] = lost;
  const int code = deliver(report, *report_file, arguments.json);
  return code == kOk && !recorded ? kFailed : code;
}

}  // namespace convoy::apps
