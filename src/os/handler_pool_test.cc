#include "os/handler_pool.h"

#include <doctest/doctest.h>
#include <signal.h>

#include <atomic>
#include <future>
#include <thread>

#include "os/thread_pool.h"

namespace handler_pool_test {

using namespace convoy;

namespace {

struct Square final : Handlers::Piece {
  explicit Square(std::uint64_t n) : number(n) {}
  void work() override {
    for (std::uint64_t i = 0; i < number % 7 * 500; ++i) result = result * 3 + i;  // some take longer than others
    result = number * number;
    ++times;
  }
  std::uint64_t number, result = 0;
  int times = 0;
};

bool takes_interrupts() {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return sigismember(&blocked, SIGINT) == 0;
}

struct Look final : Handlers::Piece {
  void work() override { interrupted = takes_interrupts(); }
  bool interrupted = true;
};

// Does nothing until it is let go.
struct Gate final : Handlers::Piece {
  explicit Gate(std::shared_future<void> until) : open(std::move(until)) {}
  void work() override { open.wait(); }
  std::shared_future<void> open;
};

}  // namespace

TEST_CASE("every piece is worked on once and comes back in the order in which it was handed in") {
  for (const int width : {1, 2, 8}) {
    os::HandlerPool pool(width, [] {});
    CHECK(pool.width() == width);
    std::uint64_t next_in = 0, next_out = 0;
    std::vector<std::unique_ptr<Handlers::Piece>> done;
    const auto take = [&](bool wait) {
      done.clear();
      pool.collect(done, wait);
      for (const auto& piece : done) {
        const auto& square = static_cast<const Square&>(*piece);
        REQUIRE(square.number == next_out);
        REQUIRE(square.result == next_out * next_out);
        REQUIRE(square.times == 1);
        ++next_out;
      }
    };
    while (next_in < 20'000) {
      std::vector<std::unique_ptr<Handlers::Piece>> some;
      for (std::uint64_t i = 0; i <= next_in % 50; ++i) some.push_back(std::make_unique<Square>(next_in++));
      pool.submit(std::move(some));
      take(false);
    }
    while (next_out < next_in) take(true);

    done.clear();
    pool.collect(done, true);  // nothing is in hand: nothing to wait for
    CHECK(done.empty());
  }
}

TEST_CASE("the owner is rung for when the oldest piece is done, and once until it collects") {
  std::atomic<int> rings{0};
  std::promise<void> first_ring, gate;
  os::HandlerPool pool(2, [&] {
    if (++rings == 1) first_ring.set_value();
  });
  std::vector<std::unique_ptr<Handlers::Piece>> some, done;
  some.push_back(std::make_unique<Gate>(gate.get_future().share()));
  for (std::uint64_t i = 0; i < 30; ++i) some.push_back(std::make_unique<Square>(i));
  pool.submit(std::move(some));
  pool.collect(done, false);

  CHECK(done.empty());  // the oldest is not done, whatever else is
  CHECK(rings == 0);
  gate.set_value();
  first_ring.get_future().wait();
  CHECK(rings == 1);
  while (done.size() < 31) pool.collect(done, true);

  CHECK(done.size() == 31);
}

TEST_CASE("a pool ends with work that no thread has begun") {
  for (int i = 0; i < 50; ++i) {
    os::HandlerPool pool(2, [] {});
    std::vector<std::unique_ptr<Handlers::Piece>> some;
    for (std::uint64_t n = 0; n < 100; ++n) some.push_back(std::make_unique<Square>(n));
    pool.submit(std::move(some));
  }
}

// Ctrl-C would end the process in one of them, instead of asking the program for an ordered end.
TEST_CASE("threads that work for others take no signals, whenever they were made") {
  REQUIRE(takes_interrupts());
  os::HandlerPool handlers(1, [] {});
  std::vector<std::unique_ptr<Handlers::Piece>> pieces;
  pieces.push_back(std::make_unique<Look>());
  handlers.submit(std::move(pieces));
  pieces.clear();
  handlers.collect(pieces, true);
  CHECK_FALSE(static_cast<const Look&>(*pieces.at(0)).interrupted);

  os::ThreadPool pool(3);
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<int> elsewhere = 0, taking = 0;
  pool.parallel(64, [&](std::size_t, std::size_t) {
    if (std::this_thread::get_id() != here) ++elsewhere, taking += takes_interrupts();
    while (elsewhere == 0) std::this_thread::yield();  // leaves the rest to the others
  });
  CHECK(taking == 0);
}

}  // namespace handler_pool_test
