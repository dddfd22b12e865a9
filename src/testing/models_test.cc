// Models that members bring: judged elsewhere, compiled by every host, then let in.
#include <doctest/doctest.h>

#include <deque>

#include "testing/requests.h"
#include "testing/rig.h"

namespace models_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

const Bytes kDocument{1, 2, 3}, kMade{4, 5};

// Work that is done when the test says so.
struct Shelf final : Handlers {
  int width() const override { return 1; }
  void submit(std::vector<std::unique_ptr<Piece>> pieces) override {
    for (auto& piece : pieces) waiting.push_back(std::move(piece));
  }
  void collect(std::vector<std::unique_ptr<Piece>>& out, bool) override {
    for (auto& piece : std::exchange(done, {})) out.push_back(std::move(piece));
  }
  void work_on_one() {
    REQUIRE(!waiting.empty());
    waiting.front()->work();
    done.push_back(std::move(waiting.front()));
    waiting.pop_front();
  }
  std::deque<std::unique_ptr<Piece>> waiting, done;
};

// An engine that is asked to compile, and says whether the model was in the world by then.
struct Engine final : PhysicsFactory {
  std::unique_ptr<Physics> make(const Model& m, const World& w, Duration t) const override {
    return rest.make(m, w, t);
  }
  Status check(const Model&, const ModelFiles&, Duration) const override { return {}; }
  Preparation prepare(const Model& model, const World& world) const override {
    if (model.files.empty()) return {};
    ++asked;
    early = early && !world.model(model.name) && world.files().count(hash64(kMade)) == 1;
    return [this] { return ++compiled, std::make_shared<int>(1); };
  }
  KinematicFactory rest;
  mutable int asked = 0, compiled = 0;
  mutable bool early = true;
};

Model model_named(const std::string& name) {
  Model m;
  m.name = name;
  m.files = {{name + ".xml", hash64(kDocument)}};
  m.max_speed = 100;  // its sender's word
  return m;
}

proto::Request add_model(const Model& model) {
  const Bytes bytes = save(model);
  proto::Request request;
  request.set_add_model(bytes.data(), bytes.size());
  return request;
}

proto::Request add_document() {
  const Bytes bytes = save(AddFile{hash64(kDocument), 0, kDocument.size(), kDocument});
  proto::Request request;
  request.set_add_file(bytes.data(), bytes.size());
  return request;
}

// Makes another document of it, and a slower robot.
Result<ImportedModel> judge(const Model& model, const ModelFiles& files) {
  CHECK(files.size() == 1);
  CHECK(files.count(hash64(kDocument)) == 1);
  if (model.name == "bad") return fail(ErrorCode::kInvalid, "its document is of no use", "bad.xml:7");
  ImportedModel made{model, {kMade}, {}};
  made.model.max_speed = 1;
  made.model.files = {{model.name + ".xml", hash64(kMade)}};
  return made;
}

Setup floor() {
  Setup setup = empty_arena(10, 1);
  setup.entities = {robot("alpha", "turtlebot3_burger", 0, 0, 0, DriverKind::kNone)};
  return setup;
}

}  // namespace

TEST_CASE("a model is judged elsewhere while the run goes on, and enters as the judge made it") {
  for (const bool free : {false, true}) {
    CAPTURE(free);
    Shelf judges, compilers;
    Engine engine;
    Rig rig(floor(), {.free = free, .judge = judge, .judges = &judges, .compilers = &compilers, .physics = &engine});
    rig.run_to(1);
    REQUIRE(rig.error_of(add_document()) == "");
    const std::uint64_t id = rig.callers[0]->send(add_model(model_named("arm")));
    REQUIRE(rig.run_until([&] { return !judges.waiting.empty(); }));

    // However long it takes, ticks and other calls go on.
    REQUIRE(rig.run_to(rig.run().tick() + 50));
    CHECK(rig.error_of(get("alpha")) == "");
    CHECK(!rig.callers[0]->reply(id));
    CHECK(!rig.run().world().model("arm"));

    // Then every host compiles it, and the run does not wait for that either.
    judges.work_on_one();
    REQUIRE(rig.run_until([&] { return !compilers.waiting.empty(); }));
    REQUIRE(rig.run_to(rig.run().tick() + 50));
    CHECK(!rig.run().world().model("arm"));
    compilers.work_on_one();
    REQUIRE(rig.run_until([&] { return rig.callers[0]->reply(id) != nullptr; }));

    CHECK(rig.callers[0]->reply(id)->text() == "");
    REQUIRE(rig.run().world().model("arm"));
    CHECK(rig.run().world().model("arm")->max_speed == 1);
    CHECK(rig.run().world().model("arm")->files[0].hash == hash64(kMade));
    CHECK(engine.asked == 2);
    CHECK(engine.compiled == 2);
    CHECK(engine.early);
    // Who spawns from a file sends it each time.
    CHECK(rig.error_of(add_model(model_named("arm"))) == "");
    CHECK(judges.waiting.empty());
    Model other = model_named("arm");
    other.mass = 7;
    CHECK(rig.error_of(add_model(other)) == "a model named 'arm' exists already");
  }
}

TEST_CASE("what the judge refuses is journalled nowhere, and its reason is the answer") {
  Rig rig(floor(), {.paused = true, .judge = judge});
  REQUIRE(rig.error_of(add_document()) == "");
  const std::size_t journalled = rig.memory.journal().size();

  CHECK(rig.error_of(add_model(model_named("bad"))) == "bad.xml:7: model 'bad': its document is of no use");

  CHECK(rig.memory.journal().size() == journalled);
  Model without = model_named("without");
  without.files[0].hash = 9;
  CHECK(rig.error_of(add_model(without)) == "model 'without': the file 'without.xml' is not there");
  CHECK(rig.error_of(add_model(model_named("good"))) == "");
}

TEST_CASE("a model that is brought by a call has no engine of a user's own") {
  Shelf judges, compilers;
  Engine engine;
  Rig rig(floor(), {.judge = judge, .judges = &judges, .compilers = &compilers, .physics = &engine});
  rig.run_to(1);
  REQUIRE(rig.error_of(add_document()) == "");
  Model model = model_named("arm");
  model.engine = {"bicycle", "/tmp/b.so", {}};
  CHECK(rig.error_of(add_model(model)) == "only a scenario's models have an engine of a user's own");
  CHECK(judges.waiting.empty());
}

TEST_CASE("who brings many models waits for those who bring few") {
  Shelf judges;
  Rig rig(floor(), {.paused = true, .judge = judge, .judges = &judges});
  const std::size_t other = rig.add_caller("other", PeerRole::kControl);
  REQUIRE(rig.error_of(add_document()) == "");
  std::vector<std::uint64_t> many;
  for (std::size_t i = 0; i < kModelsOfMember + 2; ++i)
    many.push_back(rig.callers[0]->send(add_model(model_named("many_" + std::to_string(i)))));
  REQUIRE(rig.run_until([&] { return rig.callers[0]->reply(many.back()) != nullptr; }));
  CHECK(rig.callers[0]->reply(many.back())->text() == "16 of your models are waiting to be compiled");
  const std::uint64_t few = rig.callers[other]->send(add_model(model_named("few")));
  rig.run_until([] { return false; }, 0.1);
  CHECK(judges.waiting.size() == 1);  // one at a time

  int judged = 0;
  while (!rig.callers[other]->reply(few) && judged < 10) {
    judges.work_on_one();
    rig.error_of(get("alpha"));  // the server looks
    rig.run_until([&] { return rig.callers[other]->reply(few) || !judges.waiting.empty(); }, 1);
    ++judged;
  }
  CHECK(judged <= 3);
}

TEST_CASE("a model whose member left while it was judged does not enter, and the next one's turn comes") {
  Shelf judges;
  Rig rig(floor(), {.paused = true, .judge = judge, .judges = &judges});
  const std::size_t gone = rig.add_caller("gone", PeerRole::kControl);
  REQUIRE(rig.error_of(add_document()) == "");
  rig.callers[gone]->send(add_model(model_named("unwanted")));
  const std::uint64_t id = rig.callers[0]->send(add_model(model_named("wanted")));
  REQUIRE(rig.run_until([&] { return !judges.waiting.empty(); }));

  rig.callers[gone]->session().leave();
  rig.run_until([&] { return rig.server->membership().members().size() == 3; });
  for (int i = 0; i < 2; ++i) {
    judges.work_on_one();
    rig.error_of(get("alpha"));  // the server looks
    rig.run_until([&] { return !judges.waiting.empty(); }, 1);
  }

  REQUIRE(rig.run_until([&] { return rig.callers[0]->reply(id) != nullptr; }));
  CHECK(rig.run().world().model("wanted"));
  CHECK(!rig.run().world().model("unwanted"));
}

TEST_CASE("a model whose files are over its member's budget is refused, and nothing of it enters") {
  const auto swells = [](const Model& model, const ModelFiles&) -> Result<ImportedModel> {
    ImportedModel made{model, {kMade, Bytes(kFileBytesOfMember + 1)}, {}};
    made.model.files = {{model.name + ".xml", hash64(kMade)}};
    return made;
  };
  Rig rig(floor(), {.paused = true, .judge = swells});
  REQUIRE(rig.error_of(add_document()) == "");

  CHECK(rig.error_of(add_model(model_named("arm"))) ==
        "the files that you have brought would have too many bytes, and 512 MiB is the limit");

  CHECK(!rig.run().world().model("arm"));
  CHECK(rig.run().world().files().size() == 1);
}

TEST_CASE("a host that is gone is not waited for") {
  Shelf compilers;
  Engine engine;
  Rig rig(floor(), {.liveness = std::chrono::seconds(2), .judge = judge, .compilers = &compilers, .physics = &engine});
  rig.run_to(1);
  REQUIRE(rig.error_of(add_document()) == "");
  const std::uint64_t id = rig.callers[0]->send(add_model(model_named("arm")));
  REQUIRE(rig.run_until([&] { return !compilers.waiting.empty(); }));
  rig.net.kill(rig.seats[0]);

  REQUIRE(rig.run_until([&] { return rig.callers[0]->reply(id) != nullptr; }));

  CHECK(rig.callers[0]->reply(id)->text() == "");
  CHECK(rig.run().world().model("arm"));
}

}  // namespace models_test
