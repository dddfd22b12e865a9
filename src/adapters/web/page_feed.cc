#include "adapters/web/page_feed.h"

#include "adapters/web/frame.h"
#include "adapters/web/json_text.h"
#include "core/hash.h"

namespace convoy::web {

void PageFeed::welcome(std::vector<PageId> pages, nlohmann::json welcome, const nlohmann::json& scene,
                       const nlohmann::json& entities) {
  std::vector<std::string> texts{dump({{"scene", scene}}), dump({{"entities", entities}})};
  site_.at_desk([welcome = std::move(welcome), texts = std::move(texts), pages = std::move(pages)](PageDesk& desk) {
    for (const PageId page : pages) desk.welcome(page, welcome, texts);
  });
  hash_ = 0;
}

void PageFeed::scene(SceneFiles files, const nlohmann::json& scene) {
  site_.at_desk([files = std::move(files), text = dump({{"scene", scene}})](PageDesk& desk) mutable {
    desk.set_files(std::move(files));
    desk.change(text);
  });
}

void PageFeed::frame(Bytes frame, Moment now) {
  const std::uint64_t hash = hash64(frame);
  if (std::exchange(hash_, hash) == hash) return;
  put_number(frame, ++number_);
  site_.at_desk([number = number_, now, shared = std::make_shared<const Bytes>(std::move(frame))](PageDesk& desk) {
    desk.show(number, shared, now);
  });
}

}  // namespace convoy::web
