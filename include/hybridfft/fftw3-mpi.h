/// \file fftw3-mpi.h
/// FFTW's MPI interface, computed by HybridFFT. Choose it to move an FFTW program without changes
/// of its calls. Include it instead of <fftw3-mpi.h> and link libhybridfft_fftw3_mpi and FFTW's
/// libraries, in any order.
///
/// All names, types and rules are FFTW's (FFTW 3.3 manual, chapter 6). Macros replace every
/// function NAME of distributed plans by hfft_NAME, the drop-in's function with the same arguments.
/// The drop-in's functions also accept plans made by FFTW. Include this header in every file that
/// makes, executes or destroys plans, before or after <fftw3.h>.
#ifndef HYBRIDFFT_FFTW3_MPI_H
#define HYBRIDFFT_FFTW3_MPI_H

#include <fftw3-mpi.h>

#include "hybridfft/export.h"
#include "hybridfft/mpi_kind.h"

/// Expands the macro D(NAME) for each function NAME of FFTW that the drop-in replaces, without the
/// prefix fftw_. The drop-in's function has the same type as FFTW's.
#define HFFT_FFTW3_MPI_FUNCTIONS(D)                                                                \
  D(mpi_init);                                                                                     \
  D(mpi_cleanup);                                                                                  \
  D(mpi_local_size_many_transposed);                                                               \
  D(mpi_local_size_many);                                                                          \
  D(mpi_local_size_transposed);                                                                    \
  D(mpi_local_size);                                                                               \
  D(mpi_local_size_many_1d);                                                                       \
  D(mpi_local_size_1d);                                                                            \
  D(mpi_local_size_2d);                                                                            \
  D(mpi_local_size_2d_transposed);                                                                 \
  D(mpi_local_size_3d);                                                                            \
  D(mpi_local_size_3d_transposed);                                                                 \
  D(mpi_plan_many_transpose);                                                                      \
  D(mpi_plan_transpose);                                                                           \
  D(mpi_plan_many_dft);                                                                            \
  D(mpi_plan_dft);                                                                                 \
  D(mpi_plan_dft_1d);                                                                              \
  D(mpi_plan_dft_2d);                                                                              \
  D(mpi_plan_dft_3d);                                                                              \
  D(mpi_plan_many_r2r);                                                                            \
  D(mpi_plan_r2r);                                                                                 \
  D(mpi_plan_r2r_2d);                                                                              \
  D(mpi_plan_r2r_3d);                                                                              \
  D(mpi_plan_many_dft_r2c);                                                                        \
  D(mpi_plan_dft_r2c);                                                                             \
  D(mpi_plan_dft_r2c_2d);                                                                          \
  D(mpi_plan_dft_r2c_3d);                                                                          \
  D(mpi_plan_many_dft_c2r);                                                                        \
  D(mpi_plan_dft_c2r);                                                                             \
  D(mpi_plan_dft_c2r_2d);                                                                          \
  D(mpi_plan_dft_c2r_3d);                                                                          \
  D(mpi_gather_wisdom);                                                                            \
  D(mpi_broadcast_wisdom);                                                                         \
  D(mpi_execute_dft);                                                                              \
  D(mpi_execute_dft_r2c);                                                                          \
  D(mpi_execute_dft_c2r);                                                                          \
  D(mpi_execute_r2r);                                                                              \
  D(execute);                                                                                      \
  D(execute_dft);                                                                                  \
  D(execute_dft_r2c);                                                                              \
  D(execute_dft_c2r);                                                                              \
  D(execute_r2r);                                                                                  \
  D(destroy_plan);                                                                                 \
  D(print_plan);                                                                                   \
  D(fprint_plan);                                                                                  \
  D(sprint_plan);                                                                                  \
  D(flops);                                                                                        \
  D(cost);                                                                                         \
  D(estimate_cost);                                                                                \
  D(cleanup);                                                                                      \
  D(cleanup_threads);                                                                              \
  D(plan_with_nthreads);                                                                           \
  D(set_timelimit);                                                                                \
  D(forget_wisdom);                                                                                \
  D(export_wisdom);                                                                                \
  D(export_wisdom_to_file);                                                                        \
  D(export_wisdom_to_filename);                                                                    \
  D(export_wisdom_to_string);                                                                      \
  D(import_wisdom);                                                                                \
  D(import_wisdom_from_file);                                                                      \
  D(import_wisdom_from_filename);                                                                  \
  D(import_wisdom_from_string)

#ifdef __cplusplus
extern "C" {
#endif
#define HFFT_DECLARE_DOUBLE(name) HFFT_EXPORT extern __typeof__(fftw_##name) hfft_fftw_##name
#define HFFT_DECLARE_FLOAT(name) HFFT_EXPORT extern __typeof__(fftwf_##name) hfft_fftwf_##name
HFFT_FFTW3_MPI_FUNCTIONS(HFFT_DECLARE_DOUBLE);
HFFT_FFTW3_MPI_FUNCTIONS(HFFT_DECLARE_FLOAT);
/// FFTW has this function since 3.3.11; older headers do not declare it.
HFFT_EXPORT fftw_plan hfft_fftw_copy_plan(fftw_plan plan);
HFFT_EXPORT fftwf_plan hfft_fftwf_copy_plan(fftwf_plan plan);
#undef HFFT_DECLARE_DOUBLE
#undef HFFT_DECLARE_FLOAT
#ifdef __cplusplus
}
#endif

/// Define HFFT_FFTW3_MPI_DECLARE_ONLY to use both libraries in one file: fftw_NAME then calls FFTW,
/// and hfft_fftw_NAME calls HybridFFT.
#ifndef HFFT_FFTW3_MPI_DECLARE_ONLY
#define fftw_mpi_init hfft_fftw_mpi_init
#define fftw_mpi_cleanup hfft_fftw_mpi_cleanup
#define fftw_mpi_local_size_many_transposed hfft_fftw_mpi_local_size_many_transposed
#define fftw_mpi_local_size_many hfft_fftw_mpi_local_size_many
#define fftw_mpi_local_size_transposed hfft_fftw_mpi_local_size_transposed
#define fftw_mpi_local_size hfft_fftw_mpi_local_size
#define fftw_mpi_local_size_many_1d hfft_fftw_mpi_local_size_many_1d
#define fftw_mpi_local_size_1d hfft_fftw_mpi_local_size_1d
#define fftw_mpi_local_size_2d hfft_fftw_mpi_local_size_2d
#define fftw_mpi_local_size_2d_transposed hfft_fftw_mpi_local_size_2d_transposed
#define fftw_mpi_local_size_3d hfft_fftw_mpi_local_size_3d
#define fftw_mpi_local_size_3d_transposed hfft_fftw_mpi_local_size_3d_transposed
#define fftw_mpi_plan_many_transpose hfft_fftw_mpi_plan_many_transpose
#define fftw_mpi_plan_transpose hfft_fftw_mpi_plan_transpose
#define fftw_mpi_plan_many_dft hfft_fftw_mpi_plan_many_dft
#define fftw_mpi_plan_dft hfft_fftw_mpi_plan_dft
#define fftw_mpi_plan_dft_1d hfft_fftw_mpi_plan_dft_1d
#define fftw_mpi_plan_dft_2d hfft_fftw_mpi_plan_dft_2d
#define fftw_mpi_plan_dft_3d hfft_fftw_mpi_plan_dft_3d
#define fftw_mpi_plan_many_r2r hfft_fftw_mpi_plan_many_r2r
#define fftw_mpi_plan_r2r hfft_fftw_mpi_plan_r2r
#define fftw_mpi_plan_r2r_2d hfft_fftw_mpi_plan_r2r_2d
#define fftw_mpi_plan_r2r_3d hfft_fftw_mpi_plan_r2r_3d
#define fftw_mpi_plan_many_dft_r2c hfft_fftw_mpi_plan_many_dft_r2c
#define fftw_mpi_plan_dft_r2c hfft_fftw_mpi_plan_dft_r2c
#define fftw_mpi_plan_dft_r2c_2d hfft_fftw_mpi_plan_dft_r2c_2d
#define fftw_mpi_plan_dft_r2c_3d hfft_fftw_mpi_plan_dft_r2c_3d
#define fftw_mpi_plan_many_dft_c2r hfft_fftw_mpi_plan_many_dft_c2r
#define fftw_mpi_plan_dft_c2r hfft_fftw_mpi_plan_dft_c2r
#define fftw_mpi_plan_dft_c2r_2d hfft_fftw_mpi_plan_dft_c2r_2d
#define fftw_mpi_plan_dft_c2r_3d hfft_fftw_mpi_plan_dft_c2r_3d
#define fftw_mpi_gather_wisdom hfft_fftw_mpi_gather_wisdom
#define fftw_mpi_broadcast_wisdom hfft_fftw_mpi_broadcast_wisdom
#define fftw_mpi_execute_dft hfft_fftw_mpi_execute_dft
#define fftw_mpi_execute_dft_r2c hfft_fftw_mpi_execute_dft_r2c
#define fftw_mpi_execute_dft_c2r hfft_fftw_mpi_execute_dft_c2r
#define fftw_mpi_execute_r2r hfft_fftw_mpi_execute_r2r
#define fftw_execute hfft_fftw_execute
#define fftw_execute_dft hfft_fftw_execute_dft
#define fftw_execute_dft_r2c hfft_fftw_execute_dft_r2c
#define fftw_execute_dft_c2r hfft_fftw_execute_dft_c2r
#define fftw_execute_r2r hfft_fftw_execute_r2r
#define fftw_destroy_plan hfft_fftw_destroy_plan
#define fftw_copy_plan hfft_fftw_copy_plan
#define fftw_print_plan hfft_fftw_print_plan
#define fftw_fprint_plan hfft_fftw_fprint_plan
#define fftw_sprint_plan hfft_fftw_sprint_plan
#define fftw_flops hfft_fftw_flops
#define fftw_cost hfft_fftw_cost
#define fftw_estimate_cost hfft_fftw_estimate_cost
#define fftw_cleanup hfft_fftw_cleanup
#define fftw_cleanup_threads hfft_fftw_cleanup_threads
#define fftw_plan_with_nthreads hfft_fftw_plan_with_nthreads
#define fftw_set_timelimit hfft_fftw_set_timelimit
#define fftw_forget_wisdom hfft_fftw_forget_wisdom
#define fftw_export_wisdom hfft_fftw_export_wisdom
#define fftw_export_wisdom_to_file hfft_fftw_export_wisdom_to_file
#define fftw_export_wisdom_to_filename hfft_fftw_export_wisdom_to_filename
#define fftw_export_wisdom_to_string hfft_fftw_export_wisdom_to_string
#define fftw_import_wisdom hfft_fftw_import_wisdom
#define fftw_import_wisdom_from_file hfft_fftw_import_wisdom_from_file
#define fftw_import_wisdom_from_filename hfft_fftw_import_wisdom_from_filename
#define fftw_import_wisdom_from_string hfft_fftw_import_wisdom_from_string
#define fftwf_mpi_init hfft_fftwf_mpi_init
#define fftwf_mpi_cleanup hfft_fftwf_mpi_cleanup
#define fftwf_mpi_local_size_many_transposed hfft_fftwf_mpi_local_size_many_transposed
#define fftwf_mpi_local_size_many hfft_fftwf_mpi_local_size_many
#define fftwf_mpi_local_size_transposed hfft_fftwf_mpi_local_size_transposed
#define fftwf_mpi_local_size hfft_fftwf_mpi_local_size
#define fftwf_mpi_local_size_many_1d hfft_fftwf_mpi_local_size_many_1d
#define fftwf_mpi_local_size_1d hfft_fftwf_mpi_local_size_1d
#define fftwf_mpi_local_size_2d hfft_fftwf_mpi_local_size_2d
#define fftwf_mpi_local_size_2d_transposed hfft_fftwf_mpi_local_size_2d_transposed
#define fftwf_mpi_local_size_3d hfft_fftwf_mpi_local_size_3d
#define fftwf_mpi_local_size_3d_transposed hfft_fftwf_mpi_local_size_3d_transposed
#define fftwf_mpi_plan_many_transpose hfft_fftwf_mpi_plan_many_transpose
#define fftwf_mpi_plan_transpose hfft_fftwf_mpi_plan_transpose
#define fftwf_mpi_plan_many_dft hfft_fftwf_mpi_plan_many_dft
#define fftwf_mpi_plan_dft hfft_fftwf_mpi_plan_dft
#define fftwf_mpi_plan_dft_1d hfft_fftwf_mpi_plan_dft_1d
#define fftwf_mpi_plan_dft_2d hfft_fftwf_mpi_plan_dft_2d
#define fftwf_mpi_plan_dft_3d hfft_fftwf_mpi_plan_dft_3d
#define fftwf_mpi_plan_many_r2r hfft_fftwf_mpi_plan_many_r2r
#define fftwf_mpi_plan_r2r hfft_fftwf_mpi_plan_r2r
#define fftwf_mpi_plan_r2r_2d hfft_fftwf_mpi_plan_r2r_2d
#define fftwf_mpi_plan_r2r_3d hfft_fftwf_mpi_plan_r2r_3d
#define fftwf_mpi_plan_many_dft_r2c hfft_fftwf_mpi_plan_many_dft_r2c
#define fftwf_mpi_plan_dft_r2c hfft_fftwf_mpi_plan_dft_r2c
#define fftwf_mpi_plan_dft_r2c_2d hfft_fftwf_mpi_plan_dft_r2c_2d
#define fftwf_mpi_plan_dft_r2c_3d hfft_fftwf_mpi_plan_dft_r2c_3d
#define fftwf_mpi_plan_many_dft_c2r hfft_fftwf_mpi_plan_many_dft_c2r
#define fftwf_mpi_plan_dft_c2r hfft_fftwf_mpi_plan_dft_c2r
#define fftwf_mpi_plan_dft_c2r_2d hfft_fftwf_mpi_plan_dft_c2r_2d
#define fftwf_mpi_plan_dft_c2r_3d hfft_fftwf_mpi_plan_dft_c2r_3d
#define fftwf_mpi_gather_wisdom hfft_fftwf_mpi_gather_wisdom
#define fftwf_mpi_broadcast_wisdom hfft_fftwf_mpi_broadcast_wisdom
#define fftwf_mpi_execute_dft hfft_fftwf_mpi_execute_dft
#define fftwf_mpi_execute_dft_r2c hfft_fftwf_mpi_execute_dft_r2c
#define fftwf_mpi_execute_dft_c2r hfft_fftwf_mpi_execute_dft_c2r
#define fftwf_mpi_execute_r2r hfft_fftwf_mpi_execute_r2r
#define fftwf_execute hfft_fftwf_execute
#define fftwf_execute_dft hfft_fftwf_execute_dft
#define fftwf_execute_dft_r2c hfft_fftwf_execute_dft_r2c
#define fftwf_execute_dft_c2r hfft_fftwf_execute_dft_c2r
#define fftwf_execute_r2r hfft_fftwf_execute_r2r
#define fftwf_destroy_plan hfft_fftwf_destroy_plan
#define fftwf_copy_plan hfft_fftwf_copy_plan
#define fftwf_print_plan hfft_fftwf_print_plan
#define fftwf_fprint_plan hfft_fftwf_fprint_plan
#define fftwf_sprint_plan hfft_fftwf_sprint_plan
#define fftwf_flops hfft_fftwf_flops
#define fftwf_cost hfft_fftwf_cost
#define fftwf_estimate_cost hfft_fftwf_estimate_cost
#define fftwf_cleanup hfft_fftwf_cleanup
#define fftwf_cleanup_threads hfft_fftwf_cleanup_threads
#define fftwf_plan_with_nthreads hfft_fftwf_plan_with_nthreads
#define fftwf_set_timelimit hfft_fftwf_set_timelimit
#define fftwf_forget_wisdom hfft_fftwf_forget_wisdom
#define fftwf_export_wisdom hfft_fftwf_export_wisdom
#define fftwf_export_wisdom_to_file hfft_fftwf_export_wisdom_to_file
#define fftwf_export_wisdom_to_filename hfft_fftwf_export_wisdom_to_filename
#define fftwf_export_wisdom_to_string hfft_fftwf_export_wisdom_to_string
#define fftwf_import_wisdom hfft_fftwf_import_wisdom
#define fftwf_import_wisdom_from_file hfft_fftwf_import_wisdom_from_file
#define fftwf_import_wisdom_from_filename hfft_fftwf_import_wisdom_from_filename
#define fftwf_import_wisdom_from_string hfft_fftwf_import_wisdom_from_string
#endif

#endif
