# cmake -DSOURCE=dir -DVERSION=x.y.z -P version.cmake
# The version must be the newest release in CHANGELOG.md, or a later one if something is unreleased. The README
# must have the same version.
file(STRINGS ${SOURCE}/CHANGELOG.md headings REGEX "^## \\[|^- ")
set(released "")
set(unreleased NO)
foreach(line IN LISTS headings)
  if(line MATCHES "^## \\[([0-9]+\\.[0-9]+\\.[0-9]+)\\]")
    set(released ${CMAKE_MATCH_1})
    break()
  elseif(line MATCHES "^- ")
    set(unreleased YES)
  endif()
endforeach()
if(NOT released)
  message(FATAL_ERROR "CHANGELOG.md has no heading '## [x.y.z]'")
endif()
if(VERSION VERSION_LESS released OR (unreleased AND VERSION VERSION_EQUAL released) OR
   (NOT unreleased AND NOT VERSION VERSION_EQUAL released))
  message(FATAL_ERROR "the version is ${VERSION}, but CHANGELOG.md has released ${released} "
                      "(unreleased changes: ${unreleased})")
endif()
file(READ ${SOURCE}/README.md readme)
string(FIND "${readme}" "version ${VERSION};" position)
if(position EQUAL -1)
  message(FATAL_ERROR "README.md does not say 'version ${VERSION};'")
endif()
