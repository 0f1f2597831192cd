/// \file export.h
/// What the shared library shows: everything else is hidden.
#ifndef HYBRIDFFT_EXPORT_H
#define HYBRIDFFT_EXPORT_H

#if defined(__GNUC__)
/// In front of what the shared library shows.
#define HFFT_EXPORT __attribute__((visibility("default")))
#else
#define HFFT_EXPORT
#endif

#endif
