/// Tests names of objects in a file, including links to other files. All functions are local.
#pragma once

#include <string>

#include "io/file_impl.h"

namespace hybridfft::io {

/// True if an object has this name, or a link has it, even if the link's target is missing.
bool link_exists(const File::Impl &file, const std::string &name);

/// True if the name leads to a dataset that can be opened.
bool is_dataset(const File::Impl &file, const std::string &name);

} // namespace hybridfft::io
