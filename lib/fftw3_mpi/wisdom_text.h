/// Wisdom of FFTW and of HybridFFT in one text. FFTW's part comes first, and FFTW reads nothing
/// more.
#pragma once

#include <string>
#include <string_view>

namespace hybridfft::fftw3_mpi {

/// Returns FFTW's text, followed by HybridFFT's wisdom if there is any. FFTW's part then has a
/// blank line before its end, as a mark of the second part. FFTW does not write such a line, and
/// skips it.
std::string with_own_wisdom(std::string_view theirs);

/// Imports HybridFFT's part of a text, if there is one. Damaged parts are ignored; the log reports
/// them.
void learn_own_wisdom(std::string_view text) noexcept;

/// A program's reader of characters (EOF at the end), in FFTW's form.
class WisdomReader {
public:
  WisdomReader(int (*read)(void *), void *data) : read_(read), data_(data) {}

  /// Function and argument for FFTW; it reads FFTW's part and nothing after it.
  static int read(void *reader);
  /// Imports HybridFFT's part if FFTW's part was marked, else reads nothing more. It reads no
  /// further than its end.
  void learn() noexcept;

private:
  bool marked() const;
  std::string own_part();

  int (*read_)(void *);
  void *data_;
  std::string last_; ///< last characters, without blanks
};

/// Clear HybridFFT's wisdom of a precision. After unload_own_wisdom() the file of HFFT_WISDOM is
/// read again.
template <class Real> void forget_own_wisdom() noexcept;
template <class Real> void unload_own_wisdom() noexcept;

} // namespace hybridfft::fftw3_mpi
