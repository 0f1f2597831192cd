/// \file export.h
/// What the shared library shows: everything else is hidden.
#ifndef HYBRIDFFT_EXPORT_H
#define HYBRIDFFT_EXPORT_H

#if defined(__GNUC__)
#define HFFT_EXPORT __attribute__((visibility("default")))
#else
#define HFFT_EXPORT
#endif

#endif
