// Tests the XDMF text of outputs: one grid for each frame, or one for each tile if the output has
// tiles only.
#include <gtest/gtest.h>

#include <string>

#include "solvers/levelset/files/description.h"

namespace hybridfft::levelset {
namespace {

std::size_t count(const std::string &text, const std::string &part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++n;
  return n;
}

Problem cube() {
  Problem p;
  p.points = {{40, 50, 60}};
  p.h = 0.5;
  p.origin = {1, 2, 3};
  return p;
}

TEST(FrontDescription, TilesOnly_HasAGridForEachTile) {
  const std::vector<FrontFrame> frames{{"snapshot/000002/", 2, 0.25, 16, {{{0, 1, 2}}}},
                                       {"", 4, 0.5, 16, {{{0, 0, 0}}, {{1, 2, 3}}}}};
  const std::string text = description("folder/out.h5", cube(), frames, 8, false);
  EXPECT_EQ(count(text, "CollectionType=\"Spatial\""), 2U);
  EXPECT_EQ(count(text, "GridType=\"Uniform\""), 3U);
  EXPECT_EQ(count(text, "3DCoRectMesh\" Dimensions=\"16 16 16\""), 3U);
  EXPECT_EQ(count(text, "<Time Value"), 2U);
  // Origins of the tiles along z, y, x: 3 + 0.5 * 16 * place along z, and so on.
  for (const char *origin : {">3 10 17<", ">3 2 1<", ">11 18 25<"})
    EXPECT_EQ(count(text, origin), 1U) << origin;
  EXPECT_EQ(count(text, ">0 0 0 0 1 1 1 1 1 16 16 16<"), 2U);
  EXPECT_EQ(count(text, ">1 0 0 0 1 1 1 1 1 16 16 16<"), 1U);
  EXPECT_EQ(count(text, "Dimensions=\"1 16 16 16\""), 1U);
  EXPECT_EQ(count(text, "Dimensions=\"2 16 16 16\""), 2U);
  EXPECT_EQ(count(text, ">out.h5:/snapshot/000002/tile/phi<"), 1U);
  EXPECT_EQ(count(text, ">out.h5:/tile/phi<"), 2U);
}

TEST(FrontDescription, AllPoints_HasOneGridForEachFrame) {
  const std::string text =
      description("out.h5", cube(), {{"snapshot/000004/", 4, 0.5}, {"", 4, 0.5}}, 4, true);
  EXPECT_EQ(count(text, "GridType=\"Uniform\""), 1U); // the snapshot of the last step is omitted
  EXPECT_EQ(count(text, "Dimensions=\"40 50 60\""), 4U);
  EXPECT_EQ(count(text, ">out.h5:/density<"), 1U);
}

} // namespace
} // namespace hybridfft::levelset
