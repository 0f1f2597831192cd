// The emulated device: what goes wrong on a GPU goes wrong here.
#include <gtest/gtest.h>

#include <vector>

#include "device/emulated.h"
#include "device/launch.h"
#include "hybridfft/error.hpp"

namespace {

using namespace hybridfft::device;

struct Doubled {
  double *values;
  void operator()(Index, Index, Index k) const { values[k] *= 2; }
};

TEST(Emulated, WorkOnCopiesComesBack) {
  const auto runtime = make_emulated({.bytes = 1 << 20, .devices = 1, .delays = {}});
  const std::vector<double> values{1, 2, 3};
  const Array<double> array(*runtime, values.data(), values.size());
  launch(runtime->compute(), hybridfft::grid::Box(1, 1, 3), Doubled{array.data()});
  std::vector<double> back(3);
  runtime->compute().copy(back.data(), array.data(), array.bytes());
  EXPECT_EQ(back, (std::vector<double>{2, 4, 6}));
}

} // namespace
