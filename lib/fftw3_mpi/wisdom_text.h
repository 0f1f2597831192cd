/// Joins the wisdom of FFTW and of HybridFFT in one text, so that a program's files and broadcasts
/// carry both. FFTW's part comes first, and FFTW ignores the rest.
#pragma once

#include <string>
#include <string_view>

namespace hybridfft::fftw3_mpi {

/// Returns FFTW's text, followed by HybridFFT's wisdom if there is any. A blank line before the end
/// of FFTW's part then marks the second part. FFTW never writes such a line, and skips it when
/// reading.
std::string with_own_wisdom(std::string_view theirs);

/// Imports HybridFFT's part of a text, if there is one. Damaged parts are ignored and logged.
void learn_own_wisdom(std::string_view text) noexcept;

/// Passes characters from the program's reader function to FFTW, and then reads HybridFFT's part.
class WisdomReader {
public:
  WisdomReader(int (*read)(void *), void *data) : read_(read), data_(data) {}

  /// Reader function for FFTW, with the WisdomReader as its argument. FFTW stops after its own
  /// part.
  static int read(void *reader);
  /// Imports HybridFFT's part if FFTW's part has the mark, and stops after it. Otherwise reads
  /// nothing more.
  void learn() noexcept;

private:
  bool marked() const;
  std::string own_part();

  int (*read_)(void *);
  void *data_;
  std::string last_; ///< last 3 characters read, not counting spaces and carriage returns
};

/// Clear HybridFFT's wisdom of a precision. After unload_own_wisdom() the file named by HFFT_WISDOM
/// is read again.
template <class Real> void forget_own_wisdom() noexcept;
template <class Real> void unload_own_wisdom() noexcept;

} // namespace hybridfft::fftw3_mpi
