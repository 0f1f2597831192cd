/// The option --effort, with the names of planner efforts.
#pragma once

#include <map>
#include <string>

#include "hybridfft/hybridfft.hpp"
#include "support/cli_options.h"

namespace hybridfft::tools {

inline const std::map<std::string, Effort> effort_names{{"estimate", Effort::estimate},
                                                        {"measure", Effort::measure},
                                                        {"patient", Effort::patient},
                                                        {"exhaustive", Effort::exhaustive}};

inline std::string name_of(Effort effort) {
  for (const auto &[name, value] : effort_names)
    if (value == effort) return name;
  return {};
}

/// Adds the option --effort.
inline CLI::Option *add_effort(CLI::App &app, Effort &effort) {
  return add_choice(app, "--effort", effort, effort_names, "Of planning")
      ->default_str(name_of(effort));
}

} // namespace hybridfft::tools
