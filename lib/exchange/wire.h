/// Number formats of messages between ranks.
#pragma once

namespace hybridfft::exchange {

/// Format of numbers in messages: the plan's precision, or a reduced one.
enum class WireFormat { full, single, bfloat16, half };

/// Returns the name of the format in wisdom and descriptions.
inline const char *name(WireFormat wire) {
  switch (wire) {
  case WireFormat::full:
    return "full";
  case WireFormat::single:
    return "single";
  case WireFormat::bfloat16:
    return "bfloat16";
  case WireFormat::half:
    return "half";
  }
  return "";
}

} // namespace hybridfft::exchange
