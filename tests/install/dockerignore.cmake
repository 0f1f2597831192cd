# cmake -DSOURCE=dir -P dockerignore.cmake
# Fails unless .dockerignore excludes from the container's context all files excluded by .gitignore from the
# sources. Patterns of .gitignore without a folder apply in all folders, patterns of .dockerignore at the root.
cmake_minimum_required(VERSION 3.20)
file(STRINGS ${SOURCE}/.gitignore wanted REGEX "^[^#]")
file(STRINGS ${SOURCE}/.dockerignore found REGEX "^[^#]")
foreach(pattern IN LISTS wanted)
  string(REGEX REPLACE "/$" "" pattern "${pattern}")
  if(pattern MATCHES "^/(.*)")
    set(pattern "${CMAKE_MATCH_1}")
  else()
    set(pattern "**/${pattern}")
  endif()
  if(NOT pattern IN_LIST found)
    message(FATAL_ERROR "${SOURCE}/.dockerignore: found '${found}', expected '${pattern}', too")
  endif()
endforeach()
