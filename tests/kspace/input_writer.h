/// Writes small k-Wave input files for tests, valid or deliberately invalid.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "io/hdf5.h"
#include "solvers/kspace/base/local_grid.h"

namespace hybridfft::test {

class InputWriter {
public:
  /// Describes a valid file of version 1.2: a uniform lossless medium (1500 m/s, 1000 kg/m^3),
  /// spacings of 1.0, 1.2 and 0.9 mm, dt = 0.2 us, no PML, no source, one sensor point.
  InputWriter(const kspace::Extents &n, std::uint64_t steps);

  InputWriter &integer(const std::string &name, std::int64_t value);
  InputWriter &real(const std::string &name, double value);
  /// Sets a dataset of shape [Nz][Ny][Nx], x fastest.
  InputWriter &field(const std::string &name, std::vector<float> values);
  /// Sets a list of one-based indices, shape [1][1][values].
  InputWriter &indices(const std::string &name, std::vector<std::uint64_t> values);
  /// Set a dataset of any shape.
  InputWriter &array(const std::string &name, io::Shape shape, std::vector<float> values);
  InputWriter &array(const std::string &name, io::Shape shape, std::vector<std::uint64_t> values);
  /// Sets a dataset in double precision.
  InputWriter &array(const std::string &name, io::Shape shape, std::vector<double> values);
  InputWriter &remove(const std::string &name);
  /// Sets an attribute of the root, or of a dataset by "dataset/name"; an empty value removes it.
  InputWriter &attribute(const std::string &name, const std::string &value);

  std::vector<std::string> names() const;
  /// Replaces the value at a position of a dataset, modulo its size.
  InputWriter &set_value(const std::string &name, std::size_t at, double value);

  /// Returns the position in a field of a point with zero-based indices.
  std::size_t point(std::ptrdiff_t x, std::ptrdiff_t y, std::ptrdiff_t z) const;
  std::size_t points() const;
  const kspace::Extents &extents() const { return n_; }

  /// Writes the file. Collective.
  void write(const std::string &path, MPI_Comm comm) const;

private:
  struct Dataset {
    io::Shape shape;
    std::variant<std::vector<float>, std::vector<double>, std::vector<std::uint64_t>,
                 std::vector<std::int64_t>>
        values;
  };
  kspace::Extents n_;
  std::map<std::string, Dataset> datasets_;
  std::map<std::string, std::string> attributes_;
};

} // namespace hybridfft::test
