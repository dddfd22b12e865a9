// What differs between Embree 3 and 4: the context of a query, and where its flags stand.
#pragma once

#if CONVOY_EMBREE == 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

namespace convoy::embree {

#if CONVOY_EMBREE == 4
using Context = RTCRayQueryContext;

// Of one ray, and of eight that run much alike, those whose `valid` is -1. What user geometries are asked for gets the
// context's address.
inline void intersect(RTCScene scene, Context& context, RTCRayHit& ray) {
  rtcInitRayQueryContext(&context);
  RTCIntersectArguments arguments;
  rtcInitIntersectArguments(&arguments);
  arguments.context = &context;
  rtcIntersect1(scene, &ray, &arguments);
}
inline void intersect(const int* valid, RTCScene scene, Context& context, RTCRayHit8& rays) {
  rtcInitRayQueryContext(&context);
  RTCIntersectArguments arguments;
  rtcInitIntersectArguments(&arguments);
  arguments.context = &context;
  arguments.flags = RTC_RAY_QUERY_FLAG_COHERENT;
  rtcIntersect8(valid, scene, &rays, &arguments);
}
#else
using Context = RTCIntersectContext;

inline void intersect(RTCScene scene, Context& context, RTCRayHit& ray) {
  rtcInitIntersectContext(&context);
  rtcIntersect1(scene, &context, &ray);
}
inline void intersect(const int* valid, RTCScene scene, Context& context, RTCRayHit8& rays) {
  rtcInitIntersectContext(&context);
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  rtcIntersect8(valid, scene, &context, &rays);
}
#endif

}  // namespace convoy::embree
