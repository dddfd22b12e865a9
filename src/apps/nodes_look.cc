#include "apps/nodes_look.h"

#include "apps/ctl.h"
#include "apps/prepare.h"

namespace convoy::apps {

NodesReply look(const Arguments& a, std::uint32_t kind, std::uint64_t watcher, const std::string& name) {
  proto::Request request;
  request.mutable_nodes()->set_kind(kind);
  request.mutable_nodes()->set_watcher(watcher);
  request.mutable_nodes()->set_name(name);
  const Answered answered = ask(a, request);
  if (!answered.reply) return {{}, 0, answered.code == kOk ? kFailed : answered.code};
  if (answered.reply->error() != 0) return {{}, 0, complain(answered.reply->text(), kFailed)};
  return {nlohmann::ordered_json::parse(answered.reply->json(), nullptr, false), answered.reply->tick(), kOk};
}

std::uint64_t new_watcher() {
  const Token token = new_token();
  std::uint64_t number = 0;
  for (int i = 0; i < 8; ++i) number = number << 8 | static_cast<std::uint8_t>(token[static_cast<std::size_t>(i)]);
  return number;
}

}  // namespace convoy::apps
