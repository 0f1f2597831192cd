/// Runs a simulation on the first ranks of a launch, and compares outputs byte by byte.
#pragma once

#include <hdf5.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>

#include "kspace/run_simulation.h"
#include "support/mpi_test.h"

namespace hybridfft::test {

/// A barrier with sleeping ranks: busy waiting would take processor time from working ranks.
inline void wait_for_all(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) usleep(1000);
  }
}

/// Calls f(communicator) on the first ranks; the others wait. Collective over all ranks.
template <class F> void on_first_ranks(int ranks, const F &f) {
  MPI_Comm some = MPI_COMM_NULL;
  const int rank = rank_of(test::world());
  MPI_Comm_split(test::world(), rank < ranks ? 0 : MPI_UNDEFINED, 0, &some);
  if (some != MPI_COMM_NULL) {
    f(some);
    MPI_Comm_free(&some);
  }
  wait_for_all(test::world());
}

/// Returns all datasets of a file as bytes, by name. Attributes are omitted because they contain
/// times. Called on one rank.
inline std::map<std::string, std::string> datasets_of(const std::string &path) {
  std::map<std::string, std::string> all;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const auto take = [](hid_t root, const char *name, const H5O_info_t *info, void *into) -> herr_t {
    if (info->type != H5O_TYPE_DATASET) return 0;
    const hid_t dataset = H5Dopen2(root, name, H5P_DEFAULT);
    const hid_t type = H5Dget_type(dataset);
    const hid_t space = H5Dget_space(dataset);
    std::string bytes(
        static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)) * H5Tget_size(type), '\0');
    H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
    (*static_cast<std::map<std::string, std::string> *>(into))[name] = bytes;
    return 0;
  };
  H5Ovisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, take, &all);
  H5Fclose(file);
  return all;
}

/// Returns the names of datasets that differ or exist in only one of the files.
inline std::string differences(const std::map<std::string, std::string> &one,
                               const std::map<std::string, std::string> &other) {
  std::string names;
  for (const auto &[name, bytes] : one)
    if (!other.contains(name) || other.at(name) != bytes) names += " " + name;
  for (const auto &[name, bytes] : other)
    if (!one.contains(name)) names += " " + name;
  return names;
}

} // namespace hybridfft::test
