/// Formats results for people and for other programs.
#pragma once

#include <string>
#include <vector>

#include "scaling/contest.h"

namespace hybridfft::bench {

/// A table of one problem.
std::string as_text(const ContestResult &result);
/// Explains columns without a unit, and values that are not numbers.
std::string explanation_of_columns();
/// The libraries' descriptions of their plans.
std::string plans_of(const ContestResult &result);

/// JSON {"cpu": ..., "version": ..., "results": [...]} with seconds, bytes and ratios.
std::string as_json(const std::vector<ContestResult> &results);
/// CSV with one line per problem and peer.
std::string as_csv(const std::vector<ContestResult> &results);

} // namespace hybridfft::bench
