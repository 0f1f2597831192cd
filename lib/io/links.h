/// Names of a file, which may lead to objects of other files. All functions are local.
#pragma once

#include <string>

#include "io/file_impl.h"

namespace hybridfft::io {

/// Anything has the name, be it a link that leads nowhere.
bool link_exists(const File::Impl &file, const std::string &name);

/// A dataset that can be opened has the name.
bool is_dataset(const File::Impl &file, const std::string &name);

} // namespace hybridfft::io
