// Gathers texts of different lengths by MPI_Gatherv.
#include "support/gather_texts.h"

#include <algorithm>
#include <numeric>

#include "base/mpi.h"
#include "base/text.h"

namespace hybridfft::tools {

std::vector<std::string> gather_texts(const std::string &mine, MPI_Comm comm) {
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(ranks);
  mpi::check(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm), "MPI_Gather");
  std::vector<int> starts(ranks, 0);
  std::partial_sum(lengths.begin(), lengths.end() - 1, starts.begin() + 1);
  const bool root = mpi::rank(comm) == 0;
  std::string all(root ? static_cast<std::size_t>(starts.back() + lengths.back()) : 0, '\0');
  mpi::check(MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(),
                         MPI_CHAR, 0, comm),
             "MPI_Gatherv");
  std::vector<std::string> texts;
  for (std::size_t r = 0; root && r < ranks; ++r)
    texts.push_back(
        all.substr(static_cast<std::size_t>(starts[r]), static_cast<std::size_t>(lengths[r])));
  return texts;
}

std::vector<std::pair<std::string, std::string>>
group_by_text(const std::vector<std::string> &texts) {
  std::vector<std::pair<std::string, std::vector<int>>> groups;
  for (std::size_t r = 0; r < texts.size(); ++r) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto &g) { return g.first == texts[r]; });
    if (group == groups.end()) group = groups.insert(groups.end(), {texts[r], {}});
    group->second.push_back(static_cast<int>(r));
  }
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto &[text, ranks] : groups)
    result.emplace_back(text, compact_list(ranks));
  return result;
}

} // namespace hybridfft::tools
