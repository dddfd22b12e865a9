// The files that an MJCF document names, gathered under names of their content.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "physics/mujoco/document.h"
#include "world/model_files.h"

namespace convoy::mujoco {

// Does its document name nothing but the model's own files? MuJoCo looks for what it is not given on the disk.
Status names_only_its_files(const Model& model, const ModelFiles& files);

class Assets {
 public:
  Assets(std::string folder, const FileReader& read, const std::vector<std::string>& roots)
      : folder_(std::move(folder)), read_(read), roots_(roots) {}

  // Sections of that tag are left out of the models inside. Before collect().
  void leave_out(std::string tag) { unwanted_ = std::move(tag); }
  const std::vector<std::string>& left_out() const { return left_out_; }  // their places in the document

  // Reads every file that the document names and puts in its place the name under which it travels:
  // "0123456789abcdef.stl". A file that is missing is an error that lists all paths tried.
  Status collect(Element& root);

  // By name.
  std::map<std::string, Bytes> take() { return std::move(files_); }

 private:
  struct Folders {
    std::string mesh, texture;
    bool strip = false;
  };
  static Folders folders_of(Element& root);
  Result<std::string> keep(const Element& element, const std::string& name, const std::string& subfolder);
  Status take_model(Element& element);
  std::string name_of(Bytes bytes, const std::string& suffix);

  std::string folder_;
  const FileReader& read_;
  const std::vector<std::string>& roots_;
  std::map<std::string, Bytes> files_;
  int depth_ = 0;
  std::string unwanted_;
  std::vector<std::string> left_out_;
};

}  // namespace convoy::mujoco
