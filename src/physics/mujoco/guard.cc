#include "physics/mujoco/guard.h"

#include <mujoco/mujoco.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>

namespace convoy::mujoco {

namespace {

// Where an error of this thread goes. Plain data: it is written while MuJoCo's frames are being left.
struct Exit {
  std::jmp_buf to;
  char text[1024];
  Exit* outer;
};
thread_local Exit* innermost = nullptr;
thread_local char first_warning[1024];

void copy_text(char (&to)[1024], const char* from) { std::snprintf(to, sizeof to, "%s", from); }

void on_log(const mjLogMessage* message) {
  if (message->level == mjLOG_WARNING && !first_warning[0]) copy_text(first_warning, message->subject);
  if (message->level != mjLOG_ERROR) return;
  if (!innermost) {  // a call without a guard: a bug of ours
    std::fprintf(stderr, "convoy: MuJoCo outside of a guard: %s\n", message->subject);
    std::abort();
  }
  copy_text(innermost->text, message->subject);
  std::longjmp(innermost->to, 1);
}

}  // namespace

void take_over_log() { mju_setLogHandler(on_log); }

bool guarded(std::string& trouble, void (*call)(void*), void* context) {
  Exit here;
  here.outer = innermost;
  innermost = &here;
  const bool raised = setjmp(here.to) != 0;
  if (!raised) call(context);
  innermost = innermost->outer;
  if (!raised) return true;
  // MuJoCo writes what it needs on further lines; the first is what happened.
  trouble = here.text;
  for (char& c : trouble)
    if (c == '\n') c = ' ';
  return false;
}

std::string take_warning() {
  std::string text = first_warning;
  first_warning[0] = 0;
  return text;
}

}  // namespace convoy::mujoco
