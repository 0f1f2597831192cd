#include "support/cli_options.h"

#include <algorithm>

namespace hybridfft::tools {

CLI::Validator one_of(const std::vector<std::string> &names) {
  const auto check = [names](std::string &text) -> std::string {
    if (std::find(names.begin(), names.end(), text) != names.end()) return {};
    return found_expected(text, alternatives(names));
  };
  return {check, "", ""};
}

void check_numbers(CLI::App &app) {
  for (CLI::Option *option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (type == "INT" || type == "UINT")
      option->check(detail::number<std::int64_t>("", [](std::int64_t) { return true; }));
    else if (type == "FLOAT")
      option->check(detail::number<double>("", [](double) { return true; }));
  }
}

} // namespace hybridfft::tools
