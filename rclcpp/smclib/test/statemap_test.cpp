// A door as the State Machine Compiler writes it: states are objects, transitions their functions, what is done is the owner's.
#include <doctest/doctest.h>

#include <smclib/statemap.hpp>
#include <sstream>

namespace statemap_test {

namespace {

class DoorContext;

struct Door {
  std::string done;
  bool stuck = false;
  void act(const char* what) {
    if (stuck) throw std::runtime_error("it is stuck");
    done += what;
  }
};

class DoorState : public statemap::State {
 public:
  DoorState(const char* name, int id) : State(name, id) {}
  virtual void Entry(DoorContext&) const {}
  virtual void Exit(DoorContext&) const {}
  virtual void Open(DoorContext& context) const { Default(context); }
  virtual void Knock(DoorContext& context) const { Default(context); }
  virtual void Done(DoorContext& context) const { Default(context); }

 protected:
  virtual void Default(DoorContext& context) const;
};

class DoorContext : public statemap::FSMContext {
 public:
  explicit DoorContext(Door& owner);
  Door& getOwner() const { return owner_; }
  DoorState& getState() const {
    if (!_state) throw statemap::StateUndefinedException();
    return dynamic_cast<DoorState&>(*_state);
  }
  void Open() {
    setTransition("Open");
    getState().Open(*this);
    setTransition(nullptr);
  }
  void Knock() {
    setTransition("Knock");
    getState().Knock(*this);
    setTransition(nullptr);
  }
  void Done() {
    setTransition("Done");
    getState().Done(*this);
    setTransition(nullptr);
  }

 private:
  Door& owner_;
};

void DoorState::Default(DoorContext& context) const {
  throw statemap::TransitionUndefinedException(context.getState().getName(), context.getTransition());
}

struct Opened : DoorState {
  Opened() : DoorState("Map::Opened", 1) {}
  void Entry(DoorContext& context) const override { context.getOwner().done += "light on;"; }
} const kOpened;

struct Answering : DoorState {
  Answering() : DoorState("Map::Answering", 2) {}
  void Done(DoorContext& context) const override {
    context.getState().Exit(context);
    context.popState();
  }
} const kAnswering;

struct Closed : DoorState {
  Closed() : DoorState("Map::Closed", 0) {}
  void Exit(DoorContext& context) const override { context.getOwner().done += "unlock;"; }
  void Open(DoorContext& context) const override {
    const DoorState& before = context.getState();
    before.Exit(context);
    context.clearState();
    try {
      context.getOwner().act("swing;");
      context.setState(kOpened);
    } catch (...) {
      context.setState(before);
      throw;
    }
    context.getState().Entry(context);
  }
  void Knock(DoorContext& context) const override { context.pushState(kAnswering); }
} const kClosed;

DoorContext::DoorContext(Door& owner) : owner_(owner) { setState(kClosed); }

}  // namespace

TEST_CASE("a machine as the State Machine Compiler writes it goes from state to state") {
  Door door;
  DoorContext context(door);
  CHECK(context.getPreviousState() == nullptr);
  CHECK(std::string(context.getState().getName()) == "Map::Closed");
  context.Open();
  CHECK(door.done == "unlock;swing;light on;");
  CHECK(context.getState().getId() == 1);
  CHECK(context.getPreviousState() == &kClosed);
  CHECK(context.getTransition() == nullptr);
  CHECK(!context.isInTransition());
  try {
    context.Open();
    CHECK(false);
  } catch (const statemap::TransitionUndefinedException& undefined) {
    CHECK(std::string(undefined.getState()) == "Map::Opened");
    CHECK(std::string(undefined.getTransition()) == "Open");
  }
}

TEST_CASE("what fails between two states leaves the machine in the first") {
  Door door{.stuck = true};
  DoorContext context(door);
  CHECK_THROWS_WITH(context.Open(), "it is stuck");
  CHECK(std::string(context.getState().getName()) == "Map::Closed");
  context.clearState();
  CHECK(context.isInTransition());
  CHECK_THROWS_AS(context.Open(), statemap::StateUndefinedException);
}

TEST_CASE("states that are pushed are come back from") {
  Door door;
  DoorContext context(door);
  std::ostringstream told;
  context.setDebugStream(told);
  context.setDebugFlag(true);
  context.Knock();
  CHECK(std::string(context.getState().getName()) == "Map::Answering");
  context.Done();
  CHECK(std::string(context.getState().getName()) == "Map::Closed");
  CHECK(told.str() == "ENTER STATE     : Map::Answering\nENTER STATE     : Map::Closed\n");
  CHECK_THROWS_AS(context.popState(), statemap::PopStateException);
  context.Knock();
  context.emptyStateStack();
  CHECK_THROWS_AS(context.Done(), statemap::PopStateException);
}

}  // namespace statemap_test
