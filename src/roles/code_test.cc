// Users' code is part of a run's identity: who has another build than the first host is declined in lockstep, and named
// in free mode; a recording and a spawn know it too.
#include <doctest/doctest.h>

#include "record/mcap_writer.h"
#include "roles/call.h"
#include "roles/recorded_run.h"
#include "roles/recorder.h"

namespace convoy::code_test {
namespace {

using testing::room;

struct Lines final : Log {
  std::vector<std::string> all;
  void line(LogLevel level, const std::string& text) override {
    if (level == LogLevel::kWarn || level == LogLevel::kError) all.push_back(text);
  }
};

// Has files, and makes no software.
class Shelf final : public SoftwareFactory {
 public:
  explicit Shelf(std::vector<CodeFile> files) : files_(std::move(files)) {}
  Result<std::unique_ptr<Software>> make(const SoftwareSpec&) override {
    return fail(ErrorCode::kUnsupported, "nothing runs here");
  }
  std::vector<CodeFile> code_of(std::span<const ComponentSpec> components, CodeSource,
                                std::optional<Error>& missing) override {
    if (components.empty()) return files_;
    std::vector<CodeFile> out;
    for (const ComponentSpec& c : components) {
      const auto file =
          std::find_if(files_.begin(), files_.end(), [&](const CodeFile& f) { return f.name == c.library; });
      if (file != files_.end()) out.push_back(*file);
      else if (!missing) missing = Error{ErrorCode::kNotFound, "no '" + c.library + "' here", {}};
    }
    return out;
  }
  void put(std::vector<CodeFile> files) { files_ = std::move(files); }

 private:
  std::vector<CodeFile> files_;
};

// Draws nothing, and has that fingerprint; 0: it cannot.
struct Artist final : PictureMaker {
  explicit Artist(std::uint64_t p) : print(p) {}
  std::shared_ptr<PictureJob> draw(std::shared_ptr<const PictureScene>, std::vector<Shot> shots) override {
    struct Nothing final : PictureJob {
      Result<CameraPicture> take(std::size_t) override { return fail(ErrorCode::kUnsupported, "no paint"); }
    };
    CHECK(!shots.empty());
    return std::make_shared<Nothing>();
  }
  Result<std::uint64_t> fingerprint() override {
    if (print == 0) return fail(ErrorCode::kUnsupported, "no EGL");
    return print;
  }
  std::uint64_t print;
};

struct Rig {
  Lines log;
  MemorySink sink;
  std::optional<Recorder> recorder;
  Embedded embedded;
  std::unique_ptr<ServerRole> server;
  SerialExecutor executor;
  KinematicFactory physics;
  std::vector<std::unique_ptr<Shelf>> shelves;
  std::vector<std::unique_ptr<Artist>> artists;
  std::vector<std::unique_ptr<ClientRole>> clients;
  Moment now{};

  using Change = std::function<void(Setup&, ServerOptions&)>;
  explicit Rig(const std::vector<std::vector<CodeFile>>& hosts, bool free_mode = false, std::size_t expected = 0,
               bool paused = false, const std::vector<std::uint64_t>& prints = {}, const Change& change = {}) {
    Setup setup = room();
    ServerOptions options;
    if (change) change(setup, options);
    options.membership.liveness = Duration{0};
    options.membership.new_token = [] { return Token{}; };
    options.membership.free_mode = free_mode;
    options.conductor.end = options.live.end = 30;
    options.conductor.paused = paused;
    for (std::size_t i = 0; i < (expected ? expected : hosts.size()); ++i)
      options.hosts.push_back("host" + std::to_string(i));
    RecordingHead head;
    std::vector<RunWatcher*> watchers;
    if (!free_mode) watchers.push_back(&recorder.emplace(sink, setup, head, "text"));
    auto made = ServerRole::make(setup, options, embedded.server_network(), log, watchers);
    REQUIRE(made.has_value());
    server = std::move(*made);
    embedded.set_server(*server);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      shelves.push_back(std::make_unique<Shelf>(hosts[i]));
      ClientOptions client;
      client.session.name = "host" + std::to_string(i);
      AgentParts parts{physics, shelves.back().get()};
      if (!prints.empty()) parts.pictures = artists.emplace_back(std::make_unique<Artist>(prints[i])).get();
      clients.push_back(std::make_unique<ClientRole>(client, embedded.add_client(), executor, parts, log));
      embedded.set_client(i, *clients.back());
    }
  }

  void run(const std::function<bool()>& until = {}) {
    int left = 10'000;
    embedded.run([&] { return now += std::chrono::milliseconds(10); }, [&](Moment) {},
                 [&] { return --left < 0 || (until && until()); });
  }

  // What became of the spawn of a robot with a component of this library.
  std::string spawn(const std::string& library, const std::string& host = "") {
    proto::Request request;
    proto::SpawnOne* one = request.mutable_spawn()->add_entities();
    one->set_name("late" + std::to_string(++spawns)), one->set_model("turtlebot3_burger"), one->set_host(host);
    one->mutable_pose()->mutable_p()->set_x(4 - 0.5 * spawns);
    one->set_components(std::string(as_text(save(ComponentList{{{library, "demo::Talker", {}}}}))));
    std::optional<proto::Reply> reply;
    carry_out(request, server->run(), server->membership(), now, [&](proto::Reply r) { reply = std::move(r); });
    run([&] { return reply.has_value(); });
    REQUIRE(reply);
    return reply->error() == 0 ? "spawned" : reply->text();
  }
  int spawns = 0;
};

std::string text_of(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

TEST_CASE("in lockstep a host with another build of a library is declined, with the library and both hashes") {
  Rig rig({{{"./a.so", 1}, {"./b.so", 2}}, {{"./a.so", 1}, {"./b.so", 3}}, {{"./c.so", 9}}}, false, 3);
  rig.run();
  const std::string why = "host1 has another build of ./b.so (0000000000000003) than host0 (0000000000000002)";
  REQUIRE(rig.clients[1]->failure());
  CHECK(rig.clients[1]->failure()->text == "the server declined: " + why);
  CHECK(text_of(rig.log.all).find("declined: " + why + "\n") != std::string::npos);
  CHECK(rig.server->run().gathering());  // it still waits for a host1 that may take part
  CHECK(!rig.clients[0]->failure());
  CHECK(!rig.clients[2]->failure());
  CHECK(rig.server->run().books().code.files() == std::vector<CodeFile>{{"./a.so", 1}, {"./b.so", 2}, {"./c.so", 9}});
}

TEST_CASE("hosts with the same code run, and the recording says with what") {
  Rig rig({{{"./a.so", 1}}, {{"./a.so", 1}, {"./b.so", 2}}});
  rig.run();
  CHECK(rig.server->finished());
  REQUIRE(rig.recorder->file().close().has_value());
  const auto recording = Recording::open(rig.sink.bytes);
  REQUIRE(recording.has_value());
  CHECK(recording->head().code == std::vector<CodeFile>{{"./a.so", 1}, {"./b.so", 2}});
}

TEST_CASE("what the hosts' code is changes no digest and no journal") {
  Rig one({{{"./a.so", 1}}}), other({{{"./a.so", 2}}});
  one.run(), other.run();
  CHECK(one.server->conductor().digest() == other.server->conductor().digest());
  CHECK(one.server->conductor().digest() != 0);
}

TEST_CASE("hosts draw alike where somebody inside a run, or whom it waits for, sees pictures, and else as they can") {
  const auto camera = [](Setup& setup) {
    SensorSpec eye;
    eye.name = "eye", eye.type = "camera";
    setup.entities[0].sensors = {eye};
  };
  const auto outside = [&](Setup& setup, ServerOptions&) { camera(setup); };
  const auto digest = [&](Setup& setup, ServerOptions&) { camera(setup), setup.sensors.digest = true; };
  const auto waiting = [&](Setup& setup, ServerOptions& options) {
    camera(setup), options.conductor.wait_for = {"planner"};
  };
  const std::string declined =
      "host1 has another build of the renderer of cameras (0000000000000008) than host0 (0000000000000007)";
  for (const Rig::Change& counts : {Rig::Change(digest), Rig::Change(waiting)}) {
    Rig others({{}, {}}, false, 0, false, {7, 8}, counts);
    others.run([&] { return others.clients[1]->failure().has_value(); });
    CAPTURE(text_of(others.log.all));
    REQUIRE(others.clients[1]->failure());
    CHECK(others.clients[1]->failure()->text == "the server declined: " + declined);
  }
  Rig alike({{}, {}}, false, 0, false, {7, 7}, digest);
  alike.run();
  CHECK(alike.server->finished());
  CHECK(alike.server->run().books().code.files() == std::vector<CodeFile>{{kRendererCode, 7}});

  Rig blind({{}, {}}, false, 0, false, {7, 0}, outside);
  blind.run();
  CHECK(blind.server->finished());
  CHECK(blind.server->run().books().code.files().empty());
  CHECK(text_of(blind.log.all) ==
        "cameras take no pictures here, as 'eye' of '" + room().entities[0].name + "': no EGL\n");

  Rig none({{}}, false, 0, false, {0}, digest);
  none.run([&] { return none.clients[0]->failure().has_value(); });
  REQUIRE(none.clients[0]->failure());
  CHECK(none.clients[0]->failure()->text == "the sensor 'eye' takes pictures: no EGL");
}

TEST_CASE("in free mode a host with another build is let in, and named once") {
  Rig rig({{{"./a.so", 1}}, {{"./a.so", 2}}}, true);
  rig.run();
  CHECK(rig.server->finished());
  CHECK(text_of(rig.log.all) == "host1 has another build of ./a.so (0000000000000002) than host0 (0000000000000001)\n");
  CHECK(rig.server->run().books().code.tolerated() == rig.log.all);
}

TEST_CASE("a spawn is refused before its edit if a host that may get it has another build, or none") {
  // At Ready they report nothing: the scenario names no components.
  Rig rig({{}, {}}, false, 0, true);
  rig.run([&] { return !rig.server->run().gathering(); });
  rig.shelves[0]->put({{"./x.so", 5}, {"./y.so", 6}, {"./z.so", 8}});
  rig.shelves[1]->put({{"./x.so", 7}, {"./y.so", 6}});
  const CodeBook& book = rig.server->run().books().code;
  CHECK(rig.spawn("./x.so") == "host1 has another build of ./x.so (0000000000000007) than host0 (0000000000000005)");
  CHECK(rig.spawn("./z.so") == "host1: no './z.so' here");
  CHECK(book.files().empty());  // what was refused sets nothing
  CHECK(rig.server->run().world().find("late1") == kNoSlot);

  CHECK(rig.spawn("./x.so", "host1") == "spawned");  // only that host is asked
  CHECK(book.files() == std::vector<CodeFile>{{"./x.so", 7}});
  CHECK(rig.spawn("./x.so", "host0") ==
        "host0 has another build of ./x.so (0000000000000005) than host1 (0000000000000007)");
  CHECK(rig.spawn("./y.so") == "spawned");
  CHECK(rig.spawn("./z.so", "host0") == "spawned");
  REQUIRE(rig.recorder->file().close().has_value());
  const auto recording = Recording::open(rig.sink.bytes);
  REQUIRE(recording.has_value());
  CHECK(recording->head().code == std::vector<CodeFile>{{"./x.so", 7}, {"./y.so", 6}, {"./z.so", 8}});
}

}  // namespace
}  // namespace convoy::code_test
