# Doxygen's preprocessor loses the comments of macros: declares their functions as such, in double
# precision. Used by docs/Doxyfile.
/^#define HFFT_DEFINE_[A-Z_]*API\(/,/[^\\]$/ {
  s/^#define .*$//
  s/ *\\$//
  s,^ */\*\* ?(.*) \*/$,/// \1,
  s,^ */\*\* ?,/// ,
  s,^ *\*/$,,
  s/X\(([a-z0-9_]+)\)/hfft_\1/g
  /^\/\/\//! {
    s/\bR \*/double */g
    s/\bC \*/hfft_complex */g
  }
}
/^HFFT_DEFINE_[A-Z_]*API\(HFFT_MANGLE/d
