// The meshes that a robot's description names by URIs, found on the caller's machine as formats that MuJoCo reads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "physics/mujoco/document.h"

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
  MeshFiles(const FileReader& read, const std::vector<std::string>& roots, std::map<std::string, Bytes>& assets)
      : read_(read), roots_(roots), assets_(assets) {}

  // The name under which the mesh of a URI travels. `from` names it: it is relative to its file, and errors are there.
  Result<std::string> take(const std::string& uri, const Element& from);

 private:
  Result<std::string> keep(const std::string& path, Bytes bytes, const Element& from);

  const FileReader& read_;
  const std::vector<std::string>& roots_;
  std::map<std::string, Bytes>& assets_;
};

// Where a URI may be (package://, model://, file://, or relative to the folder), in the order in which ROS's and
// Gazebo's users expect things to be found: beside the document and up to three folders above it, then in the roots.
std::vector<std::string> places_of(const std::string& uri, const std::string& folder,
                                   const std::vector<std::string>& roots);

// A mesh that MuJoCo does not read (.dae, text .stl, .gltf, ...) as a binary STL. `suffix` is its format.
Result<Bytes> as_stl(const Bytes& mesh, const std::string& suffix);

}  // namespace convoy::mujoco
