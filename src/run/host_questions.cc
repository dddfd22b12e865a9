#include "run/host_questions.h"

#include "agent/inspect.h"

namespace convoy {

Status HostQuestions::take(ByteView payload, Fleet* fleet) {
  Ask ask;
  if (!load(payload, ask)) return fail(ErrorCode::kInvalid, "an Ask frame is malformed");
  NodesQuestion question;
  const bool waits = fleet && fleet->ahead() && load(ask.bytes, question) &&
                     (question.kind == NodesQuestion::Kind::kContacts || question.kind == NodesQuestion::Kind::kSensor);
  if (waits) waiting_.push_back(std::move(ask));
  else send_(save(Ask{ask.id, fleet ? fleet->answer(ask.bytes) : Bytes{}}));
  return {};
}

void HostQuestions::at_boundary(Fleet& fleet) {
  for (const Ask& ask : std::exchange(waiting_, {})) send_(save(Ask{ask.id, fleet.answer(ask.bytes)}));
}

}  // namespace convoy
