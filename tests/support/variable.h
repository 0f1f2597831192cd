/// Environment variables for the time of a test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace hybridfft::test {

/// A variable has a value while this object is there, on the ranks that have it, and then is again
/// what it was.
class Variable {
public:
  Variable(const char *name, const std::string &value) : name_(name) {
    if (const char *before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

private:
  const char *name_;
  std::optional<std::string> before_;
};

} // namespace hybridfft::test
