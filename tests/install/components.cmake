# cmake -DPREFIX=dir -DSCRATCH=dir -DHAS=LIST -DLACKS=LIST -DCC=compiler -DCXX=compiler -P components.cmake
# Tests find_package(hybridfft COMPONENTS ...). It must find each component of HAS. For each NAME=regex of LACKS it must
# fail with a message that matches the regular expression.
file(REMOVE_RECURSE ${SCRATCH})

# configured(OUT name ARGUMENTS...): configures a project with find_package(hybridfft ARGUMENTS), and sets OUT to
# the output.
function(configured out name)
  file(WRITE ${SCRATCH}/${name}/CMakeLists.txt
    "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES C CXX)\nfind_package(hybridfft ${ARGN})\n"
    "message(STATUS \"found=\${hybridfft_FOUND} grid=\${hybridfft_grid_FOUND} none=\${hybridfft_none_FOUND}\")\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SCRATCH}/${name} -B ${SCRATCH}/${name}/build
                          -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX}
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  set(${out} "${output}" PARENT_SCOPE)
endfunction()

function(expect output text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "${output}\nexpected '${text}'")
  endif()
endfunction()

list(JOIN HAS " " has)
configured(output has REQUIRED COMPONENTS ${has})
expect("${output}" "found=1 grid=TRUE")
configured(output optional COMPONENTS grid OPTIONAL_COMPONENTS none)
expect("${output}" "found=1 grid=TRUE none=FALSE")
foreach(entry IN LISTS LACKS)
  string(REGEX MATCH "^([a-z0-9_]+)=(.*)$" matched "${entry}")
  set(name ${CMAKE_MATCH_1})
  set(reason "${CMAKE_MATCH_2}")
  configured(output ${name} REQUIRED COMPONENTS grid ${name})
  expect("${output}" "component '${name}': ${reason}")
endforeach()
