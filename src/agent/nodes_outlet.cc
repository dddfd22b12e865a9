#include "agent/nodes_outlet.h"

namespace convoy {

void NodesOutlet::collect(const std::string& topic, bool wanted) {
  auto tapped = wanted_.find(topic);
  if (tapped == wanted_.end()) {
    if (!wanted || !graph_) return;
    const auto flag = std::make_shared<bool>(false);
    const auto tap = [this, flag](const nodes::Delivery& d) {
      if (!*flag) return;
      Message message{d.from, {}};
      d.message.type().append_bytes(d.message.get(), message.bytes);
      if (fits(message.bytes.size())) taken_.messages.push_back(std::move(message));
    };
    if (!graph_->tap(topic, tap)) return;
    tapped = wanted_.emplace(topic, flag).first;
  }
  *tapped->second = wanted;
}

NodesOutlet::Taken NodesOutlet::take() {
  bytes_ = 0;
  return std::exchange(taken_, {});
}

bool NodesOutlet::fits(std::size_t bytes) {
  if (bytes_ + bytes > kMaxOutletBytes) return ++taken_.dropped, false;
  bytes_ += bytes;
  return true;
}

void NodesOutlet::offer(const std::string& service, bool offered) {
  if (offered) offered_.insert(service);
  else offered_.erase(service);
}

void NodesOutlet::add(Request request) {
  if (used_ && fits(request.bytes.size())) taken_.requests.push_back(std::move(request));
}

void NodesOutlet::add(Response response) {
  if (used_ && fits(response.bytes.size())) taken_.responses.push_back(std::move(response));
}

}  // namespace convoy
