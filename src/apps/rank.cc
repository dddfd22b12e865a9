// convoy rank: one process of a run that an engine of a cluster started, as its job's folder describes it.
#include <fmt/format.h>
#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "apps/arguments.h"
#include "apps/file_tail.h"
#include "apps/flag_variables.h"
#include "apps/server_words.h"
#include "apps/tool_run.h"
#include "gang/gang.h"
#include "gang/said.h"
#include "gang/slurm.h"
#include "os/address.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/machine.h"
#include "os/process.h"
#include "os/signals.h"
#include "os/sockets.h"
#include "os/standard_streams.h"

namespace convoy::apps {

namespace {

constexpr Duration kWatchRank = std::chrono::milliseconds(200);
constexpr Duration kLastReport = std::chrono::seconds(5);  // of a server that is given up, to write its report
constexpr Duration kKnock = std::chrono::seconds(1);       // at a server that may not be there yet
constexpr std::size_t kMaxSecret = 4096;

// The first of these variables that is set.
std::optional<std::string> variable(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  return {};
}

Result<int> number_of(std::initializer_list<const char*> names, const char* what) {
  const auto text = variable(names);
  if (!text) return fail(ErrorCode::kNotFound, fmt::format("no engine says {}: {} is not set", what, *names.begin()));
  char* end = nullptr;
  const long value = std::strtol(text->c_str(), &end, 10);
  if (*end != '\0' || value < 0 || value >= 1'000'000)
    return fail(ErrorCode::kInvalid, fmt::format("'{}' is no number of {}", *text, what));
  return static_cast<int>(value);
}

// By which others reach this machine.
Result<std::string> own_address(const gang::Gang& gang) {
  if (const auto given = variable({"CONVOY_RANK_ADDRESS"})) return *given;
  if (!gang.interface.empty()) {
    const auto found = os::address_of_interface(gang.interface);
    if (!found) return fail(found.error().code, "engine: interface: " + found.error().text);
    return os::address_text(*found);
  }
  std::string name = os::host_name();
  if (const auto node = variable({"SLURMD_NODENAME"}))
    if (const auto shown = run_tool({"scontrol", "--oneliner", "show", "node", *node}); shown && shown->exit.ok())
      if (const std::string address = gang::parse_slurm_node(shown->out); !address.empty()) name = address;
  const auto found = os::resolve({name, 0});
  if (!found) return tl::unexpected(found.error());
  return os::address_text(found->front());
}

// An address as it stands in ADDR:PORT.
std::string before_port(const std::string& address) {
  return address.find(':') == address.npos ? address : "[" + address + "]";
}

class RankProcess {
 public:
  RankProcess(gang::Gang gang, std::size_t number, int attempt)
      : gang_(std::move(gang)),
        rank_(gang_.ranks[number]),
        number_(number),
        attempt_(gang::attempt_folder(gang_.folder, attempt)) {}
  int run();

 private:
  bool serves() const { return number_ == 0; }
  void say(gang::SaidKind kind, std::string_view text);
  void say_report();
  Result<std::string> wait_for(const std::string& server);
  Result<std::string> wait_for_server();
  Status start(const std::string& own, const std::string& server, const std::string& secret);
  void hear(std::string_view line, bool to_stderr);
  std::string why_hopeless(Moment now);
  std::optional<std::string> ended_early() const;
  void pass_on();
  gang::RankEnd watch();
  gang::RankEnd work();

  gang::Gang gang_;
  const gang::Rank& rank_;
  std::size_t number_;
  std::string attempt_;
  bool prints_ = variable({"CONVOY_RANK_PRINT"}).has_value();  // what it would write into a folder that others see
  std::uint64_t said_ = 0;
  std::string own_;
  std::optional<os::AppendFile> out_;
  os::Supervisor family_;
  std::atomic<int> signal_{0};
  bool told_ = false;
  ServerWords words_;  // of the server
  Quiet gathering_;
  Moment early_at_ = kNever;
};

void RankProcess::say(gang::SaidKind kind, std::string_view text) {
  if (!prints_) return;
  os::print("{}\n", gang::text_of(gang::Said{said_++, kind, std::string(text)}));
  os::flush_stdout();
}

void RankProcess::say_report() {
  if (!serves() || !prints_) return;
  FileTail(attempt_ + "/" + gang::kReport).read([this](std::string_view line) { say(gang::SaidKind::kReport, line); });
}

// Its machine may begin long after this one, and its name be unknown until then.
Result<std::string> RankProcess::wait_for(const std::string& server) {
  const auto where = os::parse_host_port(server);
  if (!where) return tl::unexpected(where.error());
  std::string trouble = "nobody listens there";
  for (const Moment until = os::now() + std::chrono::seconds(gang_.patience_s); os::now() < until && signal_ == 0;) {
    const auto found = os::resolve(*where);
    if (!found) trouble = found.error().message();
    for (const Endpoint& one : found.value_or(std::vector<Endpoint>()))
      if (os::somebody_listens(one, kKnock)) return server;
    (void)family_.poll(kKnock);
  }
  if (signal_ != 0) return fail(ErrorCode::kUnavailable, "interrupted while it waited for the server");
  return fail(ErrorCode::kUnavailable,
              fmt::format("no server answered at {} for {} s: {}", server, gang_.patience_s, trouble));
}

Result<std::string> RankProcess::wait_for_server() {
  if (serves()) return std::string();
  if (const auto known = variable({"CONVOY_SERVER"})) return wait_for(*known);
  const std::string file = attempt_ + "/" + gang::kServerAt;
  const std::string end = gang::end_file(attempt_, gang_.ranks[0].name);
  for (const Moment until = os::now() + std::chrono::seconds(gang_.patience_s); os::now() < until && signal_ == 0;) {
    // Listing the folder has a network's file system look anew.
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(attempt_, none)) (void)entry;
    if (const auto text = os::read_text(file); text && text->ends_with('\n')) return text->substr(0, text->size() - 1);
    if (os::exists(end)) return fail(ErrorCode::kUnavailable, "the server has ended before it listened");
    (void)family_.poll(kWatchRank);
  }
  if (signal_ != 0) return fail(ErrorCode::kUnavailable, "interrupted while it waited for the server");
  return fail(ErrorCode::kUnavailable,
              fmt::format("no server was found for {} s: rank 0 writes its address to {} when it listens, and all "
                          "machines must see that folder",
                          gang_.patience_s, file));
}

Status RankProcess::start(const std::string& own, const std::string& server, const std::string& secret) {
  const std::map<std::string, std::string> values{
      {"own", own}, {"own_host", before_port(own)}, {"server", server}, {"attempt", attempt_}};
  os::ChildOptions child;
  child.name = rank_.name;
  for (const std::string& word : rank_.argv) child.argv.push_back(gang::filled(word, values));
  for (const char* name : kFlagVariables) child.environment.emplace_back(name, "");
  if (!secret.empty()) child.environment.emplace_back("CONVOY_CREDENTIALS", secret);
  for (const auto& [name, value] : rank_.environment) child.environment.emplace_back(name, gang::filled(value, values));
  if (!prints_) child.err = os::Output::kFile, child.err_file = gang::log_file(attempt_, rank_.name);
  if (prints_) {
    child.on_line = [this](std::string_view line, bool to_stderr) { hear(line, to_stderr); };
  } else if (serves()) {
    auto file = os::AppendFile::open(gang::output_file(attempt_, rank_.name), os::AppendFile::Mode::kNew);
    if (!file) return tl::unexpected(file.error());
    out_ = std::move(*file);
    child.on_line = [this](std::string_view line, bool to_stderr) { hear(line, to_stderr); };
  } else {
    child.out = os::Output::kFile, child.out_file = gang::output_file(attempt_, rank_.name);
  }
  return family_.start(std::move(child));
}

// What the server says goes on to whoever follows the job.
void RankProcess::hear(std::string_view line, bool to_stderr) {
  say(to_stderr ? gang::SaidKind::kLog : gang::SaidKind::kOut, line);
  if (to_stderr || !serves()) return;
  const bool known = words_.port != 0;
  words_.take(line);
  if (out_) {
    (void)out_->write(as_bytes(std::string(line) + "\n"));
    (void)out_->flush();
  }
  if (known || words_.port == 0) return;
  const std::string at = fmt::format("{}:{}", before_port(own_), words_.port);
  say(gang::SaidKind::kAt, at);
  if (auto ok = os::write_file(attempt_ + "/" + gang::kServerAt, at + "\n"); !ok)
    complain(ok.error().message(), kFailed);
}

// Another rank whose end stands there.
std::optional<std::string> RankProcess::ended_early() const {
  for (std::size_t i = 1; i < gang_.ranks.size(); ++i) {
    const auto text = os::read_text(gang::end_file(attempt_, gang_.ranks[i].name));
    if (!text) continue;
    const auto end = gang::parse_end(*text);
    return gang_.ranks[i].name + (end ? " " + end->text : " has ended");
  }
  return {};
}

std::string RankProcess::why_hopeless(Moment now) {
  if (!serves() || words_.begun || told_) return {};
  if (const auto early = ended_early()) {
    if (early_at_ == kNever) early_at_ = now;
    if (now - early_at_ >= kSaidBegun) return *early + ", and the run cannot begin without it";
  }
  const Duration quiet = gathering_.over(words_.gathering, family_.cpu_time(), now);
  if (quiet < std::chrono::seconds(gang_.patience_s)) return {};
  return fmt::format("no progress for {:.0f} s, {}", seconds(quiet),
                     words_.gathering.empty() ? "the server says nothing" : words_.gathering);
}

// The server ends the run, and the others with it. Slurm signals all that its job has started by itself, and a process that
// is told twice ends at once.
void RankProcess::pass_on() {
  const bool asked = serves() && os::exists(attempt_ + "/" + gang::kStop);
  if (told_ || (signal_ == 0 && !asked)) return;
  told_ = true;
  if (asked) family_.signal(rank_.name, SIGINT);
  else if (!variable({"SLURM_JOB_ID"})) family_.signal(rank_.name, signal_);
}

gang::RankEnd RankProcess::watch() {
  std::string hopeless;
  Moment given_up = kNever;
  for (;;) {
    for (const os::Death& death : family_.poll(kWatchRank)) {
      if (hopeless.empty()) return {death.exit.status, death.exit.signal, death.exit.text()};
      return {kFailed, 0, "has given the run up: " + hopeless};
    }
    pass_on();
    if (hopeless.empty()) {
      hopeless = why_hopeless(os::now());
      if (hopeless.empty()) continue;
      given_up = os::now();
      family_.signal(rank_.name, SIGINT);
    }
    if (os::now() - given_up > kLastReport) family_.signal(rank_.name, SIGKILL);
  }
}

gang::RankEnd RankProcess::work() {
  const auto failed = [](const Error& error) { return gang::RankEnd{kFailed, 0, "has not begun: " + error.message()}; };
  std::string secret = variable({"CONVOY_CREDENTIALS"}).value_or("");
  if (secret.empty()) {
    const auto kept = os::read_text(gang_.folder + "/" + gang::kSecretFile, kMaxSecret);
    if (!kept) return failed(kept.error());
    secret = kept->substr(0, kept->find('\n'));
  }
  const auto own = own_address(gang_);
  if (!own) return failed(own.error());
  own_ = *own;
  const auto server = wait_for_server();
  if (!server) return failed(server.error());
  if (auto ok = start(own_, *server, secret); !ok) return failed(ok.error());
  return watch();
}

int RankProcess::run() {
  os::Signals signals([this](int number) {
    signal_ = number;
    family_.wake();
  });
  if (auto ok = os::make_directories(attempt_); !ok) return complain(ok.error().message(), kFailed);
  const gang::RankEnd end = work();
  if (end.status != 0 || end.signal != 0)
    complain(fmt::format("{} on {} {}", rank_.name, os::host_name(), end.text), kFailed);
  const std::string text = gang::text_of(end);
  say_report();
  say(gang::SaidKind::kEnd, std::string_view(text).substr(0, text.find('\n')));
  if (auto ok = os::write_file(gang::end_file(attempt_, rank_.name), text); !ok)
    return complain(ok.error().message(), kFailed);
  return end.signal != 0 ? kFailed : end.status;
}

}  // namespace

int rank(const Arguments& arguments) {
  const std::string file = arguments.file + "/" + gang::kGangFile;
  const auto text = os::read_text(file);
  if (!text)
    return complain(fmt::format("{} is not to be read on {}: processes meet in the job's folder, so all machines must "
                                "share it; convoy launch --job-folder names another",
                                file, os::host_name()),
                    kFailed);
  auto gang = gang::parse_gang(*text);
  if (!gang) return complain(file + " " + gang.error().message(), kFailed);
  const auto number = number_of({"CONVOY_RANK", "SLURM_PROCID", "JOB_COMPLETION_INDEX"}, "which rank this is");
  if (!number) return complain(number.error().message(), kUsage);
  if (static_cast<std::size_t>(*number) >= gang->ranks.size())
    return complain(fmt::format("this is rank {}, and the job has {}", *number, gang->ranks.size()), kUsage);
  const int attempt = number_of({"CONVOY_ATTEMPT", "SLURM_RESTART_COUNT"}, "which attempt this is").value_or(0);
  gang->folder = variable({"CONVOY_RANK_FOLDER"}).value_or(arguments.file);
  return RankProcess(std::move(*gang), static_cast<std::size_t>(*number), attempt).run();
}

}  // namespace convoy::apps
