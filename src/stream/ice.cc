#include "stream/ice.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace convoy::stream {

namespace {

constexpr auto kPatience = std::chrono::seconds(2);  // that thread answers at once, if it runs

struct Hushing {
  GObject* agent;  // owned
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;

  explicit Hushing(GObject* libnice) : agent(libnice) {}
  Hushing(const Hushing&) = delete;
  Hushing& operator=(const Hushing&) = delete;
  ~Hushing() { g_object_unref(agent); }
};
using Shared = std::shared_ptr<Hushing>;

gboolean block_all(gpointer data) {
  Hushing& hushing = **static_cast<Shared*>(data);
  guint count = 0;
  guint* const ids = g_signal_list_ids(G_OBJECT_TYPE(hushing.agent), &count);
  // One by one: until GLib 2.78 g_signal_handlers_block_matched() does nothing for who names the signal alone.
  constexpr auto kOpen = static_cast<GSignalMatchType>(G_SIGNAL_MATCH_ID | G_SIGNAL_MATCH_UNBLOCKED);
  for (guint i = 0; i < count; ++i)
    while (const gulong handler = g_signal_handler_find(hushing.agent, kOpen, ids[i], 0, nullptr, nullptr, nullptr))
      g_signal_handler_block(hushing.agent, handler);
  g_free(ids);
  const std::scoped_lock lock(hushing.mutex);
  hushing.done = true;
  hushing.changed.notify_all();
  return G_SOURCE_REMOVE;
}

void drop(gpointer data) { delete static_cast<Shared*>(data); }

// The property of an object that is another one; owned. Null: there is none.
GObject* object_of(GObject* of, const char* name) {
  GObject* out = nullptr;
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(of), name) != nullptr) g_object_get(of, name, &out, nullptr);
  return out;
}

}  // namespace

void hush(GstElement* webrtc) {
  GObject* const ice = object_of(G_OBJECT(webrtc), "ice-agent");
  if (ice == nullptr) return;
  GObject* const agent = object_of(ice, "agent");
  g_object_unref(ice);
  if (agent == nullptr) return;
  const auto hushing = std::make_shared<Hushing>(agent);
  gpointer context = nullptr;
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(agent), "main-context") != nullptr)
    g_object_get(agent, "main-context", &context, nullptr);
  if (context == nullptr) return;
  g_main_context_invoke_full(static_cast<GMainContext*>(context), G_PRIORITY_HIGH, block_all, new Shared(hushing),
                             drop);
  std::unique_lock lock(hushing->mutex);
  hushing->changed.wait_for(lock, kPatience, [&] { return hushing->done; });
}

}  // namespace convoy::stream
