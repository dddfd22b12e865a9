#include "replication/element_store.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/random.h"
#include "wire/element_samples.h"

namespace element_store_test {

using namespace convoy;
using namespace convoy::samples;
using Kind = ElementChange::Kind;

namespace {

const Instant kNow = instant(1'000);

std::string text_of(const ElementStore& store) {
  std::string text;
  for (const auto& [key, stored] : store.elements())
    text += std::to_string(key.connection.value()) + ":" + std::to_string(key.id.value()) + "@" +
            std::to_string(stored.element.stamp) + " ";
  return text;
}
std::string text_of(const std::vector<ElementChange>& changes) {
  std::string text;
  for (const auto& c : changes) {
    const char* kind = c.kind == Kind::kAppeared ? "+" : c.kind == Kind::kChanged ? "~" : "-";
    text += kind + std::to_string(c.key.connection.value()) + ":" + std::to_string(c.key.id.value()) + " ";
  }
  return text;
}

// One part of a list that holds notes of connection 1.
struct Id {
  std::uint32_t id;
  std::int64_t stamp;
};
ParsedPayload part(const ListPart& where, std::initializer_list<Id> ids) {
  ParsedPayload payload;
  payload.where = where;
  for (const Id& each : ids) payload.elements.push_back(note(1, each.id, each.stamp));
  return payload;
}
ListPart full(std::uint32_t list, std::uint16_t n = 0, std::uint16_t parts = 1) { return {list, n, parts, true}; }
ListPart delta(std::uint32_t list) { return {list, 0, 1, false}; }

}  // namespace

TEST_CASE("elements are new, then updated, and are stored by connection and id") {
  ElementStore store;
  CHECK(store.apply(Owner(2), vehicle(2, 1, 5), kNow) == ElementDrop::kNew);
  CHECK(store.apply(Owner(1), note(1, 9, 5), kNow) == ElementDrop::kNew);
  CHECK(store.apply(Owner(1), vehicle(1, 4, 5), kNow) == ElementDrop::kNew);
  CHECK(store.apply(Owner(1), note(1, 9, 6, "changed"), kNow) == ElementDrop::kUpdated);

  CHECK(text_of(store) == "1:4@5 1:9@6 2:1@5 ");
  CHECK(*store.find({Owner(1), ElementId(9)}) == note(1, 9, 6, "changed"));
  CHECK(store.find({Owner(1), ElementId(10)}) == nullptr);
  const auto [begin, end] = store.of(Owner(1));
  CHECK(std::distance(begin, end) == 2);
  CHECK(begin->first == ElementKey{Owner(1), ElementId(4)});
  CHECK(store.count_of(Owner(1)) == 2);
  CHECK(store.count_of(Owner(3)) == 0);
  CHECK(store.all().size() == 3);
  CHECK(store.count(ElementDrop::kNew) == 3);
  CHECK(store.count(ElementDrop::kUpdated) == 1);
}

TEST_CASE("an element of another connection, another type, an old or a future stamp is dropped by name") {
  ElementStore store({.future = Duration(100)});
  store.apply(Owner(1), note(1, 1, 500, "first"), kNow);

  CHECK(store.apply(Owner(2), note(1, 1, 600), kNow) == ElementDrop::kForeign);
  CHECK(store.apply(Owner(1), vehicle(1, 1, 600), kNow) == ElementDrop::kOtherType);
  CHECK(store.apply(Owner(1), note(1, 1, 500, "equal"), kNow) == ElementDrop::kOldStamp);
  CHECK(store.apply(Owner(1), note(1, 1, 499), kNow) == ElementDrop::kOldStamp);
  CHECK(store.apply(Owner(1), note(1, 1, 1'101), kNow) == ElementDrop::kFuture);
  CHECK(store.apply(Owner(1), note(1, 2, INT64_MAX), instant(INT64_MIN)) == ElementDrop::kFuture);

  CHECK(*store.find({Owner(1), ElementId(1)}) == note(1, 1, 500, "first"));
  CHECK(store.elements().size() == 1);
  for (ElementDrop reason : {ElementDrop::kForeign, ElementDrop::kOtherType}) CHECK(store.count(reason) == 1);
  for (ElementDrop reason : {ElementDrop::kOldStamp, ElementDrop::kFuture}) CHECK(store.count(reason) == 2);
  CHECK(store.apply(Owner(1), note(1, 1, 1'100), kNow) == ElementDrop::kUpdated);
  CHECK(store.apply(Owner(1), note(1, 2, INT64_MIN), kNow) == ElementDrop::kNew);
}

TEST_CASE("with the planted bug an old stamp takes the world back") {
  ElementStore store({.check_stamps = false});
  store.apply(Owner(1), note(1, 1, 500), kNow);
  CHECK(store.apply(Owner(1), note(1, 1, 400), kNow) == ElementDrop::kUpdated);
  CHECK(text_of(store) == "1:1@400 ");
}

TEST_CASE("elements and bytes are bounded, by connection and in all") {
  ElementStore store({.per_connection = 3, .connection_bytes = 300, .total_bytes = 400});
  const std::string text(100 - note(1, 1, 1, std::string(50, 'x')).bytes.size() + 50, 'x');  // 100 bytes each
  REQUIRE(note(1, 1, 1, text).bytes.size() == 100);
  for (std::uint32_t id : {1u, 2u, 3u}) CHECK(store.apply(Owner(1), note(1, id, 1, text), kNow) == ElementDrop::kNew);

  CHECK(store.apply(Owner(1), note(1, 4, 1), kNow) == ElementDrop::kTooMany);
  CHECK(store.apply(Owner(1), note(1, 1, 2, text + "x"), kNow) == ElementDrop::kTooMany);
  CHECK(store.apply(Owner(1), note(1, 1, 2, text), kNow) == ElementDrop::kUpdated);
  CHECK(store.apply(Owner(2), note(2, 1, 1, text), kNow) == ElementDrop::kNew);
  CHECK(store.apply(Owner(2), note(2, 2, 1, text), kNow) == ElementDrop::kTooMany);
  CHECK(store.bytes() == 400);
  store.remove(Owner(1));
  CHECK(store.bytes() == 100);
  CHECK(store.apply(Owner(2), note(2, 2, 1, text), kNow) == ElementDrop::kNew);
  CHECK(store.count(ElementDrop::kTooMany) == 3);
}

TEST_CASE("who leaves takes all its elements along, and may be counted anew") {
  ElementStore store;
  for (std::uint32_t id : {0u, 1u, ~0u}) store.apply(Owner(1), note(1, id, 1), kNow);
  store.apply(Owner(2), note(2, 1, 1), kNow);
  store.apply(Owner(1), part(full(9), {{1, 2}}), kNow, 5);

  store.remove(Owner(1));

  CHECK(text_of(store) == "2:1@1 ");
  CHECK(store.count_of(Owner(1)) == 0);
  store.apply(Owner(1), part(full(1), {{7, 1}}), kNow, 1);
  CHECK(text_of(store) == "1:7@1 2:1@1 ");
}

TEST_CASE("a full list takes away what it does not name, a delta nothing") {
  ElementStore store;
  store.apply(Owner(2), note(2, 1, 1), kNow, 1);
  store.apply(Owner(1), part(full(1), {{1, 1}, {2, 1}, {3, 1}}), kNow, 1);
  store.apply(Owner(1), part(delta(2), {{4, 2}}), kNow, 2);
  CHECK(text_of(store) == "1:1@1 1:2@1 1:3@1 1:4@2 2:1@1 ");

  // 2 is named with an old stamp: it stays as it is.
  store.apply(Owner(1), part(full(3), {{1, 3}, {2, 0}}), kNow, 3);
  CHECK(text_of(store) == "1:1@3 1:2@1 2:1@1 ");

  store.apply(Owner(1), part(full(4), {}), kNow, 4);
  CHECK(text_of(store) == "2:1@1 ");
}

TEST_CASE("a full list takes effect when all of its parts are there, in any order and repeated") {
  ElementStore store;
  for (std::uint32_t id : {1u, 2u, 3u, 9u}) store.apply(Owner(1), note(1, id, 1), kNow, 1);
  const auto send = [&](std::uint16_t n) { store.apply(Owner(1), part(full(5, n, 3), {{n + 1u, 2}}), kNow, 10 + n); };

  send(2), send(0), send(2), send(0);
  CHECK(text_of(store) == "1:1@2 1:2@1 1:3@2 1:9@1 ");
  send(1);
  CHECK(text_of(store) == "1:1@2 1:2@2 1:3@2 ");
  send(1);
  CHECK(store.count(ElementDrop::kOldList) == 1);
  CHECK(store.count(ElementDrop::kOldStamp) == 2);
}

TEST_CASE("a list whose parts never all come removes nothing; later lists go on") {
  ElementStore store({.open_lists = 2});
  store.apply(Owner(1), note(1, 9, 1), kNow, 1);
  std::uint32_t seq = 2;
  for (std::uint32_t n = 1; n <= 10; ++n) store.apply(Owner(1), part(full(n, 0, 2), {{1, n}}), kNow, seq++);
  CHECK(text_of(store) == "1:1@10 1:9@1 ");
  // List 1 was given up, so its other part comes alone.
  store.apply(Owner(1), part(full(1, 1, 2), {}), kNow, seq++);
  CHECK(text_of(store) == "1:1@10 1:9@1 ");

  store.apply(Owner(1), part(full(10, 1, 2), {}), kNow, seq++);

  CHECK(text_of(store) == "1:1@10 ");
}

TEST_CASE("a list before the newest complete one is dropped, one after it is not") {
  ElementStore store;
  store.apply(Owner(1), part(full(5), {{1, 5}}), kNow, 50);
  store.apply(Owner(1), part(full(4), {{2, 4}}), kNow, 40);
  store.apply(Owner(1), part(delta(4), {{3, 4}}), kNow, 41);
  store.apply(Owner(1), part(full(3, 0, 2), {}), kNow, 30);
  CHECK(text_of(store) == "1:1@5 ");
  CHECK(store.count(ElementDrop::kOldList) == 3);

  store.apply(Owner(1), part(delta(5), {{4, 6}}), kNow, 51);
  store.apply(Owner(1), part(full(6, 0, 2), {{5, 6}}), kNow, 60);
  CHECK(text_of(store) == "1:1@5 1:4@6 1:5@6 ");
}

TEST_CASE("a late list leaves alone what was sent after it, and what was sent before it does not come back") {
  ElementStore store;
  store.apply(Owner(1), part(full(1, 1, 2), {{2, 1}}), kNow, 12);
  store.apply(Owner(1), note(1, 9, 1), kNow, 11);  // sent while list 1 was
  store.apply(Owner(1), part(full(1, 0, 2), {{1, 1}}), kNow, 10);
  CHECK(text_of(store) == "1:1@1 1:2@1 1:9@1 ");

  CHECK(store.apply(Owner(1), note(1, 8, 1), kNow, 9) == ElementDrop::kGone);
  CHECK(store.apply(Owner(1), note(1, 8, 1), kNow) == ElementDrop::kNew);  // by a frame: as new as anything so far
  CHECK(store.apply(Owner(1), note(1, 1, 2), kNow, 9) == ElementDrop::kUpdated);
}

TEST_CASE("parts that contradict each other are dropped") {
  ElementStore store;
  store.apply(Owner(1), part(full(1, 0, 2), {{1, 1}}), kNow, 1);
  store.apply(Owner(1), part(full(1, 1, 3), {{2, 1}}), kNow, 2);
  CHECK(store.count(ElementDrop::kBadList) == 1);
  CHECK(text_of(store) == "1:1@1 ");
}

TEST_CASE("a list that names more than its sender may have removes nothing") {
  ElementStore store({.per_connection = 3});
  store.apply(Owner(1), note(1, 9, 1), kNow, 1);
  store.apply(Owner(1), part(full(1), {{1, 1}, {2, 1}, {3, 1}, {4, 1}}), kNow, 2);
  CHECK(text_of(store) == "1:1@1 1:2@1 1:9@1 ");
  CHECK(store.count(ElementDrop::kTooMany) == 2 + 1);
  store.apply(Owner(1), part(full(2, 0, 4), {{1, 2}}), kNow, 3);
  CHECK(store.count(ElementDrop::kTooMany) == 2 + 2);
  CHECK(text_of(store) == "1:1@2 1:2@1 1:9@1 ");
}

TEST_CASE("a list with a record of an unknown type removes nothing, nor does an unreadable packet") {
  ElementStore store;
  store.apply(Owner(1), note(1, 9, 1), kNow, 1);
  ParsedPayload damaged = part(full(1), {{1, 1}});
  damaged.refused[static_cast<std::size_t>(ElementTrouble::kNotFinite)] = 1;
  store.apply(Owner(1), damaged, kNow, 2);
  ParsedPayload unread = part(full(2), {{2, 1}});
  unread.trouble = PacketTrouble::kTrailing;
  store.apply(Owner(1), unread, kNow, 3);
  CHECK(text_of(store) == "1:1@1 1:9@1 ");
}

TEST_CASE("what a full list names without content stays, foreign names do nothing") {
  ElementStore store;
  store.apply(Owner(1), note(1, 1, 1), kNow, 1);
  store.apply(Owner(1), note(1, 2, 1), kNow, 1);
  store.apply(Owner(2), note(2, 2, 1), kNow, 1);
  ParsedPayload list = part(full(1), {});
  list.keys_only = {{Owner(1), ElementId(1)}, {Owner(2), ElementId(2)}};

  store.apply(Owner(1), list, kNow, 5);

  CHECK(text_of(store) == "1:1@1 2:2@1 ");
  store.apply(Owner(2), ParsedPayload{.where = full(1)}, kNow, 2);
  CHECK(text_of(store) == "1:1@1 ");

  // Named by a list that is not complete yet, but sent later than the one that does not name it.
  list.where = full(3, 0, 2);
  store.apply(Owner(1), list, kNow, 30);
  store.apply(Owner(1), part(full(2), {}), kNow, 20);
  CHECK(text_of(store) == "1:1@1 ");
}

TEST_CASE("changes are returned once, by key, as the difference to the last time") {
  ElementStore store;
  for (std::uint32_t id : {1u, 2u, 3u}) store.apply(Owner(1), note(1, id, 1), kNow);
  CHECK(text_of(store.changes()) == "+1:1 +1:2 +1:3 ");
  CHECK(store.changes().empty());

  store.apply(Owner(1), note(1, 2, 2), kNow, 7);
  store.apply(Owner(1), note(1, 2, 3), kNow, 7);
  store.apply(Owner(1), note(1, 2, 2), kNow, 7);  // dropped
  store.apply(Owner(2), note(2, 5, 1), kNow);
  store.remove(Owner(2));  // came and went
  store.apply(Owner(1), part(full(1), {{2, 4}, {4, 1}}), kNow, 8);
  CHECK(text_of(store.changes()) == "-1:1 ~1:2 -1:3 +1:4 ");

  store.remove(Owner(1));
  store.apply(Owner(1), vehicle(1, 2, 1), kNow);  // the same number, now a vehicle
  store.apply(Owner(1), note(1, 4, 1), kNow);
  const auto changes = store.changes();
  CHECK(text_of(changes) == "-1:2 +1:2 ~1:4 ");
  CHECK(changes[0].type == element_type_id("convoy.Note"));
  CHECK(changes[1].type == element_type_id("convoy.Vehicle"));
}

TEST_CASE("a mirror takes every connection's elements from one sender") {
  ElementStore server, mirror({.mirror = true});
  for (std::uint32_t c : {1u, 2u, 3u})
    for (std::uint32_t id = 0; id < 50; ++id) server.apply(Owner(c), vehicle(c, id, 1), kNow);
  server.apply(Owner(2), note(2, 99, 1, std::string(5000, 'x')), kNow);
  const auto types = ElementTypes::make();
  std::uint32_t seq = 0;
  const auto copy = [&](std::uint32_t list) {
    const auto packed = pack(server.all(), {.list = list, .full = true});
    for (const Bytes& payload : packed->payloads)
      mirror.apply(kNobody, parse_payload(*types, {DatagramType::kElements, packed->flags, payload}), kNow, ++seq);
    for (const Element* element : packed->large) mirror.apply(kNobody, *element, kNow);
  };

  copy(1);
  CHECK(text_of(mirror) == text_of(server));
  server.remove(Owner(2));
  server.apply(Owner(1), vehicle(1, 3, 2), kNow);
  copy(2);

  CHECK(text_of(mirror) == text_of(server));
  CHECK(mirror.elements().size() == 100);
}

TEST_CASE("every order and repetition of the same datagrams gives the same world") {
  // A sender that sends: three things by single updates, a full list in two parts, a delta, a full list again.
  struct Sent {
    std::uint32_t seq;
    ParsedPayload payload;
  };
  std::vector<Sent> all;
  std::uint32_t seq = 0;
  const auto send = [&](ParsedPayload p) { all.push_back({++seq, std::move(p)}); };
  for (std::uint32_t id : {1u, 2u, 3u}) send(part({}, {{id, 10}}));
  send(part(full(1, 0, 2), {{1, 20}, {2, 20}}));
  send(part(full(1, 1, 2), {{4, 20}}));
  send(part({}, {{5, 30}}));
  send(part(delta(2), {{6, 30}, {1, 30}}));
  send(part(full(3, 0, 3), {{1, 40}}));
  send(part(full(3, 1, 3), {{5, 30}}));
  send(part(full(3, 2, 3), {{6, 40}}));
  send(part({}, {{7, 50}, {3, 50}}));
  send(part(delta(4), {{6, 60}}));
  Random random{17, 0};

  for (int round = 0; round < 500; ++round) {
    std::vector<Sent> order = all;
    for (int i = 0; i < round % 5; ++i) order.push_back(all[random.below(all.size())]);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    ElementStore store;
    for (const Sent& sent : order) store.apply(Owner(1), sent.payload, kNow, sent.seq);
    CHECK(text_of(store) == "1:1@40 1:3@50 1:5@30 1:6@60 1:7@50 ");
  }
}

}  // namespace element_store_test
