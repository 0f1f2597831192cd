/// Reads and checks the HDF5 input of the Euler solver: mesh, fluid, boundary conditions and
/// initial state.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/checksum.h"
#include "io/hdf5.h"
#include "io/xdmf_text.h"
#include "solvers/euler/solver.h"

namespace hybridfft::euler {

using io::number_text;

/// Returns the names of the fields: rho, u, v[, w], p.
inline std::vector<std::string> field_names(int dimensions) {
  if (dimensions == 2) return {"rho", "u", "v", "p"};
  return {"rho", "u", "v", "w", "p"};
}

/// Input file, open for reading. All members are collective. They throw io::IoError or
/// Error(HFFT_ERROR_ARGUMENT) on all ranks. Messages name the dataset, the value found and the
/// value expected.
class CaseFile {
public:
  CaseFile(const std::string &path, const grid::Communicator &comm);

  const std::string &path() const { return file_.path(); }
  const Problem &problem() const { return problem_; }
  /// Leaves of the input; empty if the initial mesh consists of the trees (level 0).
  const std::vector<grid::Leaf> &leaves() const { return leaves_; }
  /// Names and texts of the attributes of the file, to be copied to the output.
  const std::vector<std::pair<std::string, std::string>> &attributes() const { return attributes_; }
  const std::vector<std::string> &warnings() const { return warnings_; }
  /// Checksum of the initial state, the same for any number of ranks.
  std::int64_t fingerprint() const { return fingerprint_; }

  /// Sets the initial state of all leaves of this rank.
  template <class Real> void set(Solver<Real> &solver) const;

private:
  /// Layout of a field in the file: one number, an array of all cells of the finest level, or an
  /// array [leaves][cells of a block].
  enum class Layout { number, finest, blocks };
  struct CaseField {
    std::string name;
    Layout layout = Layout::number;
    double value = 0;
    bool flat = false; ///< true for an array [1][Ny][Nx] in two dimensions
  };

  /// Throws Error(HFFT_ERROR_ARGUMENT): "FILE: `what`: found `found`, expected `expected`".
  [[noreturn]] void refuse(const std::string &what, const std::string &found,
                           const std::string &expected) const;
  bool has(const std::string &name) const;
  std::vector<double> values(const std::string &name) const;
  std::optional<double> optional_number(const std::string &name) const;
  double number(const std::string &name, std::optional<double> otherwise = std::nullopt) const;
  std::int64_t count(const std::string &name, std::int64_t least, std::int64_t largest,
                     std::optional<std::int64_t> otherwise) const;
  std::string attribute(const std::string &name, const std::string &otherwise);
  grid::End end_of(const std::string &name, const std::string &otherwise);

  void read_mesh();
  void read_present();
  void read_ends();
  void read_leaves();
  void read_fluid();
  void read_base();
  void check_base() const;
  void read_steps();
  void read_criterion();
  void read_fields();
  void check_values();
  void warn_of_unknown();
  io::Shape finest_shape() const;
  bool is_positive(const CaseField &field) const {
    return field.name == "rho" || field.name == "p";
  }
  bool present_at(const CaseField &field, std::size_t at) const;

  template <class Real> void set_blocks(Solver<Real> &solver) const;
  template <class Real> void set_finest(Solver<Real> &solver) const;
  template <class Real>
  void conserve(const Solver<Real> &solver, const grid::Leaf &leaf,
                std::vector<double> &values) const;

  io::File file_;
  grid::Communicator comm_;
  Problem problem_;
  std::vector<grid::Leaf> leaves_;
  std::vector<CaseField> fields_;
  std::vector<std::pair<std::string, std::string>> attributes_;
  std::vector<std::string> warnings_;
  std::int64_t fingerprint_ = 0;
};

} // namespace hybridfft::euler
