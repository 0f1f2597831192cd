/// \file bindings.h
/// The parts of the extension module hybridfft._core. It is private: the package's Python files are
/// the interface for users, and turn arrays into addresses.
#ifndef HYBRIDFFT_PYTHON_BINDINGS_H
#define HYBRIDFFT_PYTHON_BINDINGS_H

#include <string>

#include <mpi.h>
#include <nanobind/nanobind.h>

namespace hybridfft::python {

/// Adds class Layout and enum Fields.
void bind_layout(nanobind::module_ &m);
/// Adds classes Plan, Options and WorkSpace, and functions to make plans.
void bind_plan(nanobind::module_ &m);
/// Adds functions about wisdom, threads and lengths.
void bind_library(nanobind::module_ &m);
/// Adds class Vote: one reduction that informs all ranks of failures and their reason.
void bind_vote(nanobind::module_ &m);
/// Converts hybridfft::Error to the exception hybridfft.Error, with its code and text.
void bind_errors();

// MPI communicators wrapped by mpi4py.

/// The MPI_Comm in an mpi4py.MPI.Comm; mpi4py keeps the ownership. Throws a TypeError for other
/// objects.
MPI_Comm communicator_of(nanobind::handle comm);

/// MPI_Get_library_version() of the MPI called by this extension. It may be called before MPI_Init.
std::string mpi_library_version();

} // namespace hybridfft::python

#endif
