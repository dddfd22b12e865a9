// The server's half of a program's joining: says what it is asked of the run, in lines of text.
//
//   "world"    name, seed, ground          "weather"   fog, rain, hour of the day
//   "models"   one a line, with its size   "places"    where the scenario's robots begin
#include <cstdio>
#include <stdexcept>
#include <string>

#include "convoy/welcome.h"

namespace {

class Hall final : public convoy::welcome::Welcomer {
 public:
  Hall(convoy::Parameters& parameters, const convoy::welcome::Scene& scene)
      : greeting_(parameters.text("greeting", "welcome")), scene_(scene) {}

  void received(convoy::welcome::Talk& talk, std::span<const std::uint8_t> bytes) override {
    const std::string text = answer({bytes.begin(), bytes.end()}, std::string(talk.program()));
    talk.send({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }

 private:
  std::string answer(const std::string& question, const std::string& program) const {
    std::string out;
    if (question == "hello") return greeting_ + ", " + program;
    if (question == "world")
      return line("%s, seed %llu, %g x %g m", std::string(scene_.name()).c_str(),
                  static_cast<unsigned long long>(scene_.seed()), scene_.width(), scene_.depth());
    if (question == "weather") {
      const convoy::welcome::Weather now = scene_.weather();
      return line("fog %g, rain %g, %g h", now.fog, now.rain, now.time_of_day);
    }
    if (question == "models")
      for (const convoy::welcome::Model& m : scene_.models())
        out += line("%s %g m %g kg\n", std::string(m.name).c_str(), 2 * m.radius, m.mass);
    if (question == "places")
      for (const convoy::welcome::Place& p : scene_.places())
        out += line("%s %s %g %g%s\n", std::string(p.name).c_str(), std::string(p.model).c_str(), p.pose.p.x,
                    p.pose.p.y, scene_.solid(p.pose.p.x, p.pose.p.y) ? " in a wall" : "");
    if (out.empty()) throw std::runtime_error("it does not know '" + question + "'");
    return out;
  }
  template <class... Values>
  static std::string line(const char* format, Values... values) {
    char text[256];
    std::snprintf(text, sizeof text, format, values...);
    return text;
  }

  std::string greeting_;
  const convoy::welcome::Scene& scene_;
};

}  // namespace

CONVOY_WELCOMES({"hall", convoy::welcome::maker<Hall>()})
