/// \file mpi_kind.h
/// Includes MPI and reports an error if it is not the MPI implementation of the library's build.
#ifndef HYBRIDFFT_MPI_KIND_H
#define HYBRIDFFT_MPI_KIND_H

#include <mpi.h>

// The installation has config.h next to this file. A program compiled against the sources gets no
// check.
#if __has_include("hybridfft/config.h")
#include "hybridfft/config.h"
#endif

#endif
