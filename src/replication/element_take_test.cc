// Elements as a run in lockstep takes them: boundary by boundary, under names.
#include <doctest/doctest.h>

#include "replication/element_exchange.h"
#include "wire/element_samples.h"
#include "wire/lockstep.h"

namespace element_take_test {

using namespace convoy;
using samples::note;

namespace {

struct Server {
  Server() {
    ElementExchangeOptions options;
    options.by_tick = true;
    exchange = std::move(*ElementExchange::make(
        options, [this](Owner, FrameType, const Payload&) { ++sent; },
        [this](Owner, DatagramType, std::uint8_t, std::uint16_t, ByteView) { return ++sent; }));
  }
  void push(Owner from, const std::vector<Element>& set, const std::vector<ElementId>& gone = {},
            std::uint32_t run = 0) {
    std::vector<Push::Set> sets;
    for (const Element& element : set) sets.push_back({element.type, element.bytes});
    for (const Bytes& frame : encode_push(run, gone, sets))
      exchange->on_frame(from, FrameType::kPush, frame, instant(0), drops);
  }
  std::unique_ptr<ElementExchange> exchange;
  Drops drops;
  std::uint32_t sent = 0;
};

std::string text_of(const std::vector<ElementChanged>& changes) {
  std::string text;
  for (const ElementChanged& c : changes) {
    const char* kind = c.kind == ElementChanged::Kind::kAppeared  ? "+"
                       : c.kind == ElementChanged::Kind::kChanged ? "~"
                                                                  : "-";
    text += kind + c.owner + "/" + std::to_string(c.id.value()) + "@" + std::to_string(c.stamp) + " ";
  }
  return text;
}

}  // namespace

TEST_CASE(
    "what changed since the last boundary comes by name and id, each in its newest form, and nothing is sent before") {
  Server dut;
  dut.exchange->enter(Owner(5), "zoe"), dut.exchange->enter(Owner(9), "adam");
  dut.push(Owner(5), {note(5, 2, 1), note(5, 1, 1)});
  dut.push(Owner(9), {note(9, 7, 1), note(9, 8, 1)});
  dut.push(Owner(9), {note(9, 7, 2)}, {ElementId(8)});

  CHECK(text_of(dut.exchange->take(0)) == "+adam/7@2 +zoe/1@1 +zoe/2@1 ");
  CHECK(dut.exchange->take(0).empty());
  dut.push(Owner(9), {note(9, 7, 3)});
  dut.push(Owner(5), {}, {ElementId(1)});
  CHECK(text_of(dut.exchange->take(0)) == "~adam/7@3 -zoe/1@0 ");
  CHECK(text_of(dut.exchange->all()) == "+adam/7@3 +zoe/2@1 ");
  dut.exchange->proceed(0, {});
  CHECK(dut.sent == 0);
}

TEST_CASE("connection numbers are in no byte of what is journalled but their own field") {
  Server a, b;
  a.exchange->enter(Owner(3), "zoe"), b.exchange->enter(Owner(70'000), "zoe");
  a.push(Owner(3), {note(3, 1, 5, "text")}), b.push(Owner(70'000), {note(70'000, 1, 5, "text")});

  auto one = a.exchange->take(0), two = b.exchange->take(0);

  REQUIRE(one.size() == 1);
  CHECK(one != two);
  CHECK(elements_hash(one) == elements_hash(two));
  two[0].connection = Owner(3);
  CHECK(one == two);
}

TEST_CASE("who leaves takes its elements along at the next boundary, before those of another one with its name") {
  Server dut;
  dut.exchange->enter(Owner(1), "zoe");
  dut.push(Owner(1), {note(1, 1, 5), note(1, 2, 5)});
  (void)dut.exchange->take(0);
  dut.exchange->leave(Owner(1));
  dut.exchange->enter(Owner(2), "zoe");
  dut.push(Owner(2), {note(2, 1, 3)});

  CHECK(text_of(dut.exchange->take(0)) == "-zoe/1@0 +zoe/1@3 -zoe/2@0 ");
  CHECK(text_of(dut.exchange->all()) == "+zoe/1@3 ");
}

TEST_CASE("a new run begins without elements and without a word of them, and takes none of the old run") {
  Server dut;
  dut.exchange->enter(Owner(1), "zoe");
  dut.push(Owner(1), {note(1, 1, 5)});
  (void)dut.exchange->take(0);
  dut.push(Owner(1), {note(1, 2, 5)});

  CHECK(dut.exchange->take(1).empty());
  CHECK(dut.exchange->all().empty());
  dut.push(Owner(1), {note(1, 3, 6)}, {}, 0);
  CHECK(dut.drops.of(Drop::kOldRun) == 1);
  dut.push(Owner(1), {note(1, 1, 2)}, {}, 1);
  CHECK(text_of(dut.exchange->take(1)) == "+zoe/1@2 ");
}

TEST_CASE("bad pushes are counted by reason, and spoil nothing beside them") {
  Server dut;
  dut.exchange->enter(Owner(1), "zoe");
  Element unknown = note(1, 5, 1);
  unknown.type = 77;
  dut.push(Owner(1), {note(2, 1, 1), unknown, note(1, 1, 2'000'000'000), note(1, 2, 1), note(1, 2, 1)}, {ElementId(9)});
  dut.exchange->on_frame(Owner(1), FrameType::kPush, Bytes{1, 2, 3}, instant(0), dut.drops);

  CHECK(text_of(dut.exchange->take(0)) == "+zoe/2@1 ");
  for (const Drop reason :
       {Drop::kForeignElement, Drop::kUnknownElementType, Drop::kFutureStamp, Drop::kStaleStamp, Drop::kMalformed}) {
    CAPTURE(name_of(reason));
    CHECK(dut.drops.of(reason) == 1);
  }
}

TEST_CASE("in free mode each change is shown as it takes effect, under its owner's name, also when the owner leaves") {
  std::vector<ElementChanged> seen;
  Drops drops;
  auto made = ElementExchange::make(
      {}, [](Owner, FrameType, const Payload&) {},
      [](Owner, DatagramType, std::uint8_t, std::uint16_t, ByteView) { return 1u; });
  ElementExchange& dut = **made;
  dut.watch([&](ElementChanged change) { seen.push_back(std::move(change)); });
  const auto tell = [&](Owner from, const Element& element) {
    Bytes payload;
    put_element(payload, element);
    dut.on_frame(from, FrameType::kElements, payload, instant(100), drops);
  };
  dut.enter(Owner(5), "zoe"), dut.enter(Owner(9), "adam");

  tell(Owner(5), note(5, 2, 1));
  tell(Owner(9), note(9, 7, 1));
  tell(Owner(5), note(5, 2, 2));
  dut.leave(Owner(5));
  dut.proceed(1, {});

  CHECK(text_of(seen) == "+zoe/2@1 +adam/7@1 ~zoe/2@2 -zoe/2@0 -adam/7@0 ");
}

}  // namespace element_take_test
