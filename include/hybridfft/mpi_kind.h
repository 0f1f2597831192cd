/// \file mpi_kind.h
/// MPI, and an error where it is not of the kind that the library was built for.
#ifndef HYBRIDFFT_MPI_KIND_H
#define HYBRIDFFT_MPI_KIND_H

#include <mpi.h>

// Installed next to this file; a program that is compiled against the bare sources gets no check.
#if __has_include("hybridfft/config.h")
#include "hybridfft/config.h"
#endif

#endif
