// The end of webrtcbin's search for ways between two machines.
#pragma once

#include <gst/gst.h>

namespace convoy::stream {

// Before a webrtcbin goes: from now on the thread that searches tells it nothing. In GStreamer 1.22 that thread walks over a
// list of transports, of which it may then hold the last reference, and frees the list under itself: who left while his
// candidates were gathered took the whole process with him.
void hush(GstElement* webrtc);

}  // namespace convoy::stream
