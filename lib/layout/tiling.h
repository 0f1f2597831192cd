/// Boxes that cover an array without overlap, and checks of user-defined layouts.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "hybridfft/layout.hpp"

namespace hybridfft {

/// Throws Error(HFFT_ERROR_LAYOUT) unless there is one entry per axis.
void require_entries(const std::string &name, std::size_t found, std::size_t dimensions);

/// Returns `order`, or 0..d-1 if it is empty. Throws Error(HFFT_ERROR_LAYOUT) for a wrong number of
/// axes or unknown axes.
std::vector<int> memory_order(const std::vector<int> &order, std::size_t dimensions);

/// Returns the number of points of an axis with parts of `counts` points. Throws
/// Error(HFFT_ERROR_LAYOUT) for negative counts, Error(HFFT_ERROR_OVERFLOW) beyond 63 bits; both
/// name the axis.
std::ptrdiff_t sum_of_counts(std::span<const std::ptrdiff_t> counts, std::size_t axis);

/// Returns the boxes of a grid of unequal blocks, the last axis fastest. counts[axis] has the
/// number of points of each part of an axis. Throws Error(HFFT_ERROR_LAYOUT) for negative counts,
/// an axis without parts, or more than 2^31-1 boxes.
std::vector<IndexBox> boxes_of_counts(const std::vector<std::vector<std::ptrdiff_t>> &counts);

/// Throws Error(HFFT_ERROR_LAYOUT) unless the boxes tile the array exactly, without overlap or gap.
void require_tiling(std::span<const std::ptrdiff_t> extents, std::span<const IndexBox> boxes);

/// Returns true if the point `index`, one entry per axis, lies in the box.
bool contains(const IndexBox &box, std::span<const std::ptrdiff_t> index);

/// Returns the intersection of two boxes. If it is empty, at least one of its counts is zero.
IndexBox intersection(const IndexBox &a, const IndexBox &b);

} // namespace hybridfft
