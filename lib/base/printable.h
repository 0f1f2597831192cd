/// Text of files and arguments, made safe for terminals and logs.
#pragma once

#include <string>
#include <string_view>

namespace hybridfft {

/// The text with `\xHH` in place of each byte of a control character (C0, DEL, C1) or of invalid
/// UTF-8. A terminal would obey a control character, and a line feed could begin a false message.
/// All other characters, printed escapes among them, are kept.
std::string printable(std::string_view text);

/// Applies printable() to each line; line feeds are kept.
std::string printable_lines(std::string_view text);

} // namespace hybridfft
