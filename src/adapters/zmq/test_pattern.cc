#include "adapters/zmq/test_pattern.h"

namespace convoy::zmq {

namespace {

constexpr int kCell = 20;  // pixels of one dot of a letter
constexpr const char* kWord[] = {"#####.#####.#####.#####", "..#...#.....#.......#..", "..#...####..#####...#..",
                                 "..#...#.........#...#..", "..#...#####.#####...#.."};
constexpr std::uint8_t kBars[7][3] = {{192, 192, 192}, {0, 192, 192}, {192, 192, 0}, {0, 192, 0},
                                      {192, 0, 192},   {0, 0, 192},   {192, 0, 0}};  // B, G, R

bool in_word(int x, int y) {
  const int column = (x - 90) / kCell, row = (y - 190) / kCell;
  return x >= 90 && y >= 190 && row < 5 && column < 23 && kWord[row][column] == '#';
}

}  // namespace

void put_test_pattern(Bytes& out, std::uint64_t frame) {
  out.resize(static_cast<std::size_t>(kPictureWidth) * kPictureHeight * 4);
  std::uint8_t* pixel = out.data();
  const int line = static_cast<int>(frame * 4 % kPictureWidth);
  for (int y = 0; y < kPictureHeight; ++y)
    for (int x = 0; x < kPictureWidth; ++x, pixel += 4) {
      const bool white = x / 4 == line / 4 || in_word(x, y);
      for (int c = 0; c < 3; ++c) pixel[c] = white ? 255 : kBars[x * 7 / kPictureWidth][c];
      pixel[3] = 255;
    }
}

}  // namespace convoy::zmq
