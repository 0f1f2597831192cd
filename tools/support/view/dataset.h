/// The kinds of datasets that hybridfft-view draws.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/view/grid.h"
#include "support/view/options.h"

namespace hybridfft::tools::view {

/// Names of the datasets of a file, those in groups as "group/name". Throws io::IoError for a file
/// that cannot be opened.
std::vector<std::string> dataset_names(const std::string &path);

/// A line for each dataset: its name, shape, type and, of a single number, its value.
std::string dataset_table(const io::File &file);

/// Info of a dataset of numbers. Throws io::IoError: missing (with those that there are), a group
/// (with its datasets), elements that are no numbers, no element at all.
io::DatasetInfo require_dataset(const io::File &file, const std::string &dataset);

/// options.dataset as its name, its shape and the sensor mask define it: a plane, a volume, the
/// points of a list or of a cuboid. `other` is as in read_plane(). Throws io::IoError or
/// std::invalid_argument.
std::unique_ptr<Source> make_source(const io::File &file, const io::File &other,
                                    const Options &options);

} // namespace hybridfft::tools::view
