// Joins the name of the program and the build information of the library.
#include "support/version_text.h"

#include "hybridfft/hybridfft.h"

namespace hybridfft::tools {

std::string version_text(const std::string &program) {
  std::string text = program + " " + hfft_version() + "\n" + hfft_build_info();
  text.pop_back(); // without the last line feed, added by the caller
  return text;
}

} // namespace hybridfft::tools
