#include <doctest/doctest.h>

#include <string>

#include "core/random.h"
#include "replication/element_store.h"
#include "wire/element_samples.h"

namespace element_handlers_test {

using namespace convoy;
using namespace convoy::samples;

namespace {

// Cuts the work as `width` threads would, and runs the pieces one by one from the last odd one to the even ones.
class OddExecutor final : public Executor {
 public:
  explicit OddExecutor(int width) : width_(width) {}
  int width() const override { return width_; }
  void parallel(std::size_t n, const std::function<void(std::size_t, std::size_t)>& work) override {
    const auto pieces = static_cast<std::size_t>(width_);
    const auto run = [&](std::size_t i) {
      const std::size_t begin = n * i / pieces, end = n * (i + 1) / pieces;
      if (begin < end) work(begin, end);
    };
    for (std::size_t i = pieces; i-- > 0;)
      if (i % 2 == 1) run(i);
    for (std::size_t i = 0; i < pieces; i += 2) run(i);
  }

 private:
  int width_;
};

struct Arrived {
  Owner sender;
  std::uint32_t seq;
  DatagramType type;
  std::uint8_t flags;
  Bytes payload;
};

// Three senders' single updates, deltas and full lists, mixed; every seventh one damaged.
std::vector<Arrived> traffic(Forge& forge) {
  std::vector<Arrived> all;
  Random random{23, 0};
  std::uint32_t seq = 0;
  for (std::int64_t step = 1; step <= 40; ++step)
    for (std::uint32_t c : {1u, 2u, 3u}) {
      std::vector<Element> mine;
      for (std::uint32_t id = 0; id < 30; ++id)
        if (random.below(4) > 0) mine.push_back(vehicle(c, id, step, static_cast<int>(id % 5)));
      mine.push_back({element_type_id("survey.Beacon"), Owner(c), ElementId(99), step, forge.beacon(c, 99, step)});
      Bytes single;
      put_element(single, mine[random.below(mine.size())]);
      all.push_back({Owner(c), ++seq, DatagramType::kElement, 0, single});
      const auto list = pack(mine, {.list = static_cast<std::uint32_t>(step), .full = step % 3 == 0});
      for (const Bytes& payload : list->payloads)
        all.push_back({Owner(c), ++seq, DatagramType::kElements, list->flags, payload});
    }
  for (std::size_t i = 0; i < all.size(); i += 7)
    all[i].payload[random.below(all[i].payload.size())] ^= static_cast<std::uint8_t>(1 + random.below(255));
  for (std::size_t i = 0; i + 4 < all.size(); i += 4) std::swap(all[i], all[i + random.below(5)]);
  return all;
}

std::string world(const ElementTypes& types, const std::vector<Arrived>& arrived, Executor& executor) {
  std::vector<RawPayload> raw;
  for (const Arrived& a : arrived) raw.push_back({a.type, a.flags, a.payload});
  std::vector<ParsedPayload> parsed = parse_all(types, raw, executor);
  REQUIRE(parsed.size() == arrived.size());
  ElementStore store;
  for (std::size_t i = 0; i < arrived.size(); ++i)
    store.apply(arrived[i].sender, std::move(parsed[i]), instant(1'000'000'000), arrived[i].seq);
  std::string text;
  for (const Element* element : store.all()) text += *types.to_json(*element) + "\n";
  for (int reason = 0; reason < static_cast<int>(ElementDrop::kCount); ++reason)
    text += std::string(name_of(static_cast<ElementDrop>(reason))) + " " +
            std::to_string(store.count(static_cast<ElementDrop>(reason))) + "\n";
  return text;
}

}  // namespace

TEST_CASE("one, two or eight handlers make the same world of the same datagrams") {
  const auto types = ElementTypes::make(serialised(beacon_set()));
  REQUIRE(types);
  Forge forge(beacon_set());
  const std::vector<Arrived> arrived = traffic(forge);
  SerialExecutor serial;
  const std::string expected = world(*types, arrived, serial);
  CHECK(expected.find("\"ranges\"") != std::string::npos);

  for (int width : {1, 2, 8}) {
    OddExecutor odd(width);
    CHECK(world(*types, arrived, odd) == expected);
  }
}

TEST_CASE("no payloads are no work") {
  const auto types = ElementTypes::make();
  OddExecutor odd(8);
  CHECK(parse_all(*types, {}, odd).empty());
}

}  // namespace element_handlers_test
