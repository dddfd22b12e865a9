// Options of the commands that stream video: viewer, signaling.
#include "apps/command_line.h"
#include "apps/stream.h"

namespace convoy::apps {

void add_video(CLI::App& app, StreamArguments& a) {
  app.add_option("--view", a.views,
                 "of the video: free, orbit, above, follow:ROBOT or ROBOT/CAMERA; several: players choose")
      ->allow_extra_args(false);
  app.add_option("--size", a.size, "of the video, px")->type_name("WIDTHxHEIGHT")->capture_default_str();
  app.add_option("--fps", a.rate, "pictures of the video a second, at most")
      ->check(CLI::Range(1, 120))
      ->capture_default_str();
  app.add_option("--quality", a.quality,
                 "of the video: nice, plain, which is drawn faster, or auto: as this machine comes along")
      ->check(CLI::IsMember({"auto", "plain", "nice"}))
      ->capture_default_str();
  app.add_option("--codec", a.codec, "of the video: vp8 or h264")
      ->check(CLI::IsMember({"vp8", "h264"}))
      ->capture_default_str();
  app.add_option("--bitrate", a.bitrate, "of each stream, kbit/s, at most")
      ->check(CLI::Range(50, 100'000))
      ->capture_default_str();
  app.add_flag("--stamp", a.stamped)->group("");
}

void add_stream_commands(CommandLine& line) {
  Arguments& a = line.arguments;
  StreamArguments& s = a.stream;

  CLI::App& viewer_command = line.add(line.root(), "viewer", "Stream video of a run to browsers", viewer, false);
  add_connect(viewer_command, a, "of this connection, and what its streams are called by");
  viewer_command.add_option("--signaling", s.signaling, "the signaling server, ws://HOST:PORT/streamer or wss://...")
      ->capture_default_str()
      ->envname("CONVOY_SIGNALING")
      ->type_name("URL");
  viewer_command.add_option("--streamer-token", s.streamer_token, "what it asks streamers for")
      ->envname("CONVOY_STREAMER_TOKEN");
  viewer_command.add_option("--signaling-ca", s.authority, "a certificate (PEM) that signs its, beside the system's")
      ->type_name("FILE");
  viewer_command
      .add_option("--ice-address", s.ice_addresses,
                  "an address of this machine at which players reach it; default: all, or 127.0.0.1 if the signaling "
                  "server is there")
      ->allow_extra_args(false);
  viewer_command.add_option("--direct", s.direct,
                            "where players come whom WebRTC does not reach, ADDR:PORT; port 0 is a free one");
  viewer_command
      .add_option("--origin", s.origins,
                  "of a page that may come there, beside the signaling server's, as https://app.example")
      ->allow_extra_args(false);
  viewer_command.add_flag("--insecure", a.credentials.insecure, "serve beyond this machine, without encryption");
  add_web_server(viewer_command, a.web);
  add_video(viewer_command, s);
  CLI::Option* movie =
      viewer_command.add_option("--movie", a.movie.file, "film the run instead, until it ends: .webm, or .mp4")
          ->type_name("FILE");
  viewer_command.add_option("--duration", a.run.duration, "of the film, in simulated time, as 20s")->needs(movie);
  viewer_command.add_option("--recording", a.file, "film this recording instead of a run (MCAP)")
      ->needs(movie)
      ->type_name("FILE");

  CLI::App& signaling_command =
      line.add(line.root(), "signaling", "Introduce browsers to those who stream video", signaling);
  signaling_command
      .add_option("--listen", s.listen, "where players and streamers come, ADDR:PORT; port 0 is a free one")
      ->capture_default_str()
      ->envname("CONVOY_SIGNALING_LISTEN");
  signaling_command
      .add_option("--player-token", s.player_token, "what players are asked for; default: drawn at random")
      ->envname("CONVOY_PLAYER_TOKEN");
  signaling_command
      .add_option("--streamer-token", s.streamer_token, "what streamers are asked for; default: drawn at random")
      ->envname("CONVOY_STREAMER_TOKEN");
  signaling_command.add_flag("--open", s.open, "everybody may look, without a token");
  signaling_command.add_option("--origin", s.origins, "a page from elsewhere that may connect, as https://app.example")
      ->allow_extra_args(false);
  signaling_command.add_option("--stun", s.stun, "a STUN server, HOST:PORT")->allow_extra_args(false);
  CLI::Option* turn =
      signaling_command.add_option("--turn", s.turn, "a TURN server, HOST:PORT, perhaps with ?transport=tcp")
          ->allow_extra_args(false);
  CLI::Option* secret =
      signaling_command.add_option("--turn-secret", s.turn_secret, "that it shares, for credentials that expire")
          ->envname("CONVOY_TURN_SECRET");
  turn->needs(secret);
  signaling_command.add_option("--turn-lasts", s.turn_lasts, "such a credential, s")
      ->check(CLI::Range(10, 604'800))
      ->capture_default_str();
  signaling_command.add_option("--max-players", s.max_players, "at a time")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  signaling_command.add_flag("--insecure", a.credentials.insecure, "serve beyond this machine, without encryption");
  add_web_server(signaling_command, a.web);
  signaling_command.add_option("--page", a.web.page, "folder of the page; default: this build's")->group("");
}

}  // namespace convoy::apps
