// The base of everything in a graph (publishers, subscriptions, timers, services, clients, nodes), ranked by creation.
//
// The maker of an entity holds an Owned<...>; when that goes, the entity leaves the graph, and its memory goes as soon as
// no event in flight refers to it. An Owned may outlive its graph: the entity then does nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace convoy::nodes {

class CallbackGroup;
class Graph;
class Node;

// Series of ranks. What the library adds to nodes by itself has series of its own, so it does not shift users' ranks.
enum class Ranks : std::uint8_t {
  kUser,    // what nodes make, from 0
  kSystem,  // what is made for them, such as services of parameters
  kSilent,  // logs and the clock: the trail has nothing that is published with such a rank, nor its deliveries
};
inline constexpr std::uint32_t kFirstSystemRank = 1u << 30, kFirstSilentRank = 1u << 31;

class Entity {
 public:
  Entity(const Entity&) = delete;
  Entity& operator=(const Entity&) = delete;
  virtual ~Entity();

  Graph* graph() const { return graph_; }       // null when the graph is gone
  std::uint32_t rank() const { return rank_; }  // order of creation in the graph, all kinds of a series together
  CallbackGroup* group() const { return group_; }

 protected:
  Entity(Graph& graph, CallbackGroup* group, Ranks ranks = Ranks::kUser);
  // A node calls: GraphOptions::entered. Nothing where the graph is gone.
  void entered(const char* call, std::string_view name) const;
  // The owner let go: leave the lists of the graph, which is there.
  virtual void detach() {}
  // One event: runs the user's callback. Only for entities that queue events.
  virtual void run() {}
  // What an event of it is called in errors: the topic or service.
  virtual std::string label() const { return {}; }
  // Its group is busy: may the event wait? If not, it is dropped.
  virtual bool may_wait() { return true; }
  virtual void waits_no_more() {}
  virtual void surrender() {}  // the graph ends: give it the events that wait here
  bool gone() const { return gone_; }
  void hold() { ++uses_; }
  void release() {
    if (--uses_ == 0) delete this;
  }

 private:
  friend class CallbackGroup;
  friend class Graph;
  friend class Publisher;
  friend class Service;
  friend class Stacks;
  template <class T>
  friend class Owned;

  void retire();  // the owner lets go

  Graph* graph_;
  CallbackGroup* group_;
  Entity *previous_ = nullptr, *next_ = nullptr;  // the graph's list of all
  std::uint32_t rank_ = 0;
  std::uint32_t uses_ = 1;  // the owner, and each event in flight
  bool gone_ = false;
};

// The one owner of an entity.
template <class T>
class Owned {
 public:
  Owned() = default;
  explicit Owned(T* entity) : entity_(entity) {}
  template <class U>
  Owned(Owned<U>&& other) noexcept : entity_(other.release()) {}
  Owned(Owned&& other) noexcept : entity_(other.release()) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) reset(), entity_ = other.release();
    return *this;
  }
  ~Owned() { reset(); }

  T* operator->() const { return entity_; }
  T& operator*() const { return *entity_; }
  T* get() const { return entity_; }
  explicit operator bool() const { return entity_ != nullptr; }
  void reset() {
    if (entity_) static_cast<Entity*>(std::exchange(entity_, nullptr))->retire();
  }
  T* release() { return std::exchange(entity_, nullptr); }

 private:
  T* entity_ = nullptr;
};

}  // namespace convoy::nodes
