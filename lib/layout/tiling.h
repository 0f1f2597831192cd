/// Boxes that tile an array, and the checks of layouts that users describe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "hybridfft/layout.hpp"

namespace hybridfft {

/// Throws Error(HFFT_ERROR_LAYOUT) unless there is an entry per axis.
void require_entries(const std::string &name, std::size_t found, std::size_t dimensions);

/// `order`, or 0..d-1 where it is empty. Throws Error(HFFT_ERROR_LAYOUT) for another number of axes
/// or for numbers that name none.
std::vector<int> memory_order(const std::vector<int> &order, std::size_t dimensions);

/// Number of points of an axis whose parts have `counts`. Throws Error(HFFT_ERROR_LAYOUT) for
/// negative counts, Error(HFFT_ERROR_OVERFLOW) where 63 bits are not enough; both name the axis.
std::ptrdiff_t sum_of_counts(std::span<const std::ptrdiff_t> counts, std::size_t axis);

/// The boxes of a grid of unequal blocks, the last axis the fastest. Throws
/// Error(HFFT_ERROR_LAYOUT) for negative counts, an axis without parts, or more than 2^31-1 boxes.
std::vector<IndexBox> boxes_of_counts(const std::vector<std::vector<std::ptrdiff_t>> &counts);

/// Throws Error(HFFT_ERROR_LAYOUT), naming the boxes, unless these lie within the array, do not
/// overlap and leave no gap.
void require_tiling(std::span<const std::ptrdiff_t> extents, std::span<const IndexBox> boxes);

/// True if the point `index`, one entry per axis, lies in the box.
bool contains(const IndexBox &box, std::span<const std::ptrdiff_t> index);

/// The intersection of two boxes; some count is zero where they share nothing.
IndexBox intersection(const IndexBox &a, const IndexBox &b);

} // namespace hybridfft
