// Users' libraries of sensors: found by the one rule, asked for their tag before any of their code runs, and loaded.
//
//   SensorLibraries libraries({.scenarios = {"/runs/hall"}});
//   AgentParts parts{physics, software, rays, taker, &libraries};
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugins/library_rule.h"
#include "plugins/users_sensor.h"

namespace convoy {

class SensorLibraries final : public UsersSensors {
 public:
  explicit SensorLibraries(LibraryFolders folders) : rule_(std::move(folders)) {}
  Result<const SensorType*> find(const std::string& library, const std::string& type, CodeSource source) override;
  std::vector<CodeFile> code_of(std::span<const SensorSpec> sensors, std::optional<Error>& missing) override;

 private:
  struct Loaded {
    void* handle = nullptr;
    std::vector<std::unique_ptr<const UsersType>> types;
  };
  Result<const Loaded*> load(const std::string& library, CodeSource source);

  LibraryRule rule_;
  std::map<std::string, Loaded> loaded_;  // by file
};

}  // namespace convoy
