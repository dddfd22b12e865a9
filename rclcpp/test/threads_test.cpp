// Threads that nodes make: one order for them and for callbacks, simulated time, and their end.
#ifndef __SANITIZE_THREAD__  // takes what happens behind a lock of the C library for outside of it, and is right nowhere here
#include <semaphore.h>

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <queue>
#include <random>
#include <shared_mutex>
#include <thread>

#include "node_rig.hpp"

using namespace rclcpp;
using namespace std::chrono_literals;

namespace threads_test {
namespace {

// A callback at 1 ns, once.
struct Once {
  Once(NodeRig& rig, std::function<void()> work) : node(std::make_shared<Node>("n")) {
    timer = node->create_wall_timer(1ns, [this, work = std::move(work)] {
      timer->cancel();
      work();
    });
    (void)rig;
  }
  std::shared_ptr<Node> node;
  TimerBase::SharedPtr timer;
};

std::int64_t steady() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

TEST_CASE("a thread waits for its turn, and callbacks of the instant come after it") {
  NodeRig rig;
  std::thread thread;
  Once once(rig, [&] {
    thread = std::thread([&] { rig.tell("thread"); });
    rig.tell("callback");
  });
  auto second = once.node->create_wall_timer(1ns, [&] { rig.tell("second"); });
  REQUIRE(rig.run_until(1));
  CHECK(rig.story == Lines{"1: callback", "1: thread", "1: second"});
  rig.construct([&] { thread.join(); });
}

TEST_CASE("threads take turns in the order in which they were made, and go on in that in which they were woken") {
  NodeRig rig;
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable changed;
  bool go = false;
  Once once(rig, [&] {
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        std::unique_lock lock(mutex);
        rig.tell("waits " + std::to_string(i));
        changed.wait(lock, [&] { return go; });
        rig.tell("goes on " + std::to_string(i));
      });
    sleep_for(5ns);
    const std::lock_guard lock(mutex);
    go = true;
    changed.notify_all();
    rig.tell("all are told");
  });
  REQUIRE(rig.run_until(10));
  CHECK(rig.story == Lines{"1: waits 0", "1: waits 1", "1: waits 2", "1: waits 3", "6: all are told", "6: goes on 0",
                           "6: goes on 1", "6: goes on 2", "6: goes on 3"});
  rig.construct([&] {
    for (auto& thread : threads) thread.join();
  });
}

TEST_CASE("a sleep of a thread is simulated, and its clocks show simulated time; that of a callback is real") {
  NodeRig rig;
  std::thread thread;
  std::chrono::nanoseconds real{};
  Once once(rig, [&] {
    thread = std::thread([&] {
      std::this_thread::sleep_for(10s);
      rig.tell("steady " + std::to_string(steady()));
      std::this_thread::sleep_until(std::chrono::system_clock::now() + 1s);
      rig.tell("system " + std::to_string(std::chrono::system_clock::now().time_since_epoch().count()) + " " +
               std::to_string(::time(nullptr)));
    });
    const std::int64_t before = steady();
    timespec processor{}, after{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &processor);
    std::this_thread::sleep_for(3ms);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    rig.tell("computed " + std::to_string(steady() - before));
  });
  REQUIRE(rig.run_until(20'000'000'000));
  CHECK(rig.story ==
        Lines{"1: computed 3000000", "10000000001: steady 10000000001", "11000000001: system 11000000001 11"});
  rig.construct([&] { thread.join(); });
}

TEST_CASE("limits of waits are instants of simulated time") {
  NodeRig rig;
  std::thread thread;
  std::timed_mutex busy;
  std::promise<int> promise;
  Once once(rig, [&] {
    busy.lock();
    thread = std::thread([&] {
      std::mutex mutex;
      std::condition_variable never;
      std::unique_lock lock(mutex);
      rig.tell(never.wait_for(lock, 1s) == std::cv_status::timeout ? "nobody came" : "?");
      rig.tell(busy.try_lock_for(2s) ? "?" : "still locked");
      auto future = promise.get_future();
      rig.tell(future.wait_for(3s) == std::future_status::timeout ? "no value" : "?");
      rig.tell(future.wait_for(30s) == std::future_status::ready ? "value " + std::to_string(future.get()) : "?");
    });
    sleep_for(10s);
    promise.set_value(7);
    busy.unlock();
  });
  REQUIRE(rig.run_until(100'000'000'000));
  CHECK(rig.story ==
        Lines{"1000000001: nobody came", "3000000001: still locked", "6000000001: no value", "10000000001: value 7"});
  rig.construct([&] { thread.join(); });
}

TEST_CASE("a lock that is held while its holder sleeps keeps the others waiting, in their order") {
  NodeRig rig;
  std::mutex mutex;
  std::vector<std::thread> threads;
  Once once(rig, [&] {
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&, i] {
        const std::lock_guard lock(mutex);
        std::this_thread::sleep_for(10ns);
        rig.tell(std::to_string(i));
      });
  });
  auto group = once.node->create_callback_group(CallbackGroupType::MutuallyExclusive);
  TimerBase::SharedPtr timer = once.node->create_wall_timer(
      5ns,
      [&] {
        timer->cancel();
        const std::lock_guard lock(mutex);
        rig.tell("callback");
      },
      group);
  auto free = once.node->create_wall_timer(
      8ns, [&] { rig.tell("others run"); }, once.node->create_callback_group(CallbackGroupType::MutuallyExclusive));
  REQUIRE(rig.run_until(40));
  CHECK(rig.story == Lines{"8: others run", "11: 0", "16: others run", "21: 1", "24: others run", "31: 2",
                           "31: callback", "32: others run", "40: others run"});
  rig.construct([&] {
    for (auto& thread : threads) thread.join();
  });
}

TEST_CASE("every means of the standard library to wait for another thread works") {
  NodeRig rig;
  Once once(rig, [&] {
    // A recursive lock, readers and writers, once.
    std::recursive_mutex again;
    std::shared_mutex shared;
    std::once_flag flag;
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i)
      threads.emplace_back([&, i] {
        {
          const std::lock_guard outer(again), inner(again);
          std::this_thread::sleep_for(1ns);
          rig.tell("recursive " + std::to_string(i));
        }
        {
          const std::shared_lock lock(shared);
          std::this_thread::sleep_for(1ns);
          rig.tell("reads " + std::to_string(i));
        }
        {
          const std::unique_lock lock(shared);
          std::this_thread::sleep_for(1ns);
          rig.tell("writes " + std::to_string(i));
        }
        std::call_once(flag, [&] {
          std::this_thread::sleep_for(1ns);
          rig.tell("once by " + std::to_string(i));
        });
        rig.tell("past once " + std::to_string(i));
      });
    for (auto& thread : threads) thread.join();
    // What waits by futexes.
    std::atomic<int> word{0};
    std::latch latch(2);
    std::barrier barrier(2);
    std::thread other([&] {
      word.wait(0);
      rig.tell("word " + std::to_string(word.load()));
      latch.count_down();
      barrier.arrive_and_wait();
      word = 2;
      word.notify_all();
    });
    sleep_for(1ns);
    word = 1;
    word.notify_all();
    latch.arrive_and_wait();
    rig.tell("latch");
    barrier.arrive_and_wait();
    word.wait(1);
    rig.tell("word " + std::to_string(word.load()));
    other.join();
    // The C library's own.
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    pthread_barrier_t meeting;
    pthread_barrier_init(&meeting, nullptr, 2);
    std::thread third([&] {
      sem_wait(&semaphore);
      rig.tell("semaphore");
      pthread_barrier_wait(&meeting);
      rig.tell("met");
    });
    std::this_thread::yield();
    sem_post(&semaphore);
    pthread_barrier_wait(&meeting);
    third.join();
    pthread_barrier_destroy(&meeting);
    sem_destroy(&semaphore);
    // Results, and what is thrown.
    auto sum = std::async(
        std::launch::async, [](int a, int b) { return a + b; }, 2, 3);
    std::packaged_task<int()> task([]() -> int { throw std::runtime_error("no"); });
    auto thrown = task.get_future();
    std::thread fourth(std::move(task));
    rig.tell("sum " + std::to_string(sum.get()));
    CHECK_THROWS_WITH(thrown.get(), "no");
    fourth.join();
    rig.tell("end");
  });
  REQUIRE(rig.run_until(100));
  CHECK(rig.story == Lines{"2: recursive 0", "3: reads 0", "3: recursive 1", "4: writes 0", "5: once by 0",
                           "5: past once 0", "5: reads 1", "6: writes 1", "6: past once 1", "7: word 1", "7: latch",
                           "7: word 2", "7: semaphore", "7: met", "7: sum 5", "7: end"});
}

TEST_CASE("threads may call rclcpp, as callbacks may") {
  NodeRig rig;
  std::thread thread;
  Subscription<rcl_interfaces::msg::ParameterValue>::SharedPtr in;
  Once once(rig, [&] {
    thread = std::thread([&] {
      auto node = std::make_shared<Node>("of_a_thread");
      in = node->create_subscription<rcl_interfaces::msg::ParameterValue>(
          "t", 10,
          [&](const rcl_interfaces::msg::ParameterValue& m) { rig.tell("heard " + std::to_string(m.integer_value)); });
      auto out = node->create_publisher<rcl_interfaces::msg::ParameterValue>("t", 10);
      Rate rate(std::chrono::nanoseconds(10));
      for (int i = 0; i < 3; ++i) {
        rcl_interfaces::msg::ParameterValue m;
        m.integer_value = i;
        out->publish(m);
        rate.sleep();
      }
      RCLCPP_INFO(node->get_logger(), "%s", std::to_string(node->now().nanoseconds()).c_str());
    });
  });
  REQUIRE(rig.run_until(100));
  CHECK(rig.story == Lines{"1: heard 0", "11: heard 1", "21: heard 2"});
  CHECK(rig.log == Lines{"20 of_a_thread: 31"});
  rig.construct([&] { thread.join(); });
}

TEST_CASE("a constructor blocks: on threads, on services and on time") {
  NodeRig rig;
  std::shared_ptr<Node> server, client;
  bool made = false;
  rig.construct([&] {
    client = std::make_shared<Node>("client");
    SyncParametersClient parameters(client, "server");
    CHECK(parameters.wait_for_service(10s));
    CHECK(parameters.get_parameter<int>("p", 0) == 3);
    int computed = 0;
    std::thread([&] { computed = 1; }).join();
    CHECK(computed == 1);
    made = true;
  });
  CHECK_FALSE(made);
  rig.construct([&] {
    sleep_for(5ns);
    server = std::make_shared<Node>("server");
    server->declare_parameter("p", 3);
  });
  REQUIRE(rig.run_until(20));
  CHECK(made);
  CHECK(rig.simulation.now() >= convoy::instant(5));
}

TEST_CASE("a circle of locks ends the run, with who waits for what") {
  NodeRig rig;
  std::mutex a, b;
  std::vector<std::thread> threads;
  Once once(rig, [&] {
    for (int i = 0; i < 2; ++i)
      threads.emplace_back([&, i] {
        const std::lock_guard first(i == 0 ? a : b);
        std::this_thread::sleep_for(1ns);
        const std::lock_guard second(i == 0 ? b : a);
      });
    for (auto& thread : threads) thread.detach();
  });
  const convoy::Status ran = rig.run_until(10);
  REQUIRE(!ran);
  CHECK(ran.error().text.find("deadlock: thread 2 (") == 0);
  CHECK(ran.error().text.find("/n: callback of a timer waits for a mutex that thread 1 (") != std::string::npos);
  CHECK(ran.error().text.find("; thread 1 (") != std::string::npos);
  rig.remained = rig.threads().finish({});
  CHECK(rig.remained.find("thread 1 (") == 0);
}

TEST_CASE("sleeps of callbacks beside threads take as long as they like, and change nothing") {
  Lines first;
  for (int run = 0; run < 5; ++run) {
    NodeRig rig;
    std::mutex mutex;
    std::thread thread;
    Once once(rig, [&] {
      thread = std::thread([&] {
        for (int i = 0; i < 5; ++i) {
          std::this_thread::sleep_for(3ns);
          const std::lock_guard lock(mutex);
          rig.tell("thread");
        }
      });
    });
    auto timer = once.node->create_wall_timer(2ns, [&] {
      const std::lock_guard lock(mutex);
      std::this_thread::sleep_for(std::chrono::microseconds(std::random_device()() % 500));
      rig.tell("callback");
    });
    REQUIRE(rig.run_until(20));
    if (run == 0) first = rig.story;
    CHECK(rig.story == first);
    rig.construct([&] { thread.join(); });
  }
  CHECK(first.size() == 15);
}

TEST_CASE("who lets others go first again and again, without any time passing, ends the run") {
  NodeRig rig;
  std::atomic<bool> never{false};
  Once once(rig, [&] {
    std::thread([&] {
      while (!never) std::this_thread::yield();
    }).detach();
  });
  const convoy::Status ran = rig.run_until(10);
  REQUIRE(!ran);
  CHECK(ran.error().text.find("thread 1 (") == 0);
  CHECK(ran.error().text.find(" spins: 10000 times") != std::string::npos);
  never = true;
}

TEST_CASE("what a thread throws ends the run with its name") {
  NodeRig rig;
  Once once(rig, [&] { std::thread([] { throw std::runtime_error("too hot"); }).detach(); });
  const convoy::Status ran = rig.run_until(10);
  REQUIRE(!ran);
  CHECK(ran.error().text.find("/n: callback of a timer throws: too hot") != std::string::npos);
}

TEST_CASE("node code sees as many processors everywhere") {
  NodeRig rig;
  const unsigned here = std::thread::hardware_concurrency();
  unsigned seen = 0;
  Once once(rig, [&] { seen = std::thread::hardware_concurrency(); });
  REQUIRE(rig.run_until(1));
  CHECK(seen == 4);
  CHECK(here == std::thread::hardware_concurrency());
}

TEST_CASE("at the end sleeps return, and who is asked to stop does") {
  NodeRig rig;
  struct Worker {
    explicit Worker(NodeRig& r) : rig(r), thread([this] { work(); }) {}
    ~Worker() {
      {
        const std::lock_guard lock(mutex);
        stop = true;
      }
      changed.notify_all();
      thread.join();
      rig.tell("joined");
    }
    void work() {
      while (rclcpp::ok()) std::this_thread::sleep_for(1s);
      rig.tell("ok() is false");
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return stop; });
      rig.tell("stopped");
    }
    NodeRig& rig;
    std::mutex mutex;
    std::condition_variable changed;
    bool stop = false;
    std::thread thread;
  };
  std::unique_ptr<Worker> worker;
  Once once(rig, [&] { worker = std::make_unique<Worker>(rig); });
  REQUIRE(rig.run_until(5));
  CHECK(rig.threads().finish([&] { worker.reset(); }) == "");
  CHECK(rig.story == Lines{"1: ok() is false", "1: stopped", "1: joined"});
}

TEST_CASE("who does not end is named") {
  NodeRig rig;
  auto* mutex = new std::mutex;  // what it touches stays, as it does
  auto* never = new std::condition_variable;
  Once once(rig, [=] {
    std::thread([=] {
      std::unique_lock lock(*mutex);
      for (;;) never->wait(lock);
    }).detach();
  });
  REQUIRE(rig.run_until(5));
  rig.remained = rig.threads().finish({});
  CHECK(rig.remained.find("thread 1 (") == 0);
  CHECK(rig.remained.find(" waits for a condition variable") != std::string::npos);
}

// Producer and consumer by condition variable and limit, std::async, a future across threads, a lock held over a rate's
// sleep, a join in a destructor, and a thread that is left alone.
struct Plant {
  explicit Plant(NodeRig& rig) {
    node = std::make_shared<Node>("plant");
    out = node->create_publisher<rcl_interfaces::msg::ParameterValue>("made", 10);
    in = node->create_subscription<rcl_interfaces::msg::ParameterValue>(
        "made", 10,
        [&rig](const rcl_interfaces::msg::ParameterValue& m) { rig.tell(std::to_string(m.integer_value)); });
    timer = node->create_wall_timer(7us, [this] { started(); });
  }
  ~Plant() {
    {
      const std::lock_guard lock(mutex);
      over = true;
    }
    more.notify_all();
    for (auto& thread : threads) thread.join();
  }
  void started() {
    timer->cancel();
    for (int p = 0; p < 3; ++p)
      threads.emplace_back([this, p] {
        for (int i = 0; i < 20; ++i) {
          std::this_thread::sleep_for(std::chrono::microseconds(3 + p));
          const std::lock_guard lock(mutex);
          goods.push(100 * p + i);
          more.notify_one();
        }
      });
    for (int c = 0; c < 2; ++c)
      threads.emplace_back([this, c] {
        std::unique_lock lock(mutex);
        while (!over) {
          if (!more.wait_for(lock, 5us, [this] { return over || !goods.empty(); })) {
            publish(-1 - c);
            continue;
          }
          if (goods.empty()) continue;
          const int good = goods.front();
          goods.pop();
          lock.unlock();
          publish(std::async(std::launch::async, [good, c] { return 1000 * c + good; }).get());
          lock.lock();
        }
      });
    threads.emplace_back([this] {
      Rate rate(11us);
      for (int i = 0; i < 5; ++i) {
        const std::lock_guard lock(mutex);
        rate.sleep();
        publish(-10);
      }
    });
    std::thread([] { std::this_thread::sleep_for(1h); }).detach();
    auto promise = std::make_shared<std::promise<int>>();
    std::thread([promise] {
      std::this_thread::sleep_for(9us);
      promise->set_value(-20);
    }).detach();
    publish(promise->get_future().get());
  }
  void publish(int value) {
    rcl_interfaces::msg::ParameterValue m;
    m.integer_value = value;
    out->publish(m);
  }
  std::shared_ptr<Node> node;
  Publisher<rcl_interfaces::msg::ParameterValue>::SharedPtr out;
  Subscription<rcl_interfaces::msg::ParameterValue>::SharedPtr in;
  TimerBase::SharedPtr timer;
  std::mutex mutex;
  std::condition_variable more;
  std::queue<int> goods;
  bool over = false;
  std::vector<std::thread> threads;
};

TEST_CASE("two hundred runs of a node with all of that are the same, while others use the processors") {
  std::atomic<bool> stop{false};
  std::vector<std::thread> load;
  for (int i = 0; i < 3; ++i)
    load.emplace_back([&] {
      while (!stop) std::this_thread::yield();
    });
  Lines first;
  std::uint64_t digest = 0;
  for (int run = 0; run < 200; ++run) {
    NodeRig rig;
    auto plant = std::make_unique<Plant>(rig);
    REQUIRE(rig.run_until(300'000));
    CHECK(rig.threads().finish([&] { plant.reset(); }) == "");
    if (run == 0) first = rig.story, digest = rig.simulation.graph().digest();
    REQUIRE(rig.story == first);
    REQUIRE(rig.simulation.graph().digest() == digest);
  }
  CHECK(first.size() > 60);
  stop = true;
  for (auto& thread : load) thread.join();
}

}  // namespace threads_test
#endif
