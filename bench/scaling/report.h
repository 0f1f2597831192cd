/// Results for people and for other programs.
#pragma once

#include <string>
#include <vector>

#include "scaling/contest.h"

namespace hybridfft::bench {

/// A table of one problem.
std::string as_text(const ContestResult &result);
/// The meaning of the columns that have no unit, and of values that are no number.
std::string explanation_of_columns();
/// The plans in the words of the libraries.
std::string plans_of(const ContestResult &result);

/// {"cpu": ..., "version": ..., "results": [...]}; seconds, bytes, ratios.
std::string as_json(const std::vector<ContestResult> &results);
/// One line per problem and peer.
std::string as_csv(const std::vector<ContestResult> &results);

} // namespace hybridfft::bench
