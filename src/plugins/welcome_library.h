// A user's own function at the server, in a shared library: it talks with programs that join.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "convoy/welcome.h"
#include "plugins/library_rule.h"
#include "world/code_file.h"
#include "world/welcome_spec.h"
#include "world/world.h"

namespace convoy {

class WelcomeLibrary {
 public:
  // The world outlives it. The Error says what is wrong with the library, its type or its parameters.
  static Result<std::unique_ptr<WelcomeLibrary>> make(const WelcomeSpec& spec, LibraryFolders folders,
                                                      const World& world, const Setup& setup);
  ~WelcomeLibrary();

  // What it threw, or sent that is too large; empty: nothing.
  std::string received(const std::string& program, ByteView bytes, const std::function<void(ByteView)>& send);
  // Its files, for the record of what a run was made with.
  std::vector<CodeFile> code() const;

 private:
  struct Inside;
  explicit WelcomeLibrary(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace convoy
