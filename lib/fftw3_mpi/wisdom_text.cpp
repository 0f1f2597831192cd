#include "fftw3_mpi/wisdom_text.h"

#include <cstdio>

#include "base/error.h"
#include "fftw3_mpi/log.h"
#include "wisdom/store.h"

namespace hybridfft::fftw3_mpi {

namespace {

constexpr std::string_view header = "hybridfft-wisdom ";
constexpr std::string_view last = "end ";

/// Returns the first line of `text`, with its newline.
std::string_view line_of(std::string_view text) {
  const std::size_t end = text.find('\n');
  return text.substr(0, end == text.npos ? end : end + 1);
}

/// Returns HybridFFT's part: from its header to its last line. Empty if there is none.
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

/// End of FFTW's part, with the blank line as a mark.
constexpr std::string_view marked_end = "\n\n)";

void report(hfft_error, const char *reason) {
  if (logging()) std::fprintf(stderr, "hybridfft-fftw3-mpi: %s\n", reason);
}

/// Returns true if a key belongs to this precision. Keys of transpositions name half of the
/// precision, because their plans treat each real number as a complex number of half the precision.
template <class Real> bool is_of(const std::string &key) {
  constexpr bool single = sizeof(Real) == sizeof(float);
  const auto has = [&](const char *words) { return key.find(words) != key.npos; };
  if (has(" plan=library ")) return has(single ? ",_single_precision" : ",_double_precision");
  if (has(" axes=none ")) return has(single ? " precision=half " : " precision=single ");
  return has(single ? " precision=single " : " precision=double ");
}

} // namespace

std::string with_own_wisdom(std::string_view theirs) {
  std::string text(theirs);
  const wisdom::Wisdom known = wisdom::known_wisdom();
  if (known.size() == 0) return text;
  if (const std::size_t end = text.rfind(')'); end != text.npos) text.insert(end, "\n");
  return text + known.text();
}

void learn_own_wisdom(std::string_view text) noexcept {
  const auto learn = [=] {
    const std::string_view part = own_part(text);
    if (!part.empty()) wisdom::learn(wisdom::Wisdom::parse(part, "imported wisdom"));
  };
  run_reporting(learn, report);
}

int WisdomReader::read(void *reader) {
  auto &self = *static_cast<WisdomReader *>(reader);
  const int c = self.read_(self.data_);
  if (c == EOF || c == '\r' || c == ' ') return c;
  if (self.last_.size() == marked_end.size()) self.last_.erase(0, 1);
  self.last_.push_back(static_cast<char>(c));
  return c;
}

bool WisdomReader::marked() const { return last_ == marked_end; }

/// Reads HybridFFT's part up to its last line. Stops at the first character that does not belong to
/// it.
std::string WisdomReader::own_part() {
  std::string text;
  int c = read_(data_);
  while (c == '\n' || c == '\r' || c == ' ')
    c = read_(data_);
  for (; c != EOF; c = read_(data_)) {
    text.push_back(static_cast<char>(c));
    if (text.size() <= header.size() && text != header.substr(0, text.size())) return {};
    if (c != '\n') continue;
    const std::size_t before = text.find_last_of('\n', text.size() - 2);
    const std::size_t begin = before == text.npos ? 0 : before + 1;
    if (text.compare(begin, last.size(), last) == 0) break;
  }
  return text;
}

void WisdomReader::learn() noexcept {
  if (marked()) run_reporting([&] { learn_own_wisdom(own_part()); }, report);
}

template <class Real> void forget_own_wisdom() noexcept {
  run_reporting([] { wisdom::forget_entries(is_of<Real>); }, report);
}

template <class Real> void unload_own_wisdom() noexcept {
  run_reporting([] { wisdom::unload_entries(is_of<Real>); }, report);
}

#define HFFT_DEFINE_WISDOM(R)                                                                      \
  template void forget_own_wisdom<R>() noexcept;                                                   \
  template void unload_own_wisdom<R>() noexcept;
HFFT_DEFINE_WISDOM(double)
HFFT_DEFINE_WISDOM(float)

} // namespace hybridfft::fftw3_mpi
