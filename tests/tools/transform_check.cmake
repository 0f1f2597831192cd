# Compares HybridFFT with serial FFTW: both transform random values 0..1000 in single precision. The spectra, and the
# values after a backward transform, must agree within `tolerance` times the largest magnitude.
# -DLAUNCH=LIST (mpiexec and its options), -DPROGRAMS=FOLDER, -DTYPE=real|complex, -DWORK=FOLDER for files,
# -DEXTENTS=LIST of the arrays' extents.
#
# Each transform has an error of about eps log2(N) times the root mean square of the spectrum. The largest magnitude,
# the coefficient of the mean, is above it. With eps = 2^-24 and N < 2^17 two transforms deviate by at most
# 2 * 6e-8 * 17 = 2e-6. The backward transform adds the same error.
set(tolerance 4e-6)

function(run program)
  execute_process(COMMAND ${LAUNCH} ${PROGRAMS}/hybridfft-${program} ${ARGN}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "hybridfft-${program} ${ARGN}: exit status ${status}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
foreach(extents IN LISTS EXTENTS)
  message("${TYPE} ${extents}")
  separate_arguments(n UNIX_COMMAND "${extents}")
  run(generate -o ${WORK}/x.h5 --extents ${n} --type ${TYPE} --range 0 1000 --seed 42)
  run(transform -i ${WORK}/x.h5 -o ${WORK}/hybridfft.h5 --output-dataset spectrum)
  run(transform -i ${WORK}/x.h5 -o ${WORK}/fftw.h5 --engine fftw --output-dataset spectrum)
  run(compare ${WORK}/hybridfft.h5 ${WORK}/fftw.h5 --dataset spectrum --tolerance ${tolerance})
  run(transform -i ${WORK}/fftw.h5 -o ${WORK}/back.h5 --input-dataset spectrum
      --direction backward --normalize)
  run(compare ${WORK}/x.h5 ${WORK}/back.h5 --tolerance ${tolerance})
endforeach()

# Values from -1 to 1 have a spectrum without a dominant coefficient. In double precision the errors above are below
# 2 * 1.1e-16 * 17 = 4e-15 of the root mean square.
run(generate -o ${WORK}/x.h5 --extents 30 20 15 --type ${TYPE} --range -1 1 --precision double)
run(transform -i ${WORK}/x.h5 -o ${WORK}/hybridfft.h5 --effort measure --threads 2)
run(transform -i ${WORK}/x.h5 -o ${WORK}/fftw.h5 --engine fftw --effort measure)
run(compare ${WORK}/hybridfft.h5 ${WORK}/fftw.h5 --tolerance 8e-15)
run(transform -i ${WORK}/hybridfft.h5 -o ${WORK}/back.h5 --engine fftw --direction backward
    --normalize)
run(compare ${WORK}/x.h5 ${WORK}/back.h5 --tolerance 8e-15)
# Single precision for an input in double precision adds the rounding of the input.
run(transform -i ${WORK}/x.h5 -o ${WORK}/single.h5 --precision single)
run(compare ${WORK}/single.h5 ${WORK}/fftw.h5 --tolerance ${tolerance})
file(REMOVE_RECURSE ${WORK})
