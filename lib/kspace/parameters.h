/// The scalars of an input file: what is simulated.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "kspace/input_file.h"
#include "kspace/slab.h"

namespace hybridfft::kspace {

/// How a source value meets the field (dataset p_source_mode).
enum class SourceMode : std::uint64_t {
  dirichlet = 0, ///< replaces the value
  additive = 1   ///< is added, without a k-space correction
};

struct Parameters {
  Extents n{};                      ///< Nx, Ny, Nz
  std::int64_t steps = 0;           ///< Nt
  float dt = 0;                     ///< time step in s
  std::array<float, 3> spacing{};   ///< dx, dy, dz in m
  float c_ref = 0;                  ///< reference sound speed in m/s
  Extents pml_size{};               ///< points per side along x, y, z
  std::array<float, 3> pml_alpha{}; ///< absorption in Np per grid point
  bool initial_pressure = false;    ///< p0_source_flag
  std::int64_t p_source_steps = 0;  ///< p_source_flag: time samples of the pressure source
  SourceMode p_source_mode = SourceMode::dirichlet;
  bool p_source_many = false; ///< one signal per source point, not one for all
  std::string description;    ///< file_description
};

/// Reads and checks them. Throws InputError for values that make no sense, and Unsupported for
/// physics that is right but not in this version. Collective.
Parameters read_parameters(const InputFile &file);

} // namespace hybridfft::kspace
