/// Gathers texts of all ranks on rank 0.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

namespace hybridfft::tools {

/// The texts of all ranks in their order, on rank 0; nothing on other ranks. Collective.
std::vector<std::string> gather_texts(const std::string &mine, MPI_Comm comm);

/// The different texts in the order of their first rank, each with the numbers of its ranks
/// ("0-3,8").
std::vector<std::pair<std::string, std::string>>
group_by_text(const std::vector<std::string> &texts);

} // namespace hybridfft::tools
