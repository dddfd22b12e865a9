// What code that the State Machine Compiler has made for C++ uses: states, and a context that knows in which one it is.
//
//   class DoorContext : public statemap::FSMContext { ... };   // made by the compiler
//   context.setTransition("open"); context.getState().open(context); context.setTransition(nullptr);
//
// Between the exit of one state and the entry of the next there is none: a transition from there throws
// StateUndefinedException, one that a state does not have TransitionUndefinedException.
#pragma once

#include <iostream>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace statemap {

class SmcException : public std::runtime_error {
 public:
  explicit SmcException(const std::string& reason) : std::runtime_error(reason) {}
};

class StateUndefinedException : public SmcException {
 public:
  StateUndefinedException() : SmcException("transition invoked while in transition") {}
};

class TransitionUndefinedException : public SmcException {
 public:
  TransitionUndefinedException() : SmcException("no such transition in current state") {}
  // Either may be null.
  TransitionUndefinedException(const char* state, const char* transition)
      : SmcException("no such transition in current state"), state_(text(state)), transition_(text(transition)) {}
  // Empty: not known.
  const char* getState() const { return state_.c_str(); }
  const char* getTransition() const { return transition_.c_str(); }

 private:
  static std::string text(const char* words) { return words ? words : ""; }
  std::string state_, transition_;
};

class PopStateException : public SmcException {
 public:
  PopStateException() : SmcException("no state to pop") {}
};

class State {
 public:
  // An empty name if it is null.
  State(const char* name, int id) : name_(name ? name : "NAME NOT SET"), id_(id) {}
  virtual ~State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  const char* getName() const { return name_.c_str(); }
  int getId() const { return id_; }

 private:
  std::string name_;
  int id_;
};

class FSMContext {
 public:
  virtual ~FSMContext() = default;
  FSMContext(const FSMContext&) = delete;
  FSMContext& operator=(const FSMContext&) = delete;

  // What the compiler's code writes about each transition, if it was made so.
  bool getDebugFlag() const { return debug_; }
  void setDebugFlag(bool debug) { debug_ = debug; }
  std::ostream& getDebugStream() const { return *stream_; }
  void setDebugStream(std::ostream& stream) { stream_ = &stream; }

  // No state now: one has been left, and the next one not been entered.
  bool isInTransition() const { return !_state; }
  // Null before the first transition.
  State* getPreviousState() const { return _previous_state; }
  // The name of the transition under way; null where there is none.
  const char* getTransition() const { return _transition.empty() ? nullptr : _transition.c_str(); }
  void setTransition(const char* name) { _transition = name ? name : ""; }

  void clearState() {
    _previous_state = _state;
    _state = nullptr;
  }
  // States live longer than contexts.
  void setState(const State& state) {
    if (_state) _previous_state = _state;
    _state = const_cast<State*>(&state);
    if (debug_) *stream_ << "ENTER STATE     : " << state.getName() << '\n';
  }
  // The one that there is, if any, is come back to by popState().
  void pushState(const State& state) {
    if (_state) stack_.push_back(_state);
    setState(state);
  }
  // Throws PopStateException where nothing was pushed.
  void popState() {
    if (stack_.empty()) throw PopStateException();
    State* const state = stack_.back();
    stack_.pop_back();
    setState(*state);
  }
  void emptyStateStack() { stack_.clear(); }

 protected:
  FSMContext() = default;
  // The compiler's code reads these by their names.
  State* _state = nullptr;
  State* _previous_state = nullptr;
  std::string _transition;

 private:
  std::vector<State*> stack_;
  bool debug_ = false;
  std::ostream* stream_ = &std::cerr;
};

}  // namespace statemap
