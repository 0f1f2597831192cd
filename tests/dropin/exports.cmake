# cmake -DNM=nm -DLIBRARY=drop-in -DHEADER=fftw3-mpi.h -DORIGINALS=libfftw3_mpi,libfftw3f_mpi
#       -P exports.cmake
# Compares the symbols that the drop-in exports with FFTW's header and libraries. It must export, in both precisions,
# every function of the header and every Fortran entry point of the libraries. It must also export dlsym and FFTW's
# serial functions that use a plan or wisdom, and nothing else.
function(symbols file result)
  execute_process(COMMAND ${NM} -D --defined-only ${file} OUTPUT_VARIABLE text
                  RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${NM} -D ${file} ended with status ${status}")
  endif()
  string(REGEX MATCHALL "[^ \n]+\n" names "${text}")
  string(REGEX REPLACE "\n" "" names "${names}")
  # Versions of symbols are not part of their names.
  list(TRANSFORM names REPLACE "@.*" "")
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

file(READ ${HEADER} text)
string(REGEX MATCHALL "XM\\([a-z0-9_]+\\)[ \t\\\n]*\\(" matches "${text}")
string(REGEX REPLACE "XM\\(([a-z0-9_]+)\\)[ \t\\\n]*\\(" "mpi_\\1" functions "${matches}")
list(LENGTH functions count)
if(count LESS 37)
  message(FATAL_ERROR "${HEADER} declares ${count} functions, expected 37 or more: ${functions}")
endif()
set(interposed execute execute_dft execute_dft_r2c execute_dft_c2r execute_r2r destroy_plan
  print_plan fprint_plan sprint_plan flops cost estimate_cost cleanup cleanup_threads
  plan_with_nthreads set_timelimit forget_wisdom export_wisdom export_wisdom_to_file
  export_wisdom_to_filename export_wisdom_to_string import_wisdom import_wisdom_from_file
  import_wisdom_from_filename import_wisdom_from_string)

set(expected "")
foreach(name IN LISTS functions interposed)
  list(APPEND expected fftw_${name} fftwf_${name})
endforeach()
string(REPLACE "," ";" originals "${ORIGINALS}")
set(fortran 0)
foreach(library IN LISTS originals)
  symbols(${library} names)
  list(FILTER names INCLUDE REGEX "_f03$")
  list(LENGTH names count)
  math(EXPR fortran "${fortran} + ${count}")
  list(APPEND expected ${names})
endforeach()
if(fortran LESS 62)
  message(FATAL_ERROR "FFTW has ${fortran} entry points for Fortran, expected 62 or more")
endif()

# Functions new in FFTW 3.3.11, and the legacy Fortran interface, whose names have no fftw_ prefix.
list(APPEND expected fftw_copy_plan fftwf_copy_plan)
set(legacy "")
foreach(name execute execute_dft execute_dft_r2c execute_dft_c2r execute_r2r destroy_plan copy_plan
        print_plan flops cost estimate_cost)
  foreach(prefix dfftw sfftw)
    list(APPEND legacy ${prefix}_${name}_ ${prefix}_${name}__)
  endforeach()
endforeach()

symbols(${LIBRARY} found)
list(REMOVE_ITEM found ${legacy})
list(LENGTH legacy legacy_count)
symbols(${LIBRARY} all)
list(LENGTH all all_count)
list(LENGTH found found_count)
math(EXPR removed "${all_count} - ${found_count}")
if(NOT removed EQUAL legacy_count)
  message(FATAL_ERROR "${LIBRARY} has ${removed} functions of the legacy Fortran interface, "
                      "expected ${legacy_count}: ${legacy}")
endif()
set(missing ${expected})
list(REMOVE_ITEM missing ${found})
set(extra ${found})
# <hybridfft/fftw3-mpi.h> maps each function to the same name with the prefix hfft_.
list(TRANSFORM expected PREPEND hfft_ OUTPUT_VARIABLE mapped)
list(REMOVE_ITEM extra ${expected} ${mapped} dlsym)
set(unmapped ${mapped})
list(REMOVE_ITEM unmapped ${found})
if(missing OR extra OR unmapped)
  message(FATAL_ERROR "${LIBRARY}: missing: ${missing} ${unmapped}; not FFTW's: ${extra}")
endif()
