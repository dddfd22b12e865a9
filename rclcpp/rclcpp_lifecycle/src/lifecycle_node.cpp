#include "rclcpp_lifecycle/lifecycle_node.hpp"

#include <lifecycle_msgs/msg/state.hpp>
#include <lifecycle_msgs/msg/transition_event.hpp>
#include <lifecycle_msgs/srv/change_state.hpp>
#include <lifecycle_msgs/srv/get_available_states.hpp>
#include <lifecycle_msgs/srv/get_available_transitions.hpp>
#include <lifecycle_msgs/srv/get_state.hpp>

#include <array>

namespace rclcpp_lifecycle {
namespace {

namespace msg = lifecycle_msgs::msg;
namespace srv = lifecycle_msgs::srv;
using S = msg::State;
using T = msg::Transition;
using Return = LifecycleNode::CallbackReturn;

struct Named {
  std::uint8_t id;
  const char* label;
};
constexpr std::array<Named, 11> kStates{{{S::PRIMARY_STATE_UNKNOWN, "unknown"},
                                         {S::PRIMARY_STATE_UNCONFIGURED, "unconfigured"},
                                         {S::PRIMARY_STATE_INACTIVE, "inactive"},
                                         {S::PRIMARY_STATE_ACTIVE, "active"},
                                         {S::PRIMARY_STATE_FINALIZED, "finalized"},
                                         {S::TRANSITION_STATE_CONFIGURING, "configuring"},
                                         {S::TRANSITION_STATE_CLEANINGUP, "cleaningup"},
                                         {S::TRANSITION_STATE_SHUTTINGDOWN, "shuttingdown"},
                                         {S::TRANSITION_STATE_ACTIVATING, "activating"},
                                         {S::TRANSITION_STATE_DEACTIVATING, "deactivating"},
                                         {S::TRANSITION_STATE_ERRORPROCESSING, "errorprocessing"}}};

State state(std::uint8_t id) {
  for (const Named& s : kStates)
    if (s.id == id) return State(id, s.label);
  return State();
}

// A row per command: the state in which it may come, the state while its callback runs, and where each answer leads. The
// transitions out of `during` are those three: of the numbers base, base + 1, base + 2.
struct Command {
  std::uint8_t id;
  const char* label;
  std::uint8_t from, during, success, failure, base;
};
constexpr std::array<Command, 7> kCommands{
    {{T::TRANSITION_CONFIGURE, "configure", S::PRIMARY_STATE_UNCONFIGURED, S::TRANSITION_STATE_CONFIGURING,
      S::PRIMARY_STATE_INACTIVE, S::PRIMARY_STATE_UNCONFIGURED, T::TRANSITION_ON_CONFIGURE_SUCCESS},
     {T::TRANSITION_CLEANUP, "cleanup", S::PRIMARY_STATE_INACTIVE, S::TRANSITION_STATE_CLEANINGUP,
      S::PRIMARY_STATE_UNCONFIGURED, S::PRIMARY_STATE_INACTIVE, T::TRANSITION_ON_CLEANUP_SUCCESS},
     {T::TRANSITION_ACTIVATE, "activate", S::PRIMARY_STATE_INACTIVE, S::TRANSITION_STATE_ACTIVATING,
      S::PRIMARY_STATE_ACTIVE, S::PRIMARY_STATE_INACTIVE, T::TRANSITION_ON_ACTIVATE_SUCCESS},
     {T::TRANSITION_DEACTIVATE, "deactivate", S::PRIMARY_STATE_ACTIVE, S::TRANSITION_STATE_DEACTIVATING,
      S::PRIMARY_STATE_INACTIVE, S::PRIMARY_STATE_ACTIVE, T::TRANSITION_ON_DEACTIVATE_SUCCESS},
     {T::TRANSITION_UNCONFIGURED_SHUTDOWN, "shutdown", S::PRIMARY_STATE_UNCONFIGURED, S::TRANSITION_STATE_SHUTTINGDOWN,
      S::PRIMARY_STATE_FINALIZED, S::PRIMARY_STATE_FINALIZED, T::TRANSITION_ON_SHUTDOWN_SUCCESS},
     {T::TRANSITION_INACTIVE_SHUTDOWN, "shutdown", S::PRIMARY_STATE_INACTIVE, S::TRANSITION_STATE_SHUTTINGDOWN,
      S::PRIMARY_STATE_FINALIZED, S::PRIMARY_STATE_FINALIZED, T::TRANSITION_ON_SHUTDOWN_SUCCESS},
     {T::TRANSITION_ACTIVE_SHUTDOWN, "shutdown", S::PRIMARY_STATE_ACTIVE, S::TRANSITION_STATE_SHUTTINGDOWN,
      S::PRIMARY_STATE_FINALIZED, S::PRIMARY_STATE_FINALIZED, T::TRANSITION_ON_SHUTDOWN_SUCCESS}}};
constexpr std::array<const char*, 3> kAnswers{"transition_success", "transition_failure", "transition_error"};

msg::State to_msg(const State& s) {
  msg::State out;
  out.id = s.id(), out.label = s.label();
  return out;
}

msg::TransitionDescription to_msg(const Transition& t) {
  msg::TransitionDescription out;
  out.transition.id = t.id(), out.transition.label = t.label();
  out.start_state = to_msg(t.start_state()), out.goal_state = to_msg(t.goal_state());
  return out;
}

template <class Out, class In>
void append(Out& out, const std::vector<In>& in) {
  for (const In& one : in) out.push_back(to_msg(one));
}

}  // namespace

struct LifecycleNode::Communication {
  rclcpp::Publisher<msg::TransitionEvent>::SharedPtr events;
  std::vector<rclcpp::ServiceBase::SharedPtr> services;
};

LifecycleNode::LifecycleNode(const std::string& name, const std::string& space, const rclcpp::NodeOptions& options,
                             bool enable_communication_interface)
    : NodeFunctions(name, space, options), current_(state(S::PRIMARY_STATE_UNCONFIGURED)) {
  if (enable_communication_interface) open_communication();
}

LifecycleNode::~LifecycleNode() = default;

void LifecycleNode::open_communication() {
  communication_ = std::make_unique<Communication>();
  communication_->events = NodeFunctions::create_publisher<msg::TransitionEvent>("~/transition_event", 10);
  auto& services = communication_->services;
  services.push_back(create_service<srv::ChangeState>(
      "~/change_state",
      [this](std::shared_ptr<srv::ChangeState::Request> request, std::shared_ptr<srv::ChangeState::Response> response) {
        CallbackReturn code;
        const auto& wanted = request->transition;
        if (wanted.id == 0 && !wanted.label.empty()) named(wanted.label, &code);
        else trigger_transition(wanted.id, code);
        response->success = code == CallbackReturn::SUCCESS;
      }));
  services.push_back(create_service<srv::GetState>(
      "~/get_state",
      [this](std::shared_ptr<srv::GetState::Request>, std::shared_ptr<srv::GetState::Response> response) {
        response->current_state = to_msg(current_);
      }));
  using States = srv::GetAvailableStates;
  services.push_back(create_service<States>(
      "~/get_available_states", [this](std::shared_ptr<States::Request>, std::shared_ptr<States::Response> response) {
        append(response->available_states, get_available_states());
      }));
  using Transitions = srv::GetAvailableTransitions;
  services.push_back(create_service<Transitions>(
      "~/get_available_transitions",
      [this](std::shared_ptr<Transitions::Request>, std::shared_ptr<Transitions::Response> response) {
        append(response->available_transitions, get_available_transitions());
      }));
  services.push_back(create_service<Transitions>(
      "~/get_transition_graph",
      [this](std::shared_ptr<Transitions::Request>, std::shared_ptr<Transitions::Response> response) {
        append(response->available_transitions, get_transition_graph());
      }));
}

std::vector<State> LifecycleNode::get_available_states() const {
  std::vector<State> out;
  for (const Named& s : kStates) out.emplace_back(s.id, s.label);
  return out;
}

std::vector<Transition> LifecycleNode::get_transition_graph() const {
  std::vector<Transition> out;
  for (const Command& c : kCommands) out.emplace_back(c.id, c.label, state(c.from), state(c.during));
  const auto answers = [&](std::uint8_t during, std::uint8_t base, std::array<std::uint8_t, 3> to) {
    for (std::uint8_t i = 0; i < 3; ++i)
      out.emplace_back(static_cast<std::uint8_t>(base + i), kAnswers[i], state(during), state(to[i]));
  };
  for (std::size_t i = 0; i < 5; ++i)  // the shutdowns share one state
    answers(kCommands[i].during, kCommands[i].base,
            {kCommands[i].success, kCommands[i].failure, S::TRANSITION_STATE_ERRORPROCESSING});
  answers(S::TRANSITION_STATE_ERRORPROCESSING, T::TRANSITION_ON_ERROR_SUCCESS,
          {S::PRIMARY_STATE_UNCONFIGURED, S::PRIMARY_STATE_FINALIZED, S::PRIMARY_STATE_FINALIZED});
  return out;
}

std::vector<Transition> LifecycleNode::get_available_transitions() const {
  std::vector<Transition> out;
  for (const Transition& t : get_transition_graph())
    if (t.start_state().id() == current_.id()) out.push_back(t);
  return out;
}

// --- moving

const State& LifecycleNode::named(const std::string& label, CallbackReturn* code) {
  CallbackReturn ignored;
  for (const Command& c : kCommands)
    if (c.label == label && c.from == current_.id()) return trigger_transition(c.id, code ? *code : ignored);
  RCLCPP_ERROR(get_logger(), "No transition matching %s found for current state %s", label.c_str(),
               current_.label().c_str());
  if (code) *code = CallbackReturn::ERROR;
  return current_;
}

const State& LifecycleNode::trigger_transition(std::uint8_t id, CallbackReturn& code) {
  code = CallbackReturn::ERROR;
  const Command* command = nullptr;
  for (const Command& c : kCommands)
    if (c.id == id && c.from == current_.id()) command = &c;
  if (!command) {
    RCLCPP_ERROR(get_logger(), "No transition matching %d found for current state %s", id, current_.label().c_str());
    return current_;
  }
  const State before = current_;
  enter(state(command->during), command->id, command->label);
  code = call(command->label, before);
  if (code != CallbackReturn::ERROR) {
    const bool good = code == CallbackReturn::SUCCESS;
    enter(state(good ? command->success : command->failure), static_cast<std::uint8_t>(command->base + !good),
          kAnswers[!good]);
    return current_;
  }
  enter(state(S::TRANSITION_STATE_ERRORPROCESSING), static_cast<std::uint8_t>(command->base + 2), kAnswers[2]);
  const CallbackReturn handled = call("error", before);
  const int answer = handled == CallbackReturn::SUCCESS ? 0 : handled == CallbackReturn::FAILURE ? 1 : 2;
  enter(state(answer == 0 ? S::PRIMARY_STATE_UNCONFIGURED : S::PRIMARY_STATE_FINALIZED),
        static_cast<std::uint8_t>(T::TRANSITION_ON_ERROR_SUCCESS + answer), kAnswers[static_cast<std::size_t>(answer)]);
  return current_;
}

void LifecycleNode::enter(const State& next, std::uint8_t transition, const std::string& label) {
  const State before = std::exchange(current_, next);
  if (!communication_) return;
  msg::TransitionEvent event;
  event.timestamp = static_cast<std::uint64_t>(now().nanoseconds());
  event.transition.id = transition, event.transition.label = label;
  event.start_state = to_msg(before), event.goal_state = to_msg(next);
  communication_->events->publish(event);
}

bool LifecycleNode::instead_of(const std::string& label, Callback callback) {
  callbacks_[label] = std::move(callback);
  return true;
}

// What a callback throws is an error of the transition.
Return LifecycleNode::call(const std::string& label, const State& before) {
  try {
    if (const auto found = callbacks_.find(label); found != callbacks_.end()) return found->second(before);
    if (label == "configure") return on_configure(before);
    if (label == "cleanup") return on_cleanup(before);
    if (label == "activate") return on_activate(before);
    if (label == "deactivate") return on_deactivate(before);
    if (label == "shutdown") return on_shutdown(before);
    return on_error(before);
  } catch (const std::exception& e) {
    RCLCPP_ERROR(get_logger(), "Caught exception in callback for transition %s: %s", label.c_str(), e.what());
    return CallbackReturn::ERROR;
  }
}

Return LifecycleNode::on_activate(const State&) {
  for (const auto& weak : managed_)
    if (const auto entity = weak.lock()) entity->on_activate();
  return CallbackReturn::SUCCESS;
}

Return LifecycleNode::on_deactivate(const State&) {
  for (const auto& weak : managed_)
    if (const auto entity = weak.lock()) entity->on_deactivate();
  return CallbackReturn::SUCCESS;
}

}  // namespace rclcpp_lifecycle
