/// Common implementations of the C functions of wisdom.
#pragma once

#include <mpi.h>

namespace hybridfft::capi {

// All functions return 1 on success. On failure they set the last error and return 0.
int export_wisdom(const char *filename);
int import_wisdom(const char *filename);
int import_wisdom_text(const char *text);
int broadcast_wisdom(MPI_Comm comm);
int gather_wisdom(MPI_Comm comm);

/// Returns the process's wisdom as text, freed by the caller with free(); nullptr on failure.
char *wisdom_text();
void forget_wisdom();

} // namespace hybridfft::capi
