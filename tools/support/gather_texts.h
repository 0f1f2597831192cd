/// Texts of all ranks, gathered on rank 0.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

namespace hybridfft::tools {

/// All ranks' texts in the order of ranks, on rank 0; nothing elsewhere. Collective.
std::vector<std::string> gather_texts(const std::string &mine, MPI_Comm comm);

/// The different texts in the order of their first rank, each with its ranks ("0-3,8").
std::vector<std::pair<std::string, std::string>>
group_by_text(const std::vector<std::string> &texts);

} // namespace hybridfft::tools
