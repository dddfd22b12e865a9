// Nothing is hidden in this library.
#pragma once

#define TF2_PUBLIC
#define TF2_LOCAL
#define TF2_EXPORT
#define TF2_IMPORT
#define TF2SIMD_FORCE_INLINE inline
