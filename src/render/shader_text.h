// Pieces of the programs, in GLSL. What is defined when they are compiled is in shaders.cc.
#pragma once

namespace convoy::render::text {

extern const char* const kFrame;       // what all of them know of a picture
extern const char* const kTone;        // light to what is shown
extern const char* const kCorner;      // of shapes
extern const char* const kSkyCorner;   // of the whole picture
extern const char* const kLight;       // sky, rain and the last step, of all pixels
extern const char* const kSkyPixel;    // of the sky
extern const char* const kPixelParts;  // of shapes: exact surfaces, shadows, materials
extern const char* const kPixelMain;   // of shapes

}  // namespace convoy::render::text
