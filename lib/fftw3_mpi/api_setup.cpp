// Initialisation, cleanup, and planner settings of FFTW. Each function calls FFTW's own function
// and records the settings for HybridFFT.
//
// Export and import of wisdom. One text holds the wisdom of FFTW and of HybridFFT. FFTW's
// gather_wisdom, broadcast_wisdom and legacy Fortran functions call the functions of this file.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "fftw3_mpi/library_choice.h"
#include "fftw3_mpi/limited.h"
#include "fftw3_mpi/original.h"
#include "fftw3_mpi/wisdom_text.h"

namespace {

using hybridfft::fftw3_mpi::forget_own_wisdom;
using hybridfft::fftw3_mpi::forget_problems;
using hybridfft::fftw3_mpi::settings;
using hybridfft::fftw3_mpi::unload_own_wisdom;

/// Forgets wisdom and planned problems.
template <class Real> void forget() {
  forget_problems<Real>();
  forget_own_wisdom<Real>();
}

/// Resets all state of the planner, as FFTW's cleanup does.
template <class Real> void clean_up() {
  forget_problems<Real>();
  unload_own_wisdom<Real>();
  settings<Real>().threads = 0;
  settings<Real>().time_limit = -1;
}

} // namespace

// Plans of HybridFFT survive the cleanup of FFTW.
#define HFFT_IMPLEMENT(X, XM, R)                                                                   \
  HFFT_DROP_IN(XM(init))                                                                           \
  void HFFT_OURS(XM(init))(void) { HFFT_ORIGINAL(XM(init))(); }                                    \
  HFFT_DROP_IN(XM(cleanup))                                                                        \
  void HFFT_OURS(XM(cleanup))(void) {                                                              \
    clean_up<R>();                                                                                 \
    HFFT_ORIGINAL(XM(cleanup))();                                                                  \
  }                                                                                                \
  HFFT_DROP_IN(X(cleanup))                                                                         \
  void HFFT_OURS(X(cleanup))(void) {                                                               \
    clean_up<R>();                                                                                 \
    HFFT_ORIGINAL(X(cleanup))();                                                                   \
  }                                                                                                \
  HFFT_DROP_IN(X(forget_wisdom))                                                                   \
  void HFFT_OURS(X(forget_wisdom))(void) {                                                         \
    forget<R>();                                                                                   \
    HFFT_ORIGINAL(X(forget_wisdom))();                                                             \
  }                                                                                                \
  HFFT_DROP_IN(X(cleanup_threads))                                                                 \
  void HFFT_OURS(X(cleanup_threads))(void) {                                                       \
    clean_up<R>();                                                                                 \
    HFFT_ORIGINAL(X(cleanup_threads))();                                                           \
  }                                                                                                \
  HFFT_DROP_IN(X(plan_with_nthreads))                                                              \
  void HFFT_OURS(X(plan_with_nthreads))(int nthreads) {                                            \
    /** Set the number last: FFTW's function may call cleanup(), which resets it. */               \
    HFFT_ORIGINAL(X(plan_with_nthreads))(nthreads);                                                \
    settings<R>().threads = std::max(nthreads, 1);                                                 \
  }                                                                                                \
  HFFT_DROP_IN(X(set_timelimit))                                                                   \
  void HFFT_OURS(X(set_timelimit))(double seconds) {                                               \
    settings<R>().time_limit = seconds;                                                            \
    HFFT_ORIGINAL(X(set_timelimit))(seconds);                                                      \
  }

extern "C" {
HFFT_IMPLEMENT(HFFT_DOUBLE, HFFT_MPI_DOUBLE, double)
HFFT_IMPLEMENT(HFFT_FLOAT, HFFT_MPI_FLOAT, float)
#undef HFFT_IMPLEMENT
}

namespace {

using hybridfft::fftw3_mpi::learn_own_wisdom;
using hybridfft::fftw3_mpi::WisdomReader;
using hybridfft::fftw3_mpi::with_own_wisdom;

struct CloseFile {
  void operator()(FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, CloseFile>;

/// Frees FFTW's text and returns it with HybridFFT's wisdom appended. The caller frees the result
/// with free().
char *joined(char *theirs) {
  if (theirs == nullptr) return nullptr;
  const std::string both = with_own_wisdom(theirs);
  auto *text = static_cast<char *>(std::realloc(theirs, both.size() + 1));
  if (text == nullptr) return theirs;
  std::memcpy(text, both.c_str(), both.size() + 1);
  return text;
}

/// Writes a text to a file and frees it. Returns 1 on success, else 0, as FFTW's functions do.
int write_text(char *text, FILE *file) {
  const bool ok = text != nullptr && std::fputs(text, file) >= 0;
  std::free(text);
  return ok ? 1 : 0;
}

/// Reads and returns the rest of the file. FFTW's own function also reads beyond FFTW's wisdom.
std::string rest_of(FILE *file) {
  std::string text;
  for (int c = std::getc(file); c != EOF; c = std::getc(file))
    text.push_back(static_cast<char>(c));
  return text;
}

} // namespace

#define HFFT_EXPORTS(X)                                                                            \
  HFFT_DROP_IN(X(export_wisdom_to_string))                                                         \
  char *HFFT_OURS(X(export_wisdom_to_string))(void) {                                              \
    return joined(HFFT_ORIGINAL(X(export_wisdom_to_string))());                                    \
  }                                                                                                \
  HFFT_DROP_IN(X(export_wisdom_to_file))                                                           \
  void HFFT_OURS(X(export_wisdom_to_file))(FILE * file) {                                          \
    write_text(HFFT_OURS(X(export_wisdom_to_string))(), file);                                     \
  }                                                                                                \
  HFFT_DROP_IN(X(export_wisdom_to_filename))                                                       \
  int HFFT_OURS(X(export_wisdom_to_filename))(const char *filename) {                              \
    File file(std::fopen(filename, "w"));                                                          \
    if (!file) return 0;                                                                           \
    const int written = write_text(HFFT_OURS(X(export_wisdom_to_string))(), file.get());           \
    return std::fclose(file.release()) == 0 ? written : 0;                                         \
  }                                                                                                \
  HFFT_DROP_IN(X(export_wisdom))                                                                   \
  void HFFT_OURS(X(export_wisdom))(X(write_char_func) write_char, void *data) {                    \
    char *text = HFFT_OURS(X(export_wisdom_to_string))();                                          \
    for (const char *c = text; c != nullptr && *c != '\0'; ++c)                                    \
      write_char(*c, data);                                                                        \
    std::free(text);                                                                               \
  }

#define HFFT_IMPORTS(X)                                                                            \
  HFFT_DROP_IN(X(import_wisdom_from_string))                                                       \
  int HFFT_OURS(X(import_wisdom_from_string))(const char *text) {                                  \
    const int understood = HFFT_ORIGINAL(X(import_wisdom_from_string))(text);                      \
    if (understood != 0) learn_own_wisdom(text);                                                   \
    return understood;                                                                             \
  }                                                                                                \
  HFFT_DROP_IN(X(import_wisdom_from_file))                                                         \
  int HFFT_OURS(X(import_wisdom_from_file))(FILE * file) {                                         \
    return HFFT_OURS(X(import_wisdom_from_string))(rest_of(file).c_str());                         \
  }                                                                                                \
  HFFT_DROP_IN(X(import_wisdom_from_filename))                                                     \
  int HFFT_OURS(X(import_wisdom_from_filename))(const char *filename) {                            \
    const File file(std::fopen(filename, "r"));                                                    \
    return file ? HFFT_OURS(X(import_wisdom_from_file))(file.get()) : 0;                           \
  }                                                                                                \
  HFFT_DROP_IN(X(import_wisdom))                                                                   \
  int HFFT_OURS(X(import_wisdom))(X(read_char_func) read_char, void *data) {                       \
    WisdomReader reader(read_char, data);                                                          \
    const int understood = HFFT_ORIGINAL(X(import_wisdom))(WisdomReader::read, &reader);           \
    if (understood != 0) reader.learn();                                                           \
    return understood;                                                                             \
  }

extern "C" {
HFFT_EXPORTS(HFFT_DOUBLE)
HFFT_EXPORTS(HFFT_FLOAT)
HFFT_IMPORTS(HFFT_DOUBLE)
HFFT_IMPORTS(HFFT_FLOAT)
}

// FFTW's own gather_wisdom and broadcast_wisdom call the functions above to export and import
// texts.
#define HFFT_MPI_WISDOM(XM)                                                                        \
  HFFT_DROP_IN(XM(gather_wisdom))                                                                  \
  void HFFT_OURS(XM(gather_wisdom))(MPI_Comm comm) { HFFT_ORIGINAL(XM(gather_wisdom))(comm); }     \
  HFFT_DROP_IN(XM(broadcast_wisdom))                                                               \
  void HFFT_OURS(XM(broadcast_wisdom))(MPI_Comm comm) { HFFT_ORIGINAL(XM(broadcast_wisdom))(comm); }

extern "C" {
HFFT_MPI_WISDOM(HFFT_MPI_DOUBLE)
HFFT_MPI_WISDOM(HFFT_MPI_FLOAT)
}
