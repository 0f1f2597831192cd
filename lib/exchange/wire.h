/// Number formats of messages between ranks.
#pragma once

namespace hybridfft::exchange {

/// Format of numbers in messages: the plan's precision, or a reduced one.
enum class Wire { full, single, bfloat16, half };

/// Returns the name of the format in wisdom and descriptions.
inline const char *name(Wire wire) {
  switch (wire) {
  case Wire::full:
    return "full";
  case Wire::single:
    return "single";
  case Wire::bfloat16:
    return "bfloat16";
  case Wire::half:
    return "half";
  }
  return "";
}

} // namespace hybridfft::exchange
