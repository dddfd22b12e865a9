#include "roles/model_preparer.h"

#include "agent/inspect.h"
#include "wire/lockstep.h"

namespace convoy {

struct ModelPreparer::Compiling final : Handlers::Piece {
  Compiling(std::uint64_t question, Preparation work) : id(question), preparation(std::move(work)) {}
  void work() override { model = preparation(); }

  std::uint64_t id;
  Preparation preparation;
  std::shared_ptr<const void> model;
};

bool ModelPreparer::take(ByteView payload, const World& world, const Answer& answer) {
  Ask ask;
  NodesQuestion question;
  Model model;
  if (!load(payload, ask) || !load(ask.bytes, question) || question.kind != NodesQuestion::Kind::kCompile ||
      !load(question.model, model))
    return false;
  auto piece = std::make_unique<Compiling>(ask.id, physics_.prepare(model, world));
  if (!piece->preparation || !handlers_) {
    if (piece->preparation) piece->work();
    finish(*piece, answer);
    return true;
  }
  std::vector<std::unique_ptr<Handlers::Piece>> pieces;
  pieces.push_back(std::move(piece));
  handlers_->submit(std::move(pieces));
  return true;
}

void ModelPreparer::collect(const Answer& answer) {
  if (!handlers_) return;
  std::vector<std::unique_ptr<Handlers::Piece>> done;
  handlers_->collect(done, false);
  for (const auto& piece : done) finish(static_cast<Compiling&>(*piece), answer);
}

void ModelPreparer::finish(Compiling& one, const Answer& answer) {
  if (one.model) prepared_.push_back(std::move(one.model));
  if (prepared_.size() > kMaxPrepared) prepared_.pop_front();
  answer(save(Ask{one.id, {}}));
}

}  // namespace convoy
