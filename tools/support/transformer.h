/// Transforms a dataset of one HDF5 file to a dataset of another, by this library or by FFTW.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "hybridfft/hybridfft.hpp"
#include "io/hdf5.h"

namespace hybridfft::tools {

struct TransformProblem {
  Kind kind = Kind::c2c;
  Direction direction = Direction::forward;
  bool double_precision = false;
  std::vector<std::ptrdiff_t> extents; ///< extents of the real array for r2c and c2r
  Effort effort = Effort::estimate;
  int threads = 0; ///< threads per rank; 0: OMP_NUM_THREADS
};

enum class Engine { hybridfft, fftw };

/// Reads an array, transforms it in place and writes it. All members are collective and fail on all
/// ranks alike. Call them in the order of declaration, but describe() at any time after plan().
class Transformer {
public:
  virtual ~Transformer() = default;
  /// Allocates the array and plans the transform.
  virtual void plan() = 0;
  virtual void read(const io::File &file, const std::string &dataset) = 0;
  virtual void execute() = 0;
  virtual void scale(double factor) = 0;
  /// Creates the dataset and writes it.
  virtual void write(io::File &file, const std::string &dataset) const = 0;
  /// Describes the plan, on rank 0.
  virtual std::string describe() const = 0;
};

/// Creates a transformer. Engine::hybridfft distributes the array over the ranks. Engine::fftw
/// gathers it on rank 0 and calls serial FFTW there.
std::unique_ptr<Transformer> make_transformer(Engine engine, const TransformProblem &problem,
                                              MPI_Comm comm);

} // namespace hybridfft::tools
