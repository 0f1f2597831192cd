/// \file communicator.h
/// MPI communicators wrapped by mpi4py.
#ifndef HYBRIDFFT_PYTHON_COMMUNICATOR_H
#define HYBRIDFFT_PYTHON_COMMUNICATOR_H

#include <string>

#include <mpi.h>
#include <nanobind/nanobind.h>

namespace hybridfft::python {

/// The MPI_Comm in an mpi4py.MPI.Comm; mpi4py keeps the ownership. Throws a TypeError for other
/// objects.
MPI_Comm communicator_of(nanobind::handle comm);

/// MPI_Get_library_version() of the MPI called by this extension. It may be called before MPI_Init.
std::string mpi_library_version();

} // namespace hybridfft::python

#endif
