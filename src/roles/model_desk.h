// Takes the models that members bring. None enters the world before it was judged, elsewhere and at leisure, and before
// every host has compiled it: the tick in which it enters is as long as any other.
//
//   desk.take(member, bytes, answer, now);   // the answer comes when the model is in the world, or refused
//   desk.proceed(now);                       // whenever the judges have done something
//
// What is journalled has been judged: a replay lets it in without asking again.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "core/ports.h"
#include "roles/calls.h"
#include "roles/file_desk.h"
#include "run/run.h"
#include "world/model_files.h"

namespace convoy {

inline constexpr std::size_t kModelsOfMember = 16;  // that wait for the judges
// For hosts to compile a model; those that take longer compile it when they need it.
inline constexpr Duration kCompileWithin = std::chrono::minutes(10);

class ModelDesk {
 public:
  // Without a judge all models are let in; without handlers it judges on the spot.
  ModelDesk(Run& run, FileDesk& files, ModelJudge judge, Handlers* handlers);

  void take(Owner from, ByteView model, Answer answer, Moment now);
  void proceed(Moment now);
  // Its models go with it, but for those that were judged.
  void left(Owner member);

 private:
  struct Wanted {
    Owner from = kNobody;
    Model model;
    std::uint64_t as_sent = 0;  // of its bytes
    Answer answer;
  };
  struct Judging;
  void begin_next(Moment now);
  void judged(Judging& one, Moment now);
  void bring_files(ImportedModel made, const Wanted& wanted, Moment now);
  void let_in(Model model, std::uint64_t as_sent, const Answer& answer);

  Run& run_;
  FileDesk& files_;
  ModelJudge judge_;
  Handlers* handlers_;
  std::map<Owner, std::deque<Wanted>> waiting_;
  Owner last_ = kNobody;                     // whose model was judged last: the others have their turn
  bool judging_ = false, unwanted_ = false;  // who brought what is being judged has left
  // The bytes of those that were let in, by name: a caller that spawns from a file sends the model each time.
  std::map<std::string, std::uint64_t> let_in_;
};

}  // namespace convoy
