// Options of the commands that are programs of ROS 2 beside a run.
#include "apps/command_line.h"

namespace convoy::apps {

void add_ros2_commands(CommandLine& line) {
  Ros2Arguments& a = line.arguments.ros2;
  CLI::App& ros2 = line.add(line.root(), "ros2", "Programs of ROS 2, which need no ROS installed", {}, false);
  ros2.require_subcommand(1);
  CLI::App& spawn =
      line.add(ros2, "random-spawn", "Spawn robots at random places through one client, and drive each about",
               ros2_random_spawn, false);
  spawn.add_option("--namespace", a.spawn.ns,
                   "of the client that is asked, and then runs them: NetworkPC1; default: the root");
  spawn.add_option("--name", a.spawn.name, "of the robot; of several the beginning: amr1, amr2, ...")
      ->capture_default_str();
  spawn.add_option("--count", a.spawn.count, "robots")->capture_default_str()->check(CLI::Range(1, 10'000));
  spawn.add_option("--duration", a.spawn.duration, "s of real time that they drive; default: until Ctrl-C")
      ->check(CLI::Range(0.0, 1e9));
  spawn.add_option("--seed", a.spawn.seed, "of places, models and ways; default: another one each time");
  spawn.add_option("-p,--param", a.parameters, "NAME:=VALUE, as a program of ROS 2 takes it")->allow_extra_args(false);
  spawn.add_option("--domain", a.domain, "of ROS 2; default: ROS_DOMAIN_ID, else 0")->check(CLI::Range(0, 232));
  spawn.add_option("--timeout", a.timeout, "s until the services are there, and until each reply")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 3600.0));
  spawn.footer(
      "Parameters: robot_name, robot_num, start_index, service_namespace, duration, seed; models, as\n"
      "[turtlebot3_burger, turtlebot3_waffle]; x_lim, y_lim (m), linear_vel_lim (m/s), angular_vel_lim (rad/s), as "
      "[-2.5, 2.5].\n"
      "A robot that is there already stays where it is. What is spawned stays after the end.");

  BagArguments& bag = a.bag;
  CLI::App& record = line.add(ros2, "record", "Record topics into a bag, as ros2 bag record does", ros2_record, false);
  record.add_option("TOPICS", bag.topics, "full names, or regular expressions for all of a name; default: all");
  record.add_option("-o,--output", bag.file, "F.mcap, or a folder, made with an F_0.mcap and a metadata.yaml")
      ->required();
  record.add_option("--exclude", bag.exclude, "topics that are left out, likewise; may be repeated")
      ->allow_extra_args(false);
  record.add_option("--compression", bag.compression, "of chunks")
      ->capture_default_str()
      ->check(CLI::IsMember({"none", "zstd", "lz4"}));
  record.add_flag("--overwrite", bag.overwrite, "a bag of that name");
  record.add_option("--duration", bag.duration, "s of real time; default: until Ctrl-C")->check(CLI::Range(0.0, 1e9));
  record.add_option("--domain", a.domain, "of ROS 2; default: ROS_DOMAIN_ID, else 0")->check(CLI::Range(0, 232));

  BridgeArguments& b = a.bridge;
  CLI::App& bridge = line.add(line.root(), "ros2-bridge",
                              "Turn streams over ZeroMQ, of Convoy or URLab, into topics of ROS 2", ros2_bridge, false);
  bridge.add_option("--main_endpoint", b.main, "states and sensors")->capture_default_str();
  bridge.add_option("--camera_endpoint", b.cameras, "pictures; may be repeated")->allow_extra_args(false);
  bridge.add_option("--control_endpoint", b.control, "where controls go; default: the port behind the main one's");
  bridge.add_option("--info_endpoint", b.info, "names of actuators; default: the port behind that");
  bridge.add_option("--width", b.width, "px, of pictures without a header")->capture_default_str();
  bridge.add_option("--height", b.height)->capture_default_str();
  bridge.add_flag("--per-joint", b.per_joint, "one message of joint_states a joint, as URLab's broadcaster");
  bridge.add_option("--domain", a.domain, "of ROS 2; default: ROS_DOMAIN_ID, else 0")->check(CLI::Range(0, 232));
}

}  // namespace convoy::apps
