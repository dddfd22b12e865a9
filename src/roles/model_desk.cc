#include "roles/model_desk.h"

#include <algorithm>

#include "agent/inspect.h"
#include "core/hash.h"

namespace convoy {

namespace {

void refuse(const Answer& answer, const Error& error) {
  proto::Reply reply;
  reply.set_error(static_cast<std::uint32_t>(error.code));
  reply.set_text(error.message());
  answer(std::move(reply));
}

void done(const Answer& answer, Tick tick) {
  proto::Reply reply;
  reply.set_tick(tick);
  answer(std::move(reply));
}

}  // namespace

struct ModelDesk::Judging final : Handlers::Piece {
  Judging(Wanted w, ModelFiles f, ModelJudge j) : wanted(std::move(w)), files(std::move(f)), judge(std::move(j)) {}
  void work() override { made = judge(wanted.model, files); }

  Wanted wanted;
  ModelFiles files;
  ModelJudge judge;
  Result<ImportedModel> made = ImportedModel{};
};

ModelDesk::ModelDesk(Run& run, FileDesk& files, ModelJudge judge, Handlers* handlers)
    : run_(run), files_(files), judge_(std::move(judge)), handlers_(handlers) {}

void ModelDesk::take(Owner from, ByteView bytes, Answer answer, Moment now) {
  Wanted wanted{from, {}, hash64(bytes), std::move(answer)};
  if (!load(bytes, wanted.model)) return refuse(wanted.answer, {ErrorCode::kInvalid, "the model is malformed", {}});
  if (wanted.model.engine.any())
    return refuse(wanted.answer, {ErrorCode::kDenied, "only a scenario's models have an engine of a user's own", {}});
  const World& world = run_.world();
  if (const Model* known = world.model(wanted.model.name); known && !known->files.empty()) {
    const auto same = let_in_.find(known->name);
    if (*known == wanted.model || (same != let_in_.end() && same->second == wanted.as_sent))
      return done(wanted.answer, run_.tick());
  }
  if (auto ok = world.check(AddModel{wanted.model}); !ok) return refuse(wanted.answer, ok.error());
  if (wanted.model.files.empty() || !judge_) return let_in(std::move(wanted.model), wanted.as_sent, wanted.answer);
  std::deque<Wanted>& waiting = waiting_[from];
  if (waiting.size() >= kModelsOfMember)
    return refuse(
        wanted.answer,
        {ErrorCode::kUnavailable, std::to_string(kModelsOfMember) + " of your models are waiting to be compiled", {}});
  waiting.push_back(std::move(wanted));
  begin_next(now);
}

// One at a time, of each member in its turn.
void ModelDesk::begin_next(Moment now) {
  while (!judging_ && !waiting_.empty()) {
    auto next = waiting_.upper_bound(last_);
    if (next == waiting_.end()) next = waiting_.begin();
    last_ = next->first;
    Wanted wanted = std::move(next->second.front());
    next->second.pop_front();
    if (next->second.empty()) waiting_.erase(next);
    ModelFiles files;
    for (const ModelFile& file : wanted.model.files)
      if (const auto found = run_.world().files().find(file.hash); found != run_.world().files().end())
        files.insert(*found);
    auto piece = std::make_unique<Judging>(std::move(wanted), std::move(files), judge_);
    if (!handlers_) {
      piece->work();
      judged(*piece, now);
      continue;
    }
    judging_ = true, unwanted_ = false;
    std::vector<std::unique_ptr<Handlers::Piece>> pieces;
    pieces.push_back(std::move(piece));
    handlers_->submit(std::move(pieces));
  }
}

void ModelDesk::proceed(Moment now) {
  if (!judging_) return;
  std::vector<std::unique_ptr<Handlers::Piece>> done;
  handlers_->collect(done, false);
  for (const auto& piece : done) {
    judging_ = false;
    if (!unwanted_) judged(static_cast<Judging&>(*piece), now);
  }
  begin_next(now);
}

void ModelDesk::left(Owner member) {
  waiting_.erase(member);
  unwanted_ = unwanted_ || (judging_ && last_ == member);
}

void ModelDesk::judged(Judging& one, Moment now) {
  const std::string& name = one.wanted.model.name;
  if (!one.made) {
    Error why = one.made.error();
    why.text = "model '" + name + "': " + why.text;
    return refuse(one.wanted.answer, why);
  }
  if (run_.over()) return refuse(one.wanted.answer, {ErrorCode::kState, "the run is over", {}});
  bring_files(std::move(*one.made), one.wanted, now);
}

// What the judge made of it may have other files than those that came.
void ModelDesk::bring_files(ImportedModel made, const Wanted& wanted, Moment now) {
  const auto then = [this, model = std::make_shared<const Model>(std::move(made.model)), wanted,
                     now](const Result<EditOutcome>& outcome) {
    if (!outcome) return refuse(wanted.answer, outcome.error());
    NodesQuestion question;
    question.kind = NodesQuestion::Kind::kCompile;
    question.model = save(*model);
    run_.send_edits();  // hosts have the files when they are asked
    run_.ask(save(question), now + kCompileWithin,
             [this, model, wanted](const std::vector<Bytes>&) { let_in(*model, wanted.as_sent, wanted.answer); });
  };
  files_.bring(wanted.from, std::move(made.files), then);
}

void ModelDesk::let_in(Model model, std::uint64_t as_sent, const Answer& answer) {
  const std::string name = model.name;
  run_.submit(AddModel{std::move(model)}, [this, name, as_sent, answer](const Result<EditOutcome>& outcome) {
    if (!outcome) return refuse(answer, outcome.error());
    let_in_[name] = as_sent;
    done(answer, outcome->tick);
  });
}

}  // namespace convoy
