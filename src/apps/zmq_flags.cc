// The flags of convoy client that specify where its ZeroMQ streams are, both ways.
#include "apps/zmq.h"

namespace convoy::apps {

namespace {

constexpr const char* kProfiles[] = {"seed", "urlab01", "both"};
constexpr const char* kPictures[] = {"bare", "ucm1", "ucm2"};

}  // namespace

scenario::ZmqOptions of_client(scenario::ZmqOptions options, std::size_t index) {
  const auto shift = static_cast<std::uint16_t>(index * scenario::kZmqBlock);
  options.port = static_cast<std::uint16_t>(options.port + shift);
  options.urlab01_port = static_cast<std::uint16_t>(options.urlab01_port + shift);
  return options;
}

void add_zmq_flags(std::vector<std::string>& argv, const scenario::ZmqOptions& o) {
  for (const std::string& word : {std::string("--zmq-port"), std::to_string(o.port), std::string("--zmq-profile"),
                                  std::string(kProfiles[static_cast<int>(o.profile)]), std::string("--zmq-second-port"),
                                  std::to_string(o.urlab01_port), std::string("--zmq-pictures"),
                                  std::string(kPictures[static_cast<int>(o.pictures)]), std::string("--zmq-listen"),
                                  o.listen, std::string("--zmq-role"), std::string(name_of(o.role))})
    argv.push_back(word);
  if (o.insecure) argv.push_back("--zmq-insecure");
}

Result<scenario::ZmqOptions> zmq_options(const ZmqArguments& a) {
  scenario::ZmqOptions out;
  out.port = a.port, out.urlab01_port = a.urlab01_port, out.listen = a.listen, out.insecure = a.insecure;
  for (std::size_t i = 0; i < kAccessNames.size(); ++i)
    if (a.role == kAccessNames[i]) out.role = static_cast<Access>(i);
  for (int i = 0; i < 3; ++i)
    if (a.pictures == kPictures[i]) out.pictures = static_cast<scenario::ZmqPictures>(i);
  for (int i = 0; i < 3; ++i)
    if (a.profile == kProfiles[i]) out.profile = static_cast<scenario::ZmqProfile>(i);
  return out;
}

}  // namespace convoy::apps
