/// Environment variables that tests set or read.
#pragma once

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

namespace hybridfft::test {

/// Sets an environment variable of the calling process until the object is destroyed. The
/// destructor restores the former value.
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

/// True if HFFT_TEST_GPU=cuda: tests then use the GPU of the machine, not the emulated device.
inline bool on_real_gpu() {
  const char *text = std::getenv("HFFT_TEST_GPU");
  const std::string kind = text != nullptr ? text : "emulated";
  if (kind != "cuda" && kind != "emulated")
    throw std::runtime_error("HFFT_TEST_GPU is '" + kind + "', expected cuda or emulated");
  return kind == "cuda";
}

/// Value of HFFT_GPU for a test: the given emulated device, or the GPU selected by HFFT_TEST_GPU.
inline std::string gpu_or(const std::string &emulated) { return on_real_gpu() ? "cuda" : emulated; }

/// Folder of test data: a subfolder of HFFT_TEST_DATA if it is set, else the one in the sources.
inline std::string data_folder(const std::string &subfolder, const std::string &in_sources) {
  const char *elsewhere = std::getenv("HFFT_TEST_DATA");
  return elsewhere != nullptr ? std::string(elsewhere) + "/" + subfolder : in_sources;
}

} // namespace hybridfft::test
