// Compares files by device and inode, so that links and other paths to a file are found.
#include "support/other_file.h"

#include <filesystem>
#include <stdexcept>

namespace hybridfft::tools {

void require_other_file(const std::string &output, const std::string &input,
                        const std::string &role) {
  std::error_code none;
  if (std::filesystem::equivalent(input, output, none))
    throw std::invalid_argument("-o: found '" + output + "', which is " + role +
                                "; expected another one");
}

} // namespace hybridfft::tools
