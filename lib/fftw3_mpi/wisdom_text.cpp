#include "fftw3_mpi/wisdom_text.h"

#include <cstdio>

#include "base/error.h"
#include "fftw3_mpi/log.h"
#include "wisdom/store.h"

namespace hybridfft::fftw3_mpi {

namespace {

constexpr std::string_view header = "hybridfft-wisdom ";
constexpr std::string_view last = "end ";

/// The line that `text` begins with, and the end of it.
std::string_view line_of(std::string_view text) {
  const std::size_t end = text.find('\n');
  return text.substr(0, end == text.npos ? end : end + 1);
}

/// From the header to the last line, as wisdom::Wisdom writes it; empty without one.
std::string_view own_part(std::string_view text) {
  std::size_t begin = text.find(header);
  while (begin != text.npos && begin > 0 && text[begin - 1] != '\n')
    begin = text.find(header, begin + 1);
  if (begin == text.npos) return {};
  std::size_t end = begin;
  while (end < text.size()) {
    const std::string_view line = line_of(text.substr(end));
    end += line.size();
    if (line.substr(0, last.size()) == last) break;
  }
  return text.substr(begin, end - begin);
}

} // namespace

std::string own_wisdom() {
  const wisdom::Wisdom known = wisdom::known_wisdom();
  return known.size() > 0 ? known.text() : "";
}

void learn_own_wisdom(std::string_view text) noexcept {
  const auto learn = [=] {
    const std::string_view part = own_part(text);
    if (!part.empty()) wisdom::learn(wisdom::Wisdom::parse(part, "imported wisdom"));
  };
  run_reporting(learn, [](hfft_error, const char *reason) {
    if (logging()) std::fprintf(stderr, "hybridfft-fftw3-mpi: %s\n", reason);
  });
}

void learn_own_wisdom(const std::function<int()> &read) noexcept {
  const auto learn = [&] {
    std::string text;
    int c = read();
    while (c == '\n' || c == '\r' || c == ' ')
      c = read();
    bool at_end = false;
    for (; c != EOF && !at_end; c = at_end ? EOF : read()) {
      text.push_back(static_cast<char>(c));
      if (text.size() <= header.size() && text != header.substr(0, text.size())) return;
      if (c != '\n') continue;
      const std::size_t before = text.find_last_of('\n', text.size() - 2);
      const std::size_t begin = before == text.npos ? 0 : before + 1;
      at_end = text.compare(begin, last.size(), last) == 0;
    }
    learn_own_wisdom(std::string_view(text));
  };
  run_reporting(learn, [](hfft_error, const char *) {});
}

} // namespace hybridfft::fftw3_mpi
