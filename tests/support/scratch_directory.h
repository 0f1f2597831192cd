/// A folder for the files of one test, removed with the object.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace hybridfft::test {

/// A temporary folder for the ranks of a communicator, in the build tree or in the folder
/// HFFT_SCRATCH. All hosts of the run must see the same path. Rank 0 creates and removes the
/// folder. The constructor and the destructor are collective.
class ScratchDirectory {
public:
  explicit ScratchDirectory(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    const char *elsewhere = std::getenv("HFFT_SCRATCH");
    std::string name =
        std::string(elsewhere != nullptr ? elsewhere : HFFT_TEST_SCRATCH) + "/scratch-XXXXXX";
    if (rank_ == 0 && mkdtemp(name.data()) == nullptr) name.clear();
    std::array<char, 4096> path{};
    name.copy(path.data(), path.size() - 1);
    MPI_Bcast(path.data(), static_cast<int>(path.size()), MPI_CHAR, 0, comm);
    path_ = path.data();
    if (path_.empty()) throw std::runtime_error("cannot create a scratch folder");
  }
  ~ScratchDirectory() {
    MPI_Barrier(comm_);
    std::error_code ignored;
    if (rank_ == 0) std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory &) = delete;
  ScratchDirectory &operator=(const ScratchDirectory &) = delete;

  std::string file(const std::string &name) const { return path_ + "/" + name; }

  /// Returns the names of the files and folders in it.
  std::vector<std::string> contents() const {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename().string());
    return names;
  }

private:
  MPI_Comm comm_;
  int rank_ = 0;
  std::string path_;
};

} // namespace hybridfft::test
