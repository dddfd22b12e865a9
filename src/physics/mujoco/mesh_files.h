// The meshes that a robot's description names by URIs, found on the caller's machine as formats that MuJoCo reads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "physics/mujoco/document.h"
#include "world/model_files.h"

namespace convoy::mujoco {

// What a description in another format becomes: an MJCF document whose assets have names of their content.
struct Translated {
  Element mjcf;
  std::map<std::string, Bytes> assets;
};

// Reads the assets by their names.
FileReader reader_of(std::map<std::string, Bytes> assets);

class MeshFiles {
 public:
  // `roots`: in which package:// and model:// are searched for, after the folders around the document.
  MeshFiles(const FileReader& read, const std::vector<std::string>& roots, std::map<std::string, Bytes>& assets,
            ImportReport& report)
      : read_(read), roots_(roots), assets_(assets), report_(report) {}

  // The name under which the mesh of a URI travels. `from` names it: it is relative to its file, and errors are there.
  Result<std::string> take(const std::string& uri, const Element& from);

 private:
  Result<std::string> keep(const std::string& path, Bytes bytes, const Element& from);

  const FileReader& read_;
  const std::vector<std::string>& roots_;
  std::map<std::string, Bytes>& assets_;
  ImportReport& report_;
};

// Where a URI may be (package://, model://, file://, or relative to the folder), in the order in which ROS's and
// Gazebo's users expect things to be found: beside the document and up to three folders above it, then in the roots.
std::vector<std::string> places_of(const std::string& uri, const std::string& folder,
                                   const std::vector<std::string>& roots);

// A mesh that MuJoCo does not read (.dae, text .stl, .gltf, ...) as a binary STL. `suffix` is its format.
Result<Bytes> as_stl(const Bytes& mesh, const std::string& suffix);

// Most triangles of a binary STL that MuJoCo reads.
inline constexpr std::uint32_t kMostTriangles = 200'000;
std::uint32_t triangles_of(const Bytes& stl);
// The same shape, to within the size of cells in which corners become one, with no more triangles than that.
Bytes reduced(const Bytes& stl, std::uint32_t most);

}  // namespace convoy::mujoco
