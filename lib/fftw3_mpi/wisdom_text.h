/// One text with the wisdom of FFTW and of HybridFFT. FFTW's part comes first, and FFTW ignores the
/// rest.
#pragma once

#include <string>
#include <string_view>

namespace hybridfft::fftw3_mpi {

/// Returns FFTW's text, followed by HybridFFT's wisdom if there is any. FFTW's part then has a
/// blank line before its end, as a mark of the second part. FFTW does not write such a line, and
/// skips it.
std::string with_own_wisdom(std::string_view theirs);

/// Imports HybridFFT's part of a text, if there is one. Damaged parts are ignored and logged.
void learn_own_wisdom(std::string_view text) noexcept;

/// A reader of characters (EOF at the end), passed by the program in FFTW's form.
class WisdomReader {
public:
  WisdomReader(int (*read)(void *), void *data) : read_(read), data_(data) {}

  /// Function and argument passed to FFTW. It stops after FFTW's part.
  static int read(void *reader);
  /// Imports HybridFFT's part if FFTW's part has the mark, and stops at its end. Else it reads
  /// nothing more.
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
