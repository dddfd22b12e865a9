#include "control/requests.h"

#include <algorithm>

#include "core/check.h"

namespace convoy::control {

Request& Requests::add(Request request) {
  EXPECTS(!full());
  return requests_.emplace_back(std::move(request));
}

bool Requests::any_of(const SessionId& session) const {
  return std::any_of(requests_.begin(), requests_.end(), [&](const Request& r) { return r.session == session; });
}

std::vector<SessionId> Requests::sessions() const {
  std::vector<SessionId> out;
  for (const Request& request : requests_)
    if (!request.session.empty()) out.push_back(request.session);
  return out;
}

std::uint64_t Requests::wish(GatewayWish wish) {
  wish.id = ++wishes_made_;
  wishes_.push_back(std::move(wish));
  return wishes_made_;
}

void Requests::answered(const GatewayAnswer& answer) {
  for (Request& request : requests_) {
    if (request.asked.erase(answer.id) == 0) continue;
    if (answer.error && !request.refused) request.refused = refusal_of(*answer.error);
    request.text = answer.text, request.tick = answer.tick;
  }
}

void Requests::reached(Tick tick, Moment now) {
  for (Request& request : requests_)
    if (request.until && *request.until <= tick) request.until.reset(), request.since = now;
}

void Requests::held_at(const SessionId& session, Tick tick) {
  for (Request& request : requests_)
    if (request.session == session && std::exchange(request.until_held, false)) request.until = tick;
}

void Requests::give_up(const std::function<std::optional<Refusal>(const Request&)>& why) {
  for (Request& request : requests_) {
    if (!request.until) continue;
    auto refusal = why(request);
    if (!refusal) continue;
    request.until.reset();
    request.refused = std::move(*refusal);
  }
}

void Requests::end(const SessionId& session, const Refusal& why) {
  answering_ = true;
  for (Request& request : requests_) {
    if (request.session != session || request.ended) continue;
    request.ended = true;
    request.done(tl::unexpected(why));
  }
  answering_ = false;
  sweep();
}

void Requests::settle(const Fleet& fleet, Request& request) {
  while (!request.ended && !request.waits()) {
    if (!request.refused && request.then) {
      const Request::Then then = std::exchange(request.then, nullptr);
      then(fleet, request);
      continue;
    }
    request.ended = true;
    if (request.refused) request.done(tl::unexpected(*request.refused));
    else request.done(Reached{&fleet, request.tick, request.text});
  }
}

void Requests::settle(const Fleet& fleet) {
  answering_ = true;
  for (Request& request : requests_) settle(fleet, request);
  answering_ = false;
}

void Requests::sweep() {
  std::erase_if(requests_, [](const Request& request) { return request.ended; });
}

}  // namespace convoy::control
