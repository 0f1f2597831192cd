/// Formats results for people and for other programs.
#pragma once

#include <string>
#include <vector>

#include "scaling/contest.h"

namespace hybridfft::bench {

/// A table of one problem.
std::string as_text(const ContestResult &result);
/// The meaning of the columns without a unit, and of values without a number.
std::string explanation_of_columns();
/// The libraries' descriptions of their plans.
std::string plans_of(const ContestResult &result);

/// {"cpu": ..., "version": ..., "results": [...]}; seconds, bytes, ratios.
std::string as_json(const std::vector<ContestResult> &results);
/// One line per problem and peer.
std::string as_csv(const std::vector<ContestResult> &results);

} // namespace hybridfft::bench
