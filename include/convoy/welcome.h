// Code of your own at the server, which every program that joins may talk with before it counts as ready: the other end of
// Client::Options::tcp_phase (convoy/client.h).
//
//   class Greeter final : public convoy::welcome::Welcomer {
//    public:
//     Greeter(convoy::Parameters& p, const convoy::welcome::Scene& scene) : scene_(scene) {}
//     void received(convoy::welcome::Talk& talk, std::span<const std::uint8_t> bytes) override { talk.send(...); }
//    ...
//   };
//   CONVOY_WELCOMES({"greeter", convoy::welcome::maker<Greeter>()})
//
//   welcome: {type: greeter, library: ./libgreeter.so, parameters: {text: hello}}      # in the scenario
//
// It talks and changes nothing: what a program does with the answers is its own business, and comes in as anything it asks
// for. Needs nothing but the standard library; a plug-in links nothing of Convoy's. One object serves the whole run, called
// by one thread. Units are SI, angles radians.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "convoy/geometry.h"
#include "convoy/library.h"
#include "convoy/parameters.h"

namespace convoy::welcome {

struct Model {
  std::string_view name;
  double radius = 0;  // of its footprint, m
  double height = 0;  // m
  double mass = 0;    // kg
};

// Where an entity of the scenario begins.
struct Place {
  std::string_view name, model;
  std::string_view host;  // the robot client that it wants; empty: any
  Pose pose;              // in the world
};

struct Weather {
  double fog = 0, rain = 0, wetness = 0, cloudiness = 0, road_damage = 0;  // 0 to 1
  double time_of_day = 0;                                                  // h
  Vec3 wind;                                                               // m/s, in the world
};

// The run that the program joins. Texts and spans stay as long as the object does.
class Scene {
 public:
  virtual std::string_view name() const = 0;
  virtual std::uint64_t seed() const = 0;
  virtual std::int64_t tick_ns() const = 0;
  virtual std::span<const Model> models() const = 0;
  virtual std::span<const Place> places() const = 0;
  virtual Weather weather() const = 0;  // as it is now
  // The ground: the lower left corner of the map, its extent, and what is solid of it.
  virtual double min_x() const = 0;
  virtual double min_y() const = 0;
  virtual double width() const = 0;
  virtual double depth() const = 0;
  virtual bool solid(double x, double y) const = 0;

 protected:
  ~Scene() = default;
};

// With one program, while it joins.
class Talk {
 public:
  virtual std::string_view program() const = 0;  // its name
  // At most 1 MiB; what is more is not sent, and the server's log says so. Any number of times, also none.
  virtual void send(std::span<const std::uint8_t> bytes) = 0;

 protected:
  ~Talk() = default;
};

class Welcomer {
 public:
  virtual ~Welcomer() = default;
  // A program has sent this. What it throws is logged, and the program gets no answer.
  virtual void received(Talk& talk, std::span<const std::uint8_t> bytes) = 0;
};

// --- what a library exports; CONVOY_WELCOMES writes it

struct Type {
  const char* name;  // as scenarios name it
  struct Maker {
    Welcomer* (*make)(Parameters& parameters, const Scene& scene);
    void (*drop)(const Welcomer* welcomer);
  } maker;
};

struct Types {
  const Type* types;
  std::size_t count;
};

// Of a class with a constructor of Parameters and Scene; the scene outlives it.
template <class T>
constexpr Type::Maker maker() {
  return {[](Parameters& parameters, const Scene& scene) -> Welcomer* { return new T(parameters, scene); },
          [](const Welcomer* welcomer) { delete welcomer; }};
}

}  // namespace convoy::welcome

// Changes whenever something above does that compiled code depends on.
#define CONVOY_WELCOME_ABI "convoy welcome 1"

// The types of a library, once in it: CONVOY_WELCOMES({"greeter", convoy::welcome::maker<Greeter>()}, ...)
#define CONVOY_WELCOMES(...) CONVOY_EXPORT_TYPES(welcome, CONVOY_WELCOME_ABI, __VA_ARGS__)
