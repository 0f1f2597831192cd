/// Unpacks inputs of tests/data whose arrays are stored compactly (see tests/data/kwave/README.md).
#pragma once

#include <hdf5.h>

#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/hdf5.h"

namespace hybridfft::test {

namespace packed {

using Words = std::vector<std::uint32_t>;

/// Calls f(value, previous value along the axis) for all values except the first ones, in ascending
/// order; n = {Nz, Ny, Nx}.
template <class Values, class F>
void along(const io::Shape &n, std::size_t axis, Values &values, const F &f) {
  std::size_t stride = 1;
  for (std::size_t a = axis + 1; a < 3; ++a)
    stride *= n[a];
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i / stride % n[axis] > 0) f(values[i], values[i - stride]);
}

/// Decodes unsigned numbers 0, 1, 2, 3, ... to signed numbers 0, -1, 1, -2, ...
inline void unfold(Words &words) {
  for (std::uint32_t &w : words)
    w = (w >> 1) ^ (0U - (w & 1U));
}

/// Converts differences along x, y and z to values by cumulative sums.
inline std::vector<float> sums(const io::Shape &n, Words words) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    along(n, axis, words, [](std::uint32_t &w, std::uint32_t before) { w += before; });
  std::vector<float> values;
  for (const std::uint32_t w : words)
    values.push_back(std::bit_cast<float>(w));
  return values;
}

/// Returns staggered densities: the mean of a point and the next one along an axis, corrected by
/// `words`. The last point keeps its density.
inline std::vector<float> staggered(const io::Shape &n, std::size_t axis,
                                    std::vector<float> density, const Words &words) {
  along(n, axis, density, [](float next, float &here) {
    here = static_cast<float>((static_cast<double>(here) + static_cast<double>(next)) / 2);
  });
  for (std::size_t i = 0; i < density.size(); ++i)
    density[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(density[i]) + words[i]);
  return density;
}

} // namespace packed

/// Copies `folder`/NAME_input.h5 to `path` and adds the arrays of `folder`/NAME_fields_1.h5 and
/// _2.h5, if these exist. Called on one rank.
inline void unpack_input(const std::string &folder, const std::string &name,
                         const std::string &path) {
  namespace fs = std::filesystem;
  fs::copy_file(folder + "/" + name + "_input.h5", path, fs::copy_options::overwrite_existing);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const auto write = [&](const char *dataset, const std::vector<float> &values) {
    const hid_t data = H5Dopen2(file, dataset, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
  };
  for (const char *part : {"_fields_1.h5", "_fields_2.h5"}) {
    const std::string from = folder + "/" + name + part;
    if (!fs::exists(from)) continue;
    const io::File fields = io::File::open(from, MPI_COMM_SELF);
    const auto words = [&](const char *dataset) {
      packed::Words w;
      for (const std::int64_t v : fields.read_all<std::int64_t>(dataset))
        w.push_back(static_cast<std::uint32_t>(v));
      packed::unfold(w);
      return w;
    };
    std::vector<float> density;
    for (const char *dataset : {"c0", "rho0", "alpha_coeff", "BonA"}) {
      if (!fields.exists(dataset)) continue;
      const io::Shape n = fields.info(dataset).shape;
      const std::vector<float> values = packed::sums(n, words(dataset));
      write(dataset, values);
      if (dataset == std::string("rho0")) density = values;
    }
    if (density.empty()) continue;
    constexpr std::array<const char *, 3> staggered{"rho0_sgz", "rho0_sgy", "rho0_sgx"};
    for (std::size_t axis = 0; axis < 3; ++axis)
      write(staggered[axis],
            packed::staggered(fields.info("rho0").shape, axis, density, words(staggered[axis])));
  }
  H5Fclose(file);
}

} // namespace hybridfft::test
