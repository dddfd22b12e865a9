// What strangers' bytes reach, each as a function over any bytes. With any compiler, fuzz_test feeds each the sound
// inputs and thousands that are made from them; with Clang and -DCONVOY_FUZZ=ON there is a libFuzzer program for each.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "world/setup.h"

namespace convoy::fuzz {

struct Target {
  const char* name;
  bool (*run)(ByteView input);    // whether all of it was understood; a bug ends the process
  std::vector<Bytes> (*seeds)();  // sound inputs, which are understood
};

inline Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

// decoders.cc: what comes by the wire
bool frames(ByteView input);
std::vector<Bytes> frame_seeds();
bool datagrams(ByteView input);
std::vector<Bytes> datagram_seeds();
bool canonical(ByteView input);
std::vector<Bytes> canonical_seeds();
bool states(ByteView input);
std::vector<Bytes> state_seeds();
// files.cc: what lies in files
bool setup(ByteView input);
std::vector<Bytes> setup_seeds();
bool recording(ByteView input);
std::vector<Bytes> recording_seeds();
bool scenario_text(ByteView input);
std::vector<Bytes> scenario_seeds();
bool map(ByteView input);
std::vector<Bytes> map_seeds();
// models.cc: documents of robots
bool model(ByteView input);
std::vector<Bytes> model_seeds();
// doors.cc: calls over ZeroMQ
bool calls(ByteView input);
std::vector<Bytes> call_seeds();
// server.cc: a whole server, and one member that says anything
bool server(ByteView input);
std::vector<Bytes> server_seeds();

inline constexpr Target kTargets[] = {{"frames", frames, frame_seeds},
                                      {"datagrams", datagrams, datagram_seeds},
                                      {"canonical", canonical, canonical_seeds},
                                      {"states", states, state_seeds},
                                      {"setup", setup, setup_seeds},
                                      {"recording", recording, recording_seeds},
                                      {"scenario", scenario_text, scenario_seeds},
                                      {"map", map, map_seeds},
#ifdef CONVOY_FUZZ_MODELS
                                      {"model", model, model_seeds},
#endif
#ifdef CONVOY_FUZZ_DOORS
                                      {"calls", calls, call_seeds},
#endif
                                      {"server", server, server_seeds}};

// A small world: robots, a box that is attached, walls.
Setup small_setup();

// Another input made of sound ones: bits and bytes changed, pieces left out, repeated, joined, numbers at their ends.
Bytes mutated(std::span<const Bytes> seeds, std::uint64_t number);

}  // namespace convoy::fuzz
