# Tests the tools' command lines on two ranks: exit status and output. Included by CMakeLists.txt.
function(tool_test program name)
  hfft_tool_test(tools.${program}.${name} PROGRAM hybridfft-${program} DIRECTORY ${files} ${ARGN})
endfunction()

set(files ${CMAKE_CURRENT_BINARY_DIR}/files)
file(MAKE_DIRECTORY ${files})

# Generates the input files of the tests below.
function(tool_file name)
  tool_test(generate ${name} STATUS 0 ARGUMENTS -o ${name}.h5 ${ARGN})
  set_tests_properties(tools.generate.${name} PROPERTIES FIXTURES_SETUP tool_files)
endfunction()
tool_file(real --extents 6x5x9)
tool_file(real2 --extents 6,5,9 --seed 2)
tool_file(real8 --extents 6 5 8)
tool_file(complex --extents 6 5 5 --type complex --dataset spectrum)
tool_file(flat --extents 600x600)
tool_file(negative --extents 6 5 9 --range -7,-7 --precision double)
function(tool_file_test program name)
  tool_test(${program} ${name} ${ARGN})
  set_tests_properties(tools.${program}.${name} PROPERTIES FIXTURES_REQUIRED tool_files)
endfunction()

foreach(program generate transform compare info)
  tool_test(${program} help ALONE STATUS 0 OUT "hybridfft-${program}.*--version" ARGUMENTS --help)
  tool_test(${program} version ALONE STATUS 0 OUT "${PROJECT_VERSION}" ARGUMENTS --version)
endforeach()
tool_test(generate unknown_option ALONE STATUS 1 ERR "--frobnicate"
  ARGUMENTS -o out.h5 --extents 3 3 3 --frobnicate)
tool_test(transform unknown_option STATUS 1 ERR "--frobnicate"
  ARGUMENTS -i real.h5 -o out.h5 --frobnicate)
tool_test(compare unknown_option ALONE STATUS 1 ERR "--frobnicate" ARGUMENTS a.h5 b.h5 --frobnicate)
tool_test(info unknown_option ALONE STATUS 1 ERR "--frobnicate" ARGUMENTS --frobnicate)

# all_ranks_fail(program argument...): the command must exit with status 1 on each of three ranks. A shell around each
# rank prints the status.
function(all_ranks_fail program)
  set(test tools.${program}.all_ranks_fail)
  add_test(NAME ${test}
    COMMAND ${mpiexec} 3 sh -c "\"$0\" \"$@\" || echo status=$?; echo end"
            $<TARGET_FILE:hybridfft-${program}> ${ARGN}
    WORKING_DIRECTORY ${files})
  set_tests_properties(${test} PROPERTIES LABELS "mpi;tool" TIMEOUT 60 PROCESSORS 2
    ENVIRONMENT OMP_NUM_THREADS=1 FIXTURES_REQUIRED tool_files
    PASS_REGULAR_EXPRESSION "status=1.*status=1.*status=1")
endfunction()
all_ranks_fail(generate -o no/where.h5 --extents 3 3 3)
all_ranks_fail(transform -i absent.h5 -o out.h5)
all_ranks_fail(compare real.h5 real2.h5)
all_ranks_fail(info --frobnicate)

tool_test(generate no_output STATUS 1 ERR "hybridfft-generate: error: --output is required .did you mean -o out.h5..\nTry 'hybridfft-generate --help'"
  ARGUMENTS out.h5 --extents 3x3x3)
tool_test(generate no_extents ALONE STATUS 1 ERR "--extents is required" ARGUMENTS -o out.h5)
tool_test(generate zero_extent ALONE STATUS 1 ERR "--extents: found '3 0 3', expected 2 to 8 integers from 1 on, such as 64x64x64 or 64 64 64"
  ARGUMENTS -o out.h5 --extents 3 0 3)
tool_test(generate one_extent ALONE STATUS 1 ERR "--extents: found '3', expected 2 to 8" ARGUMENTS -o out.h5 --extents 3)
tool_test(generate bad_type ALONE STATUS 1 ERR "--type: found 'imaginary', expected complex or real"
  ARGUMENTS -o out.h5 --extents 3 3 3 --type imaginary)
tool_test(generate bad_precision ALONE STATUS 1 ERR "--precision: found 'half', expected double or single"
  ARGUMENTS -o out.h5 --extents 3 3 3 --precision half)
tool_test(generate bad_seed ALONE STATUS 1 ERR "--seed: found '-1', expected an integer from 0 on"
  ARGUMENTS -o out.h5 --extents 3 3 --seed -1)
tool_test(generate empty_range ALONE STATUS 1 ERR "--range: found 2 1, expected LO <= HI"
  ARGUMENTS -o out.h5 --extents 3 3 3 --range 2 1)
tool_test(generate nan_range ALONE STATUS 1 ERR "--range: found nan 1, expected LO <= HI"
  ARGUMENTS -o out.h5 --extents 3 3 3 --range nan 1)
tool_test(generate large_range ALONE STATUS 1 ERR "--range: found 0 1e.39, expected numbers that"
  ARGUMENTS -o out.h5 --extents 3 3 3 --range 0 1e39)
tool_test(generate too_large STATUS 1 ERR "out.h5: dataset 'data': found the shape 9007199254740992 x 9007199254740992"
  ARGUMENTS -o out.h5 --extents 9007199254740992 9007199254740992)
tool_test(generate no_folder STATUS 1 ERR "there is no folder 'no'"
  ARGUMENTS -o no/where.h5 --extents 3 3 3)

tool_test(transform no_options ALONE STATUS 1
  ERR "--input is required .did you mean -i real.h5 -o spectrum.h5.." ARGUMENTS real.h5 spectrum.h5)
tool_file_test(transform missing_file STATUS 1 ERR "cannot open 'absent.h5': No such file"
  ARGUMENTS -i absent.h5 -o out.h5)
tool_file_test(transform missing_dataset STATUS 1
  ERR "complex.h5: dataset 'data' is missing .the file has spectrum"
  ARGUMENTS -i complex.h5 -o out.h5)
tool_file_test(transform same_file STATUS 1 ERR "-o: found './real.h5', which is the input file"
  ARGUMENTS -i real.h5 -o ./real.h5)
tool_file_test(transform bad_direction ALONE STATUS 1 ERR "--direction: found 'sideways', expected backward or forward"
  ARGUMENTS -i real.h5 -o out.h5 --direction sideways)
tool_file_test(transform bad_engine ALONE STATUS 1 ERR "--engine: found 'steam', expected fftw or hybridfft"
  ARGUMENTS -i real.h5 -o out.h5 --engine steam)
tool_file_test(transform bad_effort ALONE STATUS 1 ERR "--effort: found 'heroic', expected estimate, exhaustive, measure or patient"
  ARGUMENTS -i real.h5 -o out.h5 --effort heroic)
tool_file_test(transform bad_threads ALONE STATUS 1 ERR "--threads: found '0', expected an integer from 1 to [0-9]+"
  ARGUMENTS -i real.h5 -o out.h5 --threads 0)
tool_file_test(transform bad_kind STATUS 1 ERR "--kind: found c2r, but real.h5"
  ARGUMENTS -i real.h5 -o out.h5 --kind c2r)
tool_file_test(transform bad_extent STATUS 1 ERR "--real-extent: found 7, expected 8 or 9"
  ARGUMENTS -i complex.h5 -o out.h5 --input-dataset spectrum --kind c2r --real-extent 7)
tool_file_test(transform bad_simd STATUS 1 ERR "HFFT_SIMD.*abacus" ENVIRONMENT HFFT_SIMD=abacus
  ARGUMENTS -i real.h5 -o out.h5)
tool_file_test(transform says_what_it_does STATUS 0
  OUT "r2c forward, 6 x 5 x 9, single precision.*2 ranks x 1 threads.*plan .*GFlop/s.*writing"
  ARGUMENTS -i real.h5 -o verbose.h5 --verbose)
tool_file_test(transform fftw_says_who_works STATUS 0 OUT "serial FFTW on rank 0 alone"
  ARGUMENTS -i real.h5 -o fftw.h5 --engine fftw)

tool_file_test(compare equal STATUS 0 OUT "values +270.*max 0  mean 0.*within"
  ARGUMENTS real.h5 real.h5)
tool_file_test(compare different STATUS 1 OUT "BEYOND THE TOLERANCE" ARGUMENTS real.h5 real2.h5)
tool_file_test(compare loose STATUS 0 OUT "tolerance +1: within"
  ARGUMENTS real.h5 real2.h5 --tolerance 1)
tool_file_test(compare absolute STATUS 1 OUT "absolute tolerance +0.5.*BEYOND"
  ARGUMENTS real.h5 real2.h5 --tolerance 1 --absolute 0.5)
# One file has single precision and values of at least 0; the other has double precision and the value -7 everywhere.
tool_file_test(compare precisions_may_differ STATUS 1 OUT "deviation +max 10[0-9.]+  mean [0-9.]+"
  ARGUMENTS real.h5 negative.h5)
tool_file_test(compare shapes STATUS 1
  ERR "real.h5: dataset 'data' has real values of shape 6 x 5 x 9, real8.h5: dataset 'data' has real values of shape 6 x 5 x 8, expected the same"
  ARGUMENTS real.h5 real8.h5)
tool_file_test(compare types STATUS 1
  ERR "has real values of shape 6 x 5 x 9, complex.h5: dataset 'spectrum' has complex values"
  ARGUMENTS real.h5 complex.h5 --dataset-b spectrum)
tool_file_test(compare bad_tolerance ALONE STATUS 1 ERR "--tolerance: found '-1', expected a number from 0 on\nTry"
  ARGUMENTS real.h5 real.h5 --tolerance -1)

tool_test(info tells STATUS 0
  OUT "HybridFFT ${PROJECT_VERSION}.*FFTW double.*SIMD in use: scalar.*HDF5: .*MPI thread level: MPI_THREAD.*ranks: 2.*2 ranks per node.*threads per rank, ranks 0-1: 1.*bound to processors.*HFFT_SIMD=scalar.*OMP_NUM_THREADS=1"
  ENVIRONMENT HFFT_SIMD=scalar)

# A picture of 38400 x 38400 points of four bytes needs more than the 3 GB of address space.
if(HFFT_PYTHON_WITH_HDF5)
  add_test(NAME tools.view.out_of_memory
    COMMAND sh -c "ulimit -v 3000000; \"$0\" -i flat.h5 -d data -o flat.png --scale 64 2>&1; echo status=$?"
            ${PROJECT_BINARY_DIR}/tools/hybridfft-view
    WORKING_DIRECTORY ${files})
  set_tests_properties(tools.view.out_of_memory PROPERTIES LABELS tool TIMEOUT 120
    ENVIRONMENT "OPENBLAS_NUM_THREADS=1;PYTHONDONTWRITEBYTECODE=1" FIXTURES_REQUIRED tool_files
    PASS_REGULAR_EXPRESSION "error: out of memory: [56][0-9]* bytes .[56].* GB. for a picture of .*status=1")
endif()

# info_test(NAME OUT regex ERR regex COMMAND variable=value...): runs hybridfft-info without mpirun. The
# program must report wrong and unknown environment variables, choose how OpenMP's threads wait unless the user does,
# and, bound to one of several processors, report the idle ones.
function(info_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUT;ERR" "COMMAND")
  set(unset --unset=OMP_NUM_THREADS --unset=OMP_WAIT_POLICY --unset=GOMP_SPINCOUNT)
  add_test(NAME tools.info.${name}
    COMMAND ${CMAKE_COMMAND}
            "-DCOMMAND=${CMAKE_COMMAND};-E;env;${unset};${arg_COMMAND};$<TARGET_FILE:hybridfft-info>"
            -DSTATUS=0 "-DOUT=${arg_OUT}" "-DERR=${arg_ERR}"
            -P ${PROJECT_SOURCE_DIR}/tests/support/run_tool.cmake)
  set_tests_properties(tools.info.${name} PROPERTIES LABELS tool TIMEOUT 60)
endfunction()
info_test(wrong_environment COMMAND HFFT_SIMD=altivec HFFT_EXCHNGE=shared
  OUT "GOMP_SPINCOUNT=1000.*OMP_WAIT_POLICY=passive.*FAILED: the environment variable HFFT_SIMD is 'altivec', expected one of scalar"
  ERR "warning: the environment variable HFFT_EXCHNGE is unknown; known are HFFT_SIMD, ")
info_test(chosen_waiting COMMAND OMP_WAIT_POLICY=active ERR "^$"
  OUT "ranks 0: OMP_WAIT_POLICY=active[^A-Za-z]+use of processors: .*plan of 4 x 4 x 4: hybridfft c2c")
include(ProcessorCount)
ProcessorCount(processors)
find_program(HFFT_TASKSET taskset)
mark_as_advanced(HFFT_TASKSET)
if(HFFT_TASKSET AND processors GREATER 1)
  info_test(bound COMMAND ${HFFT_TASKSET} -c 0 ERR "^$"
    OUT "use of processors: WRONG: 1 rank x 1 thread on 1 of [0-9]+ cores; .* start it without taskset")
endif()
