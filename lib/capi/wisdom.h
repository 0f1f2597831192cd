/// The functions behind the C functions of wisdom.
#pragma once

#include <mpi.h>

namespace hybridfft::capi {

// All return 1 on success and 0, with the last error set, on failure.
int export_wisdom(const char *filename);
int import_wisdom(const char *filename);
int import_wisdom_text(const char *text);
int broadcast_wisdom(MPI_Comm comm);
int gather_wisdom(MPI_Comm comm);

/// The process's wisdom as text, for the caller to free(); nullptr on failure.
char *wisdom_text();
void forget_wisdom();

} // namespace hybridfft::capi
