// The web server with the built page, as the command line asks for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/web/site.h"
#include "apps/arguments.h"

namespace convoy::apps {

// To a page, or for a client of Foxglove's: for programs, for people, and the address with its token.
struct WebLink {
  std::string key, words, address;
};

struct OpenedSite {
  std::unique_ptr<web::Site> site;
  std::vector<WebLink> links;
};

// The Error is for the user: an address that is none or is taken, a page that nobody may reach, a build without one.
Result<OpenedSite> open_site(const Arguments& arguments);

// To stdout, a line for each, or one object.
void print_links(const std::vector<WebLink>& links, bool json);

}  // namespace convoy::apps
