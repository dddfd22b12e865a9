#include "run/questions.h"

#include <algorithm>

namespace convoy {

void Questions::ask(const std::vector<Owner>& hosts, Bytes question, Moment until, Done done, const Send& send) {
  const std::uint64_t id = next_++;
  open_[id] = {{hosts.begin(), hosts.end()}, {}, std::move(done), until};
  const Bytes frame = save(Ask{id, std::move(question)});
  for (Owner host : hosts) send(host, FrameType::kAsk, frame);
  settle(id);
}

Status Questions::answered(Owner from, ByteView payload) {
  Ask answer;
  if (!load(payload, answer)) return fail(ErrorCode::kInvalid, "an answer is malformed");
  const auto found = open_.find(answer.id);
  if (found == open_.end() || found->second.waiting.erase(from) == 0) return {};
  found->second.answers[from] = std::move(answer.bytes);
  settle(answer.id);
  return {};
}

void Questions::on_time(Moment now) {
  std::vector<std::uint64_t> ids;
  for (auto& [id, open] : open_)
    if (open.until <= now) open.waiting.clear(), ids.push_back(id);
  for (std::uint64_t id : ids) settle(id);
}

Moment Questions::deadline() const {
  Moment next = kNever;
  for (const auto& [id, open] : open_) next = std::min(next, open.until);
  return next;
}

void Questions::left(Owner owner) {
  std::vector<std::uint64_t> ids;
  for (auto& [id, open] : open_)
    if (open.waiting.erase(owner) > 0) ids.push_back(id);
  for (std::uint64_t id : ids) settle(id);
}

void Questions::settle(std::uint64_t id) {
  const auto found = open_.find(id);
  if (!found->second.waiting.empty()) return;
  PendingQuestion open = std::move(found->second);
  open_.erase(found);
  std::vector<Bytes> answers;
  for (auto& [owner, bytes] : open.answers) answers.push_back(std::move(bytes));
  open.done(std::move(answers));
}

}  // namespace convoy
