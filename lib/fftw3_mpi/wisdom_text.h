/// Wisdom of FFTW and of ours in one text: FFTW's first, which FFTW reads alone, then ours.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace hybridfft::fftw3_mpi {

/// Our part of wisdom as text; empty if there is none.
std::string own_wisdom();

/// Learns our part of a text, if there is one. Damaged parts are ignored; the log reports them.
void learn_own_wisdom(std::string_view text) noexcept;

/// The same from a reader of characters (EOF at the end) that stands behind FFTW's part. Reads no
/// further than the end of ours, or one character that shows that there is none.
void learn_own_wisdom(const std::function<int()> &read) noexcept;

} // namespace hybridfft::fftw3_mpi
