/// Media given by a volume of tissue labels and a table of tissues. Edges between tissues are
/// sharp, or smoothed by level sets.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5.h"
#include "support/phantom/medium.h"
#include "support/phantom/options.h"

namespace hybridfft::tools::phantom {

/// A row of the table: the label of a tissue and its properties.
struct Tissue {
  std::int64_t label = 0;
  Material material;
  double absorption = 0.;   ///< dB/(MHz^y cm)
  double nonlinearity = 0.; ///< B/A
};

/// Everything in the labels' file except the labels themselves.
struct LabelVolume {
  std::string path;
  Index extents{};     ///< x, y, z
  double spacing = 0.; ///< m; 0 if the file has no spacing
  std::vector<Tissue> tissues;
  bool coefficients = false; ///< true if the table has absorption and nonlinearity
  Edges edges = Edges::smooth;
  double edge_width = 0.75; ///< half width of a smooth edge, in points

  /// Range of sound speeds of the tissues.
  PhantomMedium::SpeedRange speeds() const;
  /// Returns the tissue at a point. Collective. Throws std::invalid_argument for a label without a
  /// row.
  const Tissue &at(const Index &point, MPI_Comm comm) const;
};

/// Reads the table and the extents. Collective.
/// \throws io::IoError or std::invalid_argument with the file, the dataset, the value found and the
/// value expected, on all ranks alike
LabelVolume read_label_volume(const PhantomOptions &options, MPI_Comm comm);

/// Writes c0, rho0, the staggered densities and, if `coefficients` is set, alpha_coeff and BonA.
/// Values do not depend on the number of ranks. Collective. Throws as read_label_volume(), also for
/// labels without a row.
void write_labelled_medium(io::File &file, const LabelVolume &labels, double spacing,
                           MPI_Comm comm);

} // namespace hybridfft::tools::phantom
