# cmake "-DHEADER=hybridfft.h;layout.h" -DMODULE=hybridfft.f90 -DWRAPPERS=wrappers.cpp -P generate.cmake
# Writes the Fortran module of the C API. A communicator is an integer in Fortran, so functions with a communicator also
# get wrappers named hfft_..._f03, like FFTW's.
#
# The script reads constants by #define, enums, structures, and functions declared alone or in HFFT_DEFINE_..._API. It
# omits a function if the lists below lack one of its types, prints a warning, and writes a comment into the module.
cmake_minimum_required(VERSION 3.20)

# C types of arguments and their types in Fortran. An entry with an argument's name holds for arguments of this name
# only: these are arrays in Fortran, while other arguments of the same C type are scalars. Arguments of type(c_ptr) may
# be c_null_ptr.
set(types
  "ptrdiff_t* start|integer(c_intptr_t), dimension(*), intent(out)"
  "ptrdiff_t* count|integer(c_intptr_t), dimension(*), intent(out)"
  "ptrdiff_t* stride|integer(c_intptr_t), dimension(*), intent(out)"
  "int* grid|integer(c_int), dimension(2), intent(out)"
  "const int*|integer(c_int), dimension(*), intent(in)" "hfft_layout|type(c_ptr), value" "hfft_work|type(c_ptr), value"
  "int|integer(c_int), value" "unsigned|integer(c_int), value" "double|real(c_double), value"
  "ptrdiff_t|integer(c_intptr_t), value" "size_t|integer(c_size_t), value"
  "const ptrdiff_t*|integer(c_intptr_t), dimension(*), intent(in)"
  "ptrdiff_t*|integer(c_intptr_t), intent(out)" "int*|integer(c_int), intent(out)"
  "R*|real(REAL_KIND), dimension(*), intent(inout)"
  "C*|complex(COMPLEX_KIND), dimension(*), intent(inout)"
  "const char*|character(kind=c_char), dimension(*), intent(in)"
  "MPI_Comm|integer(c_int), value" "PLAN|type(c_ptr), value" "void*|type(c_ptr), value"
  "FILE*|type(c_ptr), value" "struct hfft_stage_profile*|type(c_ptr), value"
  "const struct hfft_options*|type(hfft_options), intent(in)"
  "struct hfft_options*|type(hfft_options), intent(out)"
  "OPERATOR|type(c_ptr), value" "hfft_factors|type(c_ptr), value" "hfft_table|type(c_ptr), value"
  "LINE_WORK|type(c_funptr), value" "hfft_table_function|type(c_funptr), value"
  "hfft_spectrum_work|type(c_funptr), value"
  "const struct hfft_part*|type(c_ptr), value" "double*|real(c_double), intent(out)"
  "const struct hfft_source*|type(hfft_source), dimension(*), intent(in)"
  "const struct hfft_product*|type(hfft_product), dimension(*), intent(in)"
  "const C*|complex(COMPLEX_KIND), dimension(*), intent(in)")
set(results
  "int|integer(c_int)" "enum hfft_length_kind|integer(c_int)" "ptrdiff_t|integer(c_intptr_t)" "size_t|integer(c_size_t)" "PLAN|type(c_ptr)"
  "hfft_layout|type(c_ptr)" "hfft_work|type(c_ptr)" "OPERATOR|type(c_ptr)"
  "hfft_factors|type(c_ptr)" "hfft_table|type(c_ptr)" "void*|type(c_ptr)" "char*|type(c_ptr)" "const char*|type(c_ptr)" "R*|type(c_ptr)"
  "C*|type(c_ptr)")
set(fields "const char*|type(c_ptr)" "long long|integer(c_long_long)" "double|real(c_double)"
           "int|integer(c_int)" "unsigned|integer(c_int)" "size_t|integer(c_size_t)"
           "ptrdiff_t|integer(c_intptr_t)" "const ptrdiff_t*|type(c_ptr)" "const int*|type(c_ptr)"
           "hfft_work|type(c_ptr)" "hfft_factors|type(c_ptr)" "hfft_table|type(c_ptr)"
           "struct hfft_term|type(hfft_term)")

# Looks up the Fortran type of a C type in a list of pairs; empty if the list has none.
function(translate c_type pairs result)
  set(${result} "" PARENT_SCOPE)
  foreach(pair IN LISTS pairs)
    string(FIND "${pair}" "|" bar)
    string(SUBSTRING "${pair}" 0 ${bar} from)
    if(from STREQUAL c_type)
      math(EXPR bar "${bar} + 1")
      string(SUBSTRING "${pair}" ${bar} -1 to)
      set(${result} "${to}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Splits "const char *name" into "const char*" and "name".
function(split_declaration declaration type name)
  string(REGEX MATCH "^(.*[ *])([A-Za-z0-9_]+)$" matched "${declaration}")
  if(NOT matched)
    message(FATAL_ERROR "${HEADER}: found '${declaration}', expected a type and a name")
  endif()
  set(found_type "${CMAKE_MATCH_1}")
  set(${name} "${CMAKE_MATCH_2}" PARENT_SCOPE)
  string(REGEX REPLACE " *\\* *" "*" found_type "${found_type}")
  string(STRIP "${found_type}" found_type)
  set(${type} "${found_type}" PARENT_SCOPE)
endfunction()

# Text of the headers without comments, with continued lines joined. Statements end with ~ instead of a semicolon,
# because CMake separates list elements by semicolons.
set(text "")
foreach(header IN LISTS HEADER)
  file(READ ${header} one)
  string(APPEND text "${one}\n")
endforeach()
string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
string(REGEX REPLACE "//[^\n]*" "" text "${text}")
string(REGEX REPLACE "[ \t]*\\\\\n[ \t]*" " " text "${text}")
string(REPLACE ";" "~" text "${text}")

# Constants of #define and enum.
set(constants "")
string(REGEX MATCHALL "#define HFFT_[A-Z0-9_]+ +\\([^\n]*\\)" defines "${text}")
foreach(define IN LISTS defines)
  string(REGEX MATCH "#define (HFFT_[A-Z0-9_]+) +\\((.*)\\)$" matched "${define}")
  set(name ${CMAKE_MATCH_1})
  set(value "${CMAKE_MATCH_2}")
  if(value MATCHES "^[-+]?[0-9]+\\.[0-9]*$")
    string(APPEND constants "  real(c_double), parameter :: ${name} = ${value}_c_double\n")
  elseif(value MATCHES "^([-+]?[0-9]+)U?$")
    string(APPEND constants "  integer(c_int), parameter :: ${name} = ${CMAKE_MATCH_1}\n")
  elseif(value MATCHES "^1U << ([0-9]+)$")
    string(APPEND constants
      "  integer(c_int), parameter :: ${name} = ishft(1_c_int, ${CMAKE_MATCH_1})\n")
  else()
    message(FATAL_ERROR "${HEADER}: ${name}: found '${value}', expected a number or 1U << number")
  endif()
endforeach()
foreach(enum hfft_error hfft_length_kind hfft_fields hfft_kind hfft_r2r_kind)
  string(REGEX MATCH "enum ${enum} {([^}]*)}" matched "${text}")
  string(REGEX REPLACE "[ \n]" "" codes "${CMAKE_MATCH_1}")
  string(REPLACE "," ";" codes "${codes}")
  set(code 0)
  foreach(entry IN LISTS codes)
    if(NOT entry MATCHES "^(HFFT_[A-Z0-9_]+)(=(-?[0-9]+))?$")
      message(FATAL_ERROR "${HEADER}: ${enum}: found '${entry}', expected a name, or name = number")
    endif()
    set(name ${CMAKE_MATCH_1})
    if(NOT "${CMAKE_MATCH_3}" STREQUAL "")
      set(code ${CMAKE_MATCH_3})
    endif()
    string(APPEND constants "  integer(c_int), parameter :: ${name} = ${code}\n")
    math(EXPR code "${code} + 1")
  endforeach()
endforeach()

# Structures. The types of members may be earlier structures. A member `size` gets the default 0, "not set".
set(structures "")
string(REGEX MATCHALL "struct hfft_[a-z_]+ {[^}]*}" definitions "${text}")
foreach(definition IN LISTS definitions)
  string(REGEX MATCH "struct (hfft_[a-z_]+) {([^}]*)}" matched "${definition}")
  set(structure "${CMAKE_MATCH_1}")
  string(REGEX REPLACE "[ \n]+" " " members "${CMAKE_MATCH_2}")
  string(REPLACE "~" ";" members "${members}")
  string(APPEND structures "  type, bind(C) :: ${structure}\n")
  foreach(member IN LISTS members)
    string(STRIP "${member}" member)
    if(member STREQUAL "")
      continue()
    endif()
    string(REGEX REPLACE "^([^,]*[ *])([A-Za-z0-9_]+(, [A-Za-z0-9_]+)*)$" "\\2" names "${member}")
    string(REGEX REPLACE ",.*" "" first "${member}")
    split_declaration("${first}" type unused)
    translate("${type}" "${fields}" fortran)
    if(NOT fortran)
      message(FATAL_ERROR "${HEADER}: ${structure}: found the type '${type}', which generate.cmake "
                          "has no Fortran for")
    endif()
    if(names STREQUAL "size")
      set(names "size = 0")
    endif()
    string(APPEND structures "    ${fortran} :: ${names}\n")
  endforeach()
  string(APPEND structures "  end type\n\n")
endforeach()

# Functions. A function of both precisions is declared for each of its prefixes, hfft_ and hfftf_.
string(REPLACE "X(plan) " "PLAN " text "${text}")
string(REPLACE "X(operator_plan) " "OPERATOR " text "${text}")
string(REPLACE "X(line_work) " "LINE_WORK " text "${text}")
string(REGEX REPLACE "[ \n]+" " " text "${text}")
string(REGEX MATCHALL "HFFT_EXPORT [^~]*~" functions "${text}")
set(interfaces "")
set(wrappers "")

function(add_function prefix name result arguments)
  set(names "")
  set(declarations "")
  set(c_arguments "")
  set(c_values "")
  set(unknown "")
  set(fortran_name ${prefix}${name})
  set(c_name ${fortran_name})
  foreach(argument IN LISTS arguments)
    split_declaration("${argument}" type argument_name)
    translate("${type} ${argument_name}" "${types}" fortran)
    if(NOT fortran)
      translate("${type}" "${types}" fortran)
    endif()
    if(NOT fortran)
      list(APPEND unknown "${type}")
    endif()
    string(APPEND declarations "      ${fortran} :: ${argument_name}\n")
    list(APPEND names ${argument_name})
    if(type STREQUAL "MPI_Comm")
      set(c_name ${fortran_name}_f03)
      list(APPEND c_arguments "MPI_Fint ${argument_name}")
      list(APPEND c_values "communicator(${argument_name})")
    else()
      list(APPEND c_arguments "${type} ${argument_name}")
      list(APPEND c_values "${argument_name}")
    endif()
  endforeach()

  list(JOIN names ", " names)
  # A line of Fortran has at most 132 characters.
  string(REGEX REPLACE "(.............................................................[^,]*,) "
         "\\1 &\n        " names "${names}")
  if(result STREQUAL "void")
    set(kind subroutine)
    set(returned "")
  else()
    set(kind function)
    translate("${result}" "${results}" fortran)
    if(NOT fortran)
      list(APPEND unknown "${result}")
    endif()
    set(returned "      ${fortran} :: ${fortran_name}\n")
  endif()
  if(unknown)
    message(WARNING "${HEADER}: ${fortran_name}: found the types '${unknown}', which generate.cmake "
                    "has no Fortran for: left out of the module")
    set(interfaces "${interfaces}    ! Left out: ${fortran_name}, for ${unknown}\n\n" PARENT_SCOPE)
    return()
  endif()
  set(block "    ${kind} ${fortran_name}(${names}) &\n        bind(C, name='${c_name}')\n")
  string(APPEND block "      import\n${returned}${declarations}    end ${kind}\n\n")

  set(c_text "")
  if(NOT c_name STREQUAL fortran_name)
    list(JOIN c_arguments ", " c_arguments)
    list(JOIN c_values ", " c_values)
    set(c_text "HFFT_EXPORT ${result} ${c_name}(${c_arguments}) {\n  return ${fortran_name}(${c_values});\n}\n")
  endif()
  if(prefix STREQUAL "hfftf_")
    string(REPLACE "REAL_KIND" "c_float" block "${block}")
    string(REPLACE "COMPLEX_KIND" "c_float_complex" block "${block}")
    string(REGEX REPLACE "PLAN" "hfftf_plan" c_text "${c_text}")
    string(REGEX REPLACE "OPERATOR" "hfftf_operator_plan" c_text "${c_text}")
    string(REGEX REPLACE "([ (])R\\*" "\\1float*" c_text "${c_text}")
    string(REGEX REPLACE "([ (])C\\*" "\\1hfftf_complex*" c_text "${c_text}")
  else()
    string(REPLACE "REAL_KIND" "c_double" block "${block}")
    string(REPLACE "COMPLEX_KIND" "c_double_complex" block "${block}")
    string(REGEX REPLACE "PLAN" "hfft_plan" c_text "${c_text}")
    string(REGEX REPLACE "OPERATOR" "hfft_operator_plan" c_text "${c_text}")
    string(REGEX REPLACE "([ (])R\\*" "\\1double*" c_text "${c_text}")
    string(REGEX REPLACE "([ (])C\\*" "\\1hfft_complex*" c_text "${c_text}")
  endif()
  set(interfaces "${interfaces}${block}" PARENT_SCOPE)
  set(wrappers "${wrappers}${c_text}" PARENT_SCOPE)
endfunction()

list(LENGTH functions count)
if(count EQUAL 0)
  message(FATAL_ERROR "${HEADER}: found no function, expected HFFT_EXPORT ... in front of some")
endif()
foreach(function IN LISTS functions)
  string(REGEX MATCH "^HFFT_EXPORT (.*[ *])(X\\(|hfft_)([a-z0-9_]+)\\)? ?\\((.*)\\)~$" matched
         "${function}")
  if(NOT matched)
    message(FATAL_ERROR "${HEADER}: found '${function}', expected a function")
  endif()
  set(result "${CMAKE_MATCH_1}")
  set(prefix "${CMAKE_MATCH_2}")
  set(name "${CMAKE_MATCH_3}")
  set(arguments "${CMAKE_MATCH_4}")
  string(REGEX REPLACE " *\\* *" "*" result "${result}")
  string(STRIP "${result}" result)
  if(arguments STREQUAL "void")
    set(arguments "")
  endif()
  string(REGEX REPLACE " *, *" ";" arguments "${arguments}")
  if(prefix STREQUAL "hfft_")
    add_function(hfft_ ${name} "${result}" "${arguments}")
  else()
    add_function(hfft_ ${name} "${result}" "${arguments}")
    add_function(hfftf_ ${name} "${result}" "${arguments}")
  endif()
endforeach()

set(header_names ${HEADER})
list(TRANSFORM header_names REPLACE ".*/" "")
list(JOIN header_names ", " header_names)
configure_file(${CMAKE_CURRENT_LIST_DIR}/hybridfft.f90.in ${MODULE} @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/wrappers.cpp.in ${WRAPPERS} @ONLY)
