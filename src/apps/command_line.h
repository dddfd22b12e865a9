// The command line as a tree: every subcommand with its options, built once and read by main(), the help and the shell
// completion. What each command does is in a file of its own; their options are in options_*.cc.
#pragma once

#include <CLI/CLI.hpp>

#include "apps/arguments.h"

namespace convoy::apps {

using Body = std::function<int(const Arguments&)>;

class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Reads the arguments; runs nothing. An exit code if that is all there is to do (help, version, a mistake, which has
  // been complained about).
  std::optional<int> parse(int argc, const char* const* argv);
  // The chosen command.
  int run() const { return body_(arguments); }

  // A subcommand of `parent` with the options that all have: --help, --log-level, and --json where it prints data.
  CLI::App& add(CLI::App& parent, const std::string& name, const std::string& help, Body body, bool prints_data = true);
  CLI::App& root() { return app_; }
  const CLI::App& root() const { return app_; }

  Arguments arguments;

 private:
  std::vector<CLI::App*> chosen(int argc, const char* const* argv, std::string& unknown);
  int explain(const CLI::ParseError& error, const std::vector<CLI::App*>& path);

  CLI::App app_;
  Body body_;
};

// Called by the constructor, in the order of the help.
void add_scenario_commands(CommandLine& line);  // run, launch, server, client, check, export, map
void add_record_commands(CommandLine& line);    // replay, plot
void add_stream_commands(CommandLine& line);    // viewer, signaling
void add_job_command(CommandLine& line);
void add_sweep_command(CommandLine& line);
void add_ctl_command(CommandLine& line);
void add_inspect_commands(CommandLine& line);  // topic, param
// Takes from the words of `node run` those behind PACKAGE and EXECUTABLE, which are the program's.
std::vector<std::string> take_program(std::vector<std::string>& words, const std::vector<CLI::App*>& path);
// --connect and its kin, for commands that connect to a running server.
// Of whoever runs nodes.
void add_strict_threads(CLI::App& app, Arguments& arguments);
// --allow-library, --strict-threads and --trust: of whoever loads users' files and code.
void add_code(CLI::App& app, Arguments& arguments);
void add_reach(CLI::App& app, Arguments& arguments, bool environment);
// --record-scene, --record-tf and --record-sensors, for commands that record (`record`: their option --record).
void add_view(CLI::App& app, RecordArguments& arguments, CLI::Option* record);
// Of a page for browsers.
void add_page(CLI::App& app, WebArguments& a);
// Who a web server is to browsers: its names and its certificate.
void add_web_server(CLI::App& app, WebArguments& a);
// What is streamed: views, size, codec.
void add_video(CLI::App& app, StreamArguments& a);
// --connect, --name, --credentials, of members of a run.
void add_connect(CLI::App& app, Arguments& a, const char* name);
void add_ros2_commands(CommandLine& line);
void add_info_commands(CommandLine& line);  // version, doctor, completion

// Takes the words of components and ROS arguments, whose order counts, out of a command line of `job`. What is wrong
// with them, or nothing.
std::optional<std::string> take_components(std::vector<std::string>& words, JobArguments& job);

// What the shells complete by, made from the tree.
int completion(const CommandLine& line, const std::string& shell);
int man_page(const CommandLine& line);

}  // namespace convoy::apps
