/// Environment variables for the time of a test.
#pragma once

#include <cstdlib>
#include <string>

namespace hybridfft::test {

/// A variable has a value while this object is there, on the ranks that have it, and is unset then.
class Variable {
public:
  Variable(const char *name, const std::string &value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

private:
  const char *name_;
};

} // namespace hybridfft::test
