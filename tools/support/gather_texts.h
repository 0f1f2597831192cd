/// Collects the texts of all ranks on rank 0, to print each distinct text once.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

namespace hybridfft::tools {

/// On rank 0, returns the texts of all ranks in the order of ranks; on other ranks, nothing.
/// Collective.
std::vector<std::string> gather_texts(const std::string &mine, MPI_Comm comm);

/// Returns the distinct texts in the order of their first rank, each with its ranks ("0-3,8").
std::vector<std::pair<std::string, std::string>>
group_by_text(const std::vector<std::string> &texts);

} // namespace hybridfft::tools
