# cmake -DGENERATE=generate.cmake -DSCRATCH=dir -P fortran_generator.cmake
# Tests the generator of the Fortran module: it translates known forms of declarations and refuses unknown ones.
cmake_minimum_required(VERSION 3.20)

set(known "
#define HFFT_ONE (1)
#define HFFT_BIT \\
  (1U << 5) ///< on two lines; with a comment
enum hfft_error { HFFT_SUCCESS = 0, HFFT_ERROR_ANY ///< a comment, with commas
};
struct hfft_stage_profile { const char *name; double a, b; };
struct hfft_options { size_t size; unsigned flags; ///< a comment; with a semicolon
  const int *axes; };
#define HFFT_DEFINE_API(X, R, C) \\
  /** A comment; with HFFT_EXPORT int X(nothing)(void); in it. */ \\
  HFFT_EXPORT X(plan) X(make)(const ptrdiff_t *n, R *in, \\
                              C * out, MPI_Comm comm); \\
  HFFT_EXPORT void X(forget)(X(plan) plan);
HFFT_EXPORT int hfft_call(hfft_table_function f, const struct hfft_options *options, void *user);
HFFT_EXPORT const char *hfft_name(void);
")
# The generator makes arrays of arguments with these names. Names of some constants contain digits.
set(layouts "
enum hfft_kind { HFFT_C2C = 0, HFFT_R2C = 1 };
HFFT_EXPORT hfft_layout hfft_layout_grid(int rnk, const ptrdiff_t *n, const int *parts);
HFFT_EXPORT int hfft_layout_local(hfft_layout layout, int rank, ptrdiff_t *start, ptrdiff_t *size);
")

function(generate name text)
  file(WRITE ${SCRATCH}/${name}.h "${text}")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DHEADER=${SCRATCH}/${name}.h -DMODULE=${SCRATCH}/${name}.f90
            -DWRAPPERS=${SCRATCH}/${name}.cpp -P ${GENERATE}
    RESULT_VARIABLE status ERROR_VARIABLE error)
  set(status ${status} PARENT_SCOPE)
  # CMake breaks the lines of its messages.
  string(REGEX REPLACE "[ \n]+" " " error "${error}")
  set(error "${error}" PARENT_SCOPE)
  set(module "")
  if(EXISTS ${SCRATCH}/${name}.f90)
    file(READ ${SCRATCH}/${name}.f90 module)
    string(REGEX REPLACE "[ \n]+" " " module "${module}")
  endif()
  set(module "${module}" PARENT_SCOPE)
endfunction()

function(expect text part)
  string(FIND "${text}" "${part}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "found no '${part}' in\n${text}")
  endif()
endfunction()

generate(known "${known}${layouts}")
expect("${status}" 0)
expect("${module}" "integer(c_int), parameter :: HFFT_ONE = 1 ")
expect("${module}" "integer(c_int), parameter :: HFFT_BIT = ishft(1_c_int, 5) ")
expect("${module}" "integer(c_int), parameter :: HFFT_ERROR_ANY = 1 ")
expect("${module}" "type(c_ptr) :: name real(c_double) :: a, b end type")
expect("${module}" "type, bind(C) :: hfft_options integer(c_size_t) :: size = 0 \
integer(c_int) :: flags type(c_ptr) :: axes end type")
expect("${module}" "integer(c_int) :: hfft_call type(c_funptr), value :: f \
type(hfft_options), intent(in) :: options type(c_ptr), value :: user")
expect("${module}" "function hfftf_make(n, in, out, comm) & bind(C, name='hfftf_make_f03') import \
type(c_ptr) :: hfftf_make integer(c_intptr_t), dimension(*), intent(in) :: n \
real(c_float), dimension(*), intent(inout) :: in \
complex(c_float_complex), dimension(*), intent(inout) :: out integer(c_int), value :: comm \
end function")
expect("${module}" "subroutine hfft_forget(plan) & bind(C, name='hfft_forget') import \
type(c_ptr), value :: plan end subroutine")
expect("${module}" "function hfft_name() & bind(C, name='hfft_name') import type(c_ptr) :: hfft_name")
expect("${module}" "integer(c_int), parameter :: HFFT_R2C = 1 ")
expect("${module}" "function hfft_layout_grid(rnk, n, parts) & bind(C, name='hfft_layout_grid') import \
type(c_ptr) :: hfft_layout_grid integer(c_int), value :: rnk \
integer(c_intptr_t), dimension(*), intent(in) :: n integer(c_int), dimension(*), intent(in) :: parts")
expect("${module}" "type(c_ptr), value :: layout integer(c_int), value :: rank \
integer(c_intptr_t), dimension(*), intent(out) :: start integer(c_intptr_t), intent(out) :: size")
string(FIND "${module}" "nothing" place)
if(NOT place EQUAL -1)
  message(FATAL_ERROR "a comment was taken for a function in\n${module}")
endif()
file(READ ${SCRATCH}/known.cpp wrappers)
expect("${wrappers}" "hfft_plan hfft_make_f03(const ptrdiff_t* n, double* in, hfft_complex* out, \
MPI_Fint comm)")
expect("${wrappers}" "return hfftf_make(n, in, out, communicator(comm));")

generate(unknown_type "${known}HFFT_EXPORT int hfft_odd(union odd *u);\n")
expect("${status}" 0)
expect("${error}" "hfft_odd: found the types 'union odd*'")
expect("${module}" "! Left out: hfft_odd, for union odd*")

generate(unknown_constant "${known}#define HFFT_TEXT (\"text\")\n")
if(status EQUAL 0)
  message(FATAL_ERROR "accepted a constant that is a string")
endif()
expect("${error}" "HFFT_TEXT: found '\"text\"', expected a number")
