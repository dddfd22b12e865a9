// Owners of GStreamer's objects, and its start.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <string>

#include "convoy/result.h"

namespace convoy::stream {

struct Unref {
  void operator()(void* object) const {
    if (object != nullptr) gst_object_unref(object);
  }
};
template <class T>
using Gst = std::unique_ptr<T, Unref>;

struct UnrefCaps {
  void operator()(GstCaps* caps) const { gst_caps_unref(caps); }
};
using Caps = std::unique_ptr<GstCaps, UnrefCaps>;

struct FreeError {
  void operator()(GError* error) const { g_error_free(error); }
};
using GErrorPtr = std::unique_ptr<GError, FreeError>;

struct UnrefPromise {
  void operator()(GstPromise* promise) const { gst_promise_unref(promise); }
};
using Promise = std::unique_ptr<GstPromise, UnrefPromise>;

// Once for the process. kUnsupported: GStreamer does not start here.
Status start_gstreamer();

// Is there such an element?
bool has_element(const char* name);
// kUnsupported, with the package of Debian that has it.
Error lacks_element(const char* name);

}  // namespace convoy::stream
