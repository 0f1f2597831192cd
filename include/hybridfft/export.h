/// \file export.h
/// Symbol visibility: the shared library exports only what HFFT_EXPORT marks.
#ifndef HYBRIDFFT_EXPORT_H
#define HYBRIDFFT_EXPORT_H

#if defined(__GNUC__)
/// Marks a declaration that the shared library exports.
#define HFFT_EXPORT __attribute__((visibility("default")))
#else
#define HFFT_EXPORT
#endif

#endif
