/// Reads problem strings token by token, and reports errors with their position.
#pragma once

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hybridfft::verifier {

class ProblemReader {
public:
  explicit ProblemReader(std::string_view text) : text_(text) {}

  bool done() const { return at_ == text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  char take() { return text_[at_++]; }
  bool accept(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token, const std::string &what) {
    if (!accept(token)) fail("\"" + std::string(token) + "\" and " + what);
  }
  template <class T> T number(T smallest, const char *what) {
    T value = 0;
    const auto [end, status] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (status != std::errc{} || value < smallest)
      fail(std::string(what) + " (a whole number of at least " + std::to_string(smallest) + ")");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }
  [[noreturn]] void fail(const std::string &expected) const {
    throw std::invalid_argument("problem \"" + std::string(text_) + "\", character " +
                                std::to_string(at_ + 1) + ": found \"" +
                                std::string(text_.substr(at_)) + "\", expected " + expected);
  }

private:
  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace hybridfft::verifier
