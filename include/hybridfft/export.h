/// \file export.h
/// Symbol visibility: the shared library exports only declarations marked HFFT_EXPORT.
#ifndef HYBRIDFFT_EXPORT_H
#define HYBRIDFFT_EXPORT_H

#if defined(__GNUC__)
/// Marks an exported declaration.
#define HFFT_EXPORT __attribute__((visibility("default")))
#else
#define HFFT_EXPORT
#endif

#endif
