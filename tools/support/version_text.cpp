#include "support/version_text.h"

#include "hybridfft/hybridfft.h"

namespace hybridfft::tools {

std::string version_text(const std::string &program) {
  std::string text = program + " " + hfft_version() + "\n" + hfft_build_info();
  text.pop_back(); // the caller ends the last line
  return text;
}

} // namespace hybridfft::tools
