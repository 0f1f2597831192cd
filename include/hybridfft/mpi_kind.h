/// \file mpi_kind.h
/// Includes mpi.h, and reports an error if it belongs to another MPI implementation than the
/// library was built with.
#ifndef HYBRIDFFT_MPI_KIND_H
#define HYBRIDFFT_MPI_KIND_H

#include <mpi.h>

// The installation has config.h next to this file. A program compiled against the source tree gets
// no check.
#if __has_include("hybridfft/config.h")
#include "hybridfft/config.h"
#endif

#endif
