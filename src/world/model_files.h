// The bytes of the files that models are made of, by content: each is stored once, however many models name it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "core/bytes.h"
#include "core/hash.h"
#include "world/model.h"
#include "world/model_camera.h"

namespace convoy {

// Files of a model that are none of its author's, but what an import found out, begin with this name
// (world/body_boxes.h, shapes/shapes.h).
inline constexpr const char* kOwnFiles = "convoy:";
// What it looks like. It follows from the others, so no digest begins with it.
inline constexpr const char* kShapesFile = "convoy:shapes";

inline constexpr std::uint64_t kMaxModelFile = 256u << 20;  // bytes of one file
inline constexpr std::size_t kMaxHalfFiles = 64;            // on their way at a time
inline constexpr std::size_t kMaxFilePiece = 512u << 10;    // bytes of one AddFile

using SharedFile = std::shared_ptr<const Bytes>;
using ModelFiles = std::map<std::uint64_t, SharedFile>;  // by XXH3-64

// What an import did, a line each.
struct ImportReport {
  std::vector<std::string> made;  // found, added or changed
  std::vector<std::string> lost;  // left out, or not as in the file
  double lift = 0;                // m; so far above 0 the root link of a URDF's floating robot begins
  Duration step{};                // of its physics
  double processor = 0;           // s that reading it took; 0: not measured
  std::uint64_t memory = 0;       // bytes, at most, of the process that read it
  std::vector<ModelCamera> cameras{};
};
template <class V, MaybeConst<ImportReport> T>
void fields(V& v, T& r) {
  v("made", r.made), v("lost", r.lost), v("lift", r.lift), v("step", r.step);
  v("processor", r.processor), v("memory", r.memory), v("cameras", r.cameras);
}

// A model that was read from a user's file, with what it needs beside itself.
struct ImportedModel {
  Model model;
  std::vector<Bytes> files;
  ImportReport report;
};
template <class V, MaybeConst<ImportedModel> T>
void fields(V& v, T& m) {
  v("model", m.model), v("files", m.files), v("report", m.report);
}

// Makes a model that came from elsewhere anew, of nothing but its name, its wheels, its document and its files; or says
// why it may not enter a world. For any thread, one call at a time; may take minutes.
using ModelJudge = std::function<Result<ImportedModel>(const Model&, const ModelFiles&)>;

inline void add(ModelFiles& files, Bytes bytes) {
  const std::uint64_t hash = hash64(bytes);
  files.emplace(hash, std::make_shared<const Bytes>(std::move(bytes)));
}

}  // namespace convoy
