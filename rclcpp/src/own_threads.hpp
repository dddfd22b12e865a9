// Whose a thread is that node code makes: the node's own, in its order, or one of a pool of a library.
#pragma once

#include <pthread.h>

namespace convoy::ros {

// pthread_create() for whoever called it from there; `real` is the C library's.
using RealCreate = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
int create_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument,
                  const void* caller, RealCreate real);

}  // namespace convoy::ros
