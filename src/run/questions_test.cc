#include "run/questions.h"

#include <doctest/doctest.h>

namespace convoy::questions_test {

namespace {

// Two hosts, and what came of a question to them.
struct Asked {
  Questions dut;
  std::vector<std::uint64_t> ids;
  std::vector<std::string> outcomes;  // the answers, joined

  void ask(Moment until) {
    dut.ask(
        {Owner(1), Owner(2)}, Bytes{1}, until,
        [this](const std::vector<Bytes>& all) {
          std::string text;
          for (const Bytes& one : all) text += std::string(one.begin(), one.end()) + ";";
          outcomes.push_back(text);
        },
        [this](Owner, FrameType type, const Payload& payload) {
          Ask frame;
          REQUIRE(type == FrameType::kAsk);
          REQUIRE(load(payload.bytes, frame));
          ids.push_back(frame.id);
        });
  }
  void answer(Owner from, const char* text) {
    const std::string_view t = text;
    REQUIRE(dut.answered(from, save(Ask{ids.back(), Bytes(t.begin(), t.end())})));
  }
};

Moment at(int s) { return Moment{} + std::chrono::seconds(s); }

}  // namespace

TEST_CASE("a question waits for all, by owner, if it has no end") {
  Asked a;
  a.ask(kNever);
  CHECK(a.dut.deadline() == kNever);
  a.answer(Owner(2), "b");
  a.dut.on_time(at(1000));
  CHECK(a.outcomes.empty());
  a.answer(Owner(1), "a");
  CHECK(a.outcomes == std::vector<std::string>{"a;b;"});
}

TEST_CASE("a question is over at its end, without those that are late, and once") {
  Asked a;
  a.ask(at(5));
  CHECK(a.dut.deadline() == at(5));
  a.answer(Owner(2), "b");
  a.dut.on_time(at(4));
  CHECK(a.outcomes.empty());
  a.dut.on_time(at(5));
  CHECK(a.outcomes == std::vector<std::string>{"b;"});
  CHECK(a.dut.deadline() == kNever);
  a.answer(Owner(1), "late");
  a.dut.left(Owner(1));
  CHECK(a.outcomes.size() == 1);
}

}  // namespace convoy::questions_test
