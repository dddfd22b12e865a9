#include "apps/robot_reader.h"

namespace convoy::apps {

struct RobotReader::Reading final : Handlers::Piece {
  Reading(ModelImporter& i, ros2::RobotDescription w, Imported d)
      : importer(i), what(std::move(w)), imported(std::move(d)) {}
  void work() override {
    ModelRequest request{.file = std::move(what.file), .folder = "/", .name = std::move(what.model_name)};
    request.text = std::move(what.text);
    made = importer.robot(std::move(request));
  }

  ModelImporter& importer;
  ros2::RobotDescription what;
  Imported imported;
  Result<ImportedModel> made = ImportedModel{};
};

std::unique_ptr<RobotReader> RobotReader::make() { return reads_models() ? std::make_unique<RobotReader>() : nullptr; }

void RobotReader::import(ros2::RobotDescription what, Imported imported) {
  if (!pool_) pool_.emplace(1, [] {});
  std::vector<std::unique_ptr<Handlers::Piece>> pieces;
  pieces.push_back(std::make_unique<Reading>(importer_, std::move(what), std::move(imported)));
  pool_->submit(std::move(pieces));
}

void RobotReader::proceed() {
  if (!pool_) return;
  std::vector<std::unique_ptr<Handlers::Piece>> done;
  pool_->collect(done, false);
  for (const auto& piece : done) {
    const auto& reading = static_cast<const Reading&>(*piece);
    reading.imported(reading.made);
  }
}

}  // namespace convoy::apps
