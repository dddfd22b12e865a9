// convoy ctl: one call to a running server.
#include "apps/ctl.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "apps/models.h"
#include "apps/network.h"
#include "core/hash.h"
#include "engines/identity.h"
#include "os/port_secret.h"
#include "os/standard_streams.h"
#include "os/terminal.h"
#include "roles/caller.h"
#include "roles/calls.h"
#include "scenario/scenario.h"
#include "world/edit.h"

namespace convoy::apps {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Answered ask(const Arguments& a, const proto::Request& request, std::vector<proto::Request> before) {
  os::NetLoopOptions net;
  net.connect = a.connect;
  auto loop = os::NetLoop::open(net);
  if (!loop) return {{}, complain(loop.error().message(), kUsage)};
  const auto duration = [](double s) { return Duration(static_cast<std::int64_t>(s * 1e9)); };
  CallerOptions options;
  options.session.build = engines::build_text();
  options.session.credentials = os::credentials(a.credentials.text, **loop);
  options.session.dial_timeout = std::max<Duration>(duration(a.ctl.wait), std::chrono::seconds(5));
  options.keep_dialing = a.ctl.wait > 0;
  options.request = request;
  options.request.set_holder(a.ctl.holder);
  for (proto::Request& one : before) one.set_holder(a.ctl.holder);
  options.before = std::move(before);
  options.timeout = duration(a.ctl.deadline);
  Caller caller(std::move(options), **loop);
  const auto interrupted = drive(**loop, caller, [&] { caller.stop(); });
  if (!interrupted) return {{}, complain(interrupted.error().message(), kFailed)};
  if (*interrupted) return {{}, kInterrupted};
  if (caller.reply()) return {caller.reply(), kOk};
  const std::string& trouble = (*loop)->last_trouble();
  const Error& failure = *caller.failure();
  if (caller.welcome() || failure.code == ErrorCode::kDenied || trouble.empty())
    return {{}, complain(a.connect + ": " + failure.message(), kFailed)};
  return {{},
          complain(trouble + "; convoy server or launch start one, --connect or CONVOY_CONNECT say where", kFailed)};
}

namespace {

Json numbers(const proto::Vec3& v) { return {v.x(), v.y(), v.z()}; }

Json json_of(const proto::Request& request, const proto::Reply& r) {
  Json j;
  j["ok"] = r.error() == 0;
  if (r.error() != 0) j["error"] = r.text(), j["code"] = r.error();
  j["tick"] = r.tick();
  if (r.names_size() > 0) j["names"] = std::vector<std::string>(r.names().begin(), r.names().end());
  for (char source : r.sources())
    j["sources"].push_back(source == kNobodyRuns ? Json() : Json(name_of(static_cast<ControlSource>(source))));
  if (r.has_pose()) {
    const auto& q = r.pose().q();
    j["pose"] = {{"p", numbers(r.pose().p())}, {"q", {q.w(), q.x(), q.y(), q.z()}}};
  }
  if (r.has_twist()) j["twist"] = {{"v", numbers(r.twist().v())}, {"w", numbers(r.twist().w())}};
  for (const proto::Outcome& o : r.outcomes())
    j["outcomes"].push_back(o.error() != 0     ? Json{{"ok", false}, {"error", o.text()}, {"code", o.error()}}
                            : o.text().empty() ? Json{{"ok", true}, {"number", o.number()}}
                                               : Json{{"ok", true}, {"number", o.number()}, {"warning", o.text()}});
  if (request.has_contacts() && r.error() == 0) j["contacts"] = Json::array();
  for (const proto::Contact& c : r.contacts()) {
    Json one{{"body", c.body()}, {"entity", c.other()}, {"own_body", c.other_body()}};
    if (!r.contacts_named_only())
      one.update({{"position", numbers(c.position())},
                  {"normal", numbers(c.normal())},
                  {"force", numbers(c.force())},
                  {"depth", c.depth()}});
    j["contacts"].push_back(std::move(one));
  }
  if (r.contacts_cut()) j["cut"] = true;
  if (!r.json().empty()) j["data"] = Json::parse(r.json(), nullptr, false);
  return j;
}

// Of what was spawned, on stderr.
void print_doubts(const proto::Request& request, const proto::Reply& reply) {
  constexpr int kMaxTold = 10;
  int told = 0;
  for (int i = 0; i < reply.outcomes_size() && i < request.spawn().entities_size(); ++i)
    if (const proto::Outcome& o = reply.outcomes(i); o.error() == 0 && !o.text().empty() && told++ < kMaxTold)
      complain(fmt::format("warning: {}: {}", request.spawn().entities(i).name(), os::escape_line(o.text())), kOk);
  if (told > kMaxTold) complain(fmt::format("warning: and {} more", told - kMaxTold), kOk);
}

// The environment as it is, with what the user wants changed.
Status fill_environment(const CtlArguments& a, const proto::Reply& status, proto::SetEnvironment& out) {
  const Json j = Json::parse(status.json(), nullptr, false);
  if (!j.is_object() || !j.contains("environment"))
    return fail(ErrorCode::kUnsupported, "the server does not tell its environment");
  const Json& now = j["environment"];
  out.set_fog(a.weather.fog.value_or(now.value("fog", 0.0)));
  out.set_rain(a.weather.rain.value_or(now.value("rain", 0.0)));
  out.set_wetness(a.weather.wetness.value_or(now.value("wetness", 0.0)));
  out.set_cloudiness(a.weather.cloudiness.value_or(now.value("cloudiness", 0.0)));
  out.set_road_damage(a.weather.road_damage.value_or(now.value("road_damage", 0.0)));
  out.set_time_of_day(a.weather.time_of_day.value_or(now.value("time_of_day", 12.0)));
  const auto keep = [&](const char* name, const auto& vector) {
    const Json values = now.value(name, Json::array());
    if (!values.is_array() || values.size() != 3 ||
        !std::all_of(values.begin(), values.end(), [](const Json& v) { return v.is_number(); }))
      return;
    put_vector(vector(), {values[0], values[1], values[2]});
  };
  if (!a.weather.gravity) keep("gravity", [&] { return out.mutable_gravity(); });
  if (!a.weather.wind) keep("wind", [&] { return out.mutable_wind(); });
  return {};
}

// Models that were written as robots' files: read here, where the files are. Gives what the server is to be sent before
// they are spawned.
Result<std::vector<proto::Request>> robot_files(proto::Request& request, const Arguments& arguments) {
  std::vector<proto::Request> out;
  struct Known {
    std::string name;
    double lift = 0;
  };
  std::map<std::string, Known> models;  // by file
  ModelImporter importer(arguments.run.trust);
  for (proto::SpawnOne& one : *request.mutable_spawn()->mutable_entities()) {
    if (!scenario::names_robot_file(one.model())) continue;
    Known& known = models[one.model()];
    if (known.name.empty()) {
      const auto robot = importer.robot({one.model(), ".", {}, {}, {}});
      if (!robot) return tl::unexpected(robot.error());
      for (const Bytes& bytes : robot->files) {
        for (std::size_t at = 0; at == 0 || at < bytes.size(); at += kMaxFilePiece) {
          const ByteView piece = ByteView(bytes).subspan(at, std::min(kMaxFilePiece, bytes.size() - at));
          const Bytes edit = save(AddFile{hash64(bytes), at, bytes.size(), {piece.begin(), piece.end()}});
          out.emplace_back().set_add_file(edit.data(), edit.size());
        }
      }
      const Bytes model = save(robot->model);
      out.emplace_back().set_add_model(model.data(), model.size());
      known = {robot->model.name, robot->report.lift};
    }
    one.set_model(known.name);
    // A height is its root link's: without one it is put on the ground.
    if (arguments.ctl.z) one.mutable_pose()->mutable_p()->set_z(*arguments.ctl.z - known.lift);
  }
  return out;
}

}  // namespace

int ctl(const CtlCall& call, const Arguments& arguments) {
  auto request = call.request(arguments.ctl);
  if (!request) return complain(request.error().message(), kUsage);
  if (request->has_environment()) {
    proto::Request status;
    status.mutable_status();
    const Answered now = ask(arguments, status);
    if (!now.reply) return now.code;
    if (auto ok = fill_environment(arguments.ctl, *now.reply, *request->mutable_environment()); !ok)
      return complain(ok.error().message(), kFailed);
  }
  std::vector<proto::Request> before;
  if (request->has_spawn()) {
    auto files = robot_files(*request, arguments);
    if (!files) return complain(files.error().message(), kUsage);
    before = std::move(*files);
  }
  const Answered answered = ask(arguments, *request, std::move(before));
  if (!answered.reply) return answered.code;
  const proto::Reply& reply = *answered.reply;
  if (arguments.json) os::print("{}\n", json_of(*request, reply).dump());
  else if (reply.error() == 0 || reply.outcomes_size() > 1) call.print(arguments.ctl, reply);
  os::flush_stdout();
  if (!arguments.json) print_doubts(*request, reply);
  if (reply.error() == 0) return kOk;
  if (reply.outcomes_size() <= 1) return complain(reply.text(), kFailed);
  int told = 0;
  for (int i = 0; i < reply.outcomes_size() && told < 10; ++i) {
    if (reply.outcomes(i).error() == 0) continue;
    complain(fmt::format("{}: {}", request->spawn().entities(i).name(), reply.outcomes(i).text()), kFailed);
    ++told;
  }
  return kFailed;
}

}  // namespace convoy::apps
