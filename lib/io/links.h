/// Tests names of a file, including links into other files. All functions are local.
#pragma once

#include <string>

#include "io/file_impl.h"

namespace hybridfft::io {

/// True if any object has this name, or a link whose target is missing.
bool link_exists(const File::Impl &file, const std::string &name);

/// True if the name leads to a dataset that can be opened.
bool is_dataset(const File::Impl &file, const std::string &name);

} // namespace hybridfft::io
