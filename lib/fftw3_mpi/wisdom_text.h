/// Wisdom of FFTW and of ours in one text: FFTW's first, which FFTW reads alone, then ours.
#pragma once

#include <string>
#include <string_view>

namespace hybridfft::fftw3_mpi {

/// FFTW's text, and ours behind it, if there is any. Then FFTW's part has a blank line before its
/// end, which FFTW does not write and skips, as a mark that ours follows.
std::string with_own_wisdom(std::string_view theirs);

/// Learns our part of a text, if there is one. Damaged parts are ignored; the log reports them.
void learn_own_wisdom(std::string_view text) noexcept;

/// A program's reader of characters (EOF at the end), as FFTW takes it.
class WisdomReader {
public:
  WisdomReader(int (*read)(void *), void *data) : read_(read), data_(data) {}

  /// Function and argument for FFTW, which reads its part and nothing behind it.
  static int read(void *reader);
  /// Learns our part if that of FFTW was marked, and else reads nothing more. Reads no further than
  /// the end of ours.
  void learn() noexcept;

private:
  bool marked() const;
  std::string own_part();

  int (*read_)(void *);
  void *data_;
  std::string last_; ///< characters read last, without blanks
};

/// Forgets our wisdom of a precision; the file of HFFT_WISDOM is read again where it is unloaded.
template <class Real> void forget_own_wisdom() noexcept;
template <class Real> void unload_own_wisdom() noexcept;

} // namespace hybridfft::fftw3_mpi
