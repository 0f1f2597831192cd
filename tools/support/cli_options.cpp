// Adds a validator of numbers to the numeric options of a program, by the type that CLI11 reports.
#include "support/cli_options.h"

namespace hybridfft::tools {

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
