/// Writes the numbers behind the figures of docs/accuracy.md on request.
#pragma once

#include <mpi.h>

#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>

namespace hybridfft::test {

/// Writes NAME.csv to the folder HFFT_ACCURACY_DATA on rank 0. Does nothing if this variable is not
/// set.
class AccuracyData {
public:
  AccuracyData(const std::string &name, const std::string &columns) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *folder = std::getenv("HFFT_ACCURACY_DATA");
    if (folder == nullptr || rank != 0) return;
    const std::string path = std::string(folder) + "/" + name + ".csv";
    file_.open(path);
    if (!file_) throw std::runtime_error(path + ": cannot be written");
    file_.precision(std::numeric_limits<float>::max_digits10);
    file_ << columns << '\n';
  }

  void row(std::initializer_list<double> numbers) {
    if (!file_.is_open()) return;
    const char *separator = "";
    for (const double number : numbers) {
      file_ << separator << number;
      separator = ",";
    }
    file_ << '\n';
  }

private:
  std::ofstream file_;
};

} // namespace hybridfft::test
