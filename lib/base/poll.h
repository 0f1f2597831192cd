/// Reference to a callable for repeated calls during work, such as progress of messages.
#pragma once

namespace hybridfft {

/// Refers to a callable, or to none by default. The callable must outlive it and must not throw.
class Poll {
public:
  Poll() = default;
  template <class F>
  explicit Poll(F &f) : object_(&f), call_([](void *object) { (*static_cast<F *>(object))(); }) {}
  /// Returns true if it refers to a callable.
  explicit operator bool() const { return call_ != nullptr; }
  void operator()() const {
    if (call_ != nullptr) call_(object_);
  }

private:
  void *object_ = nullptr;
  void (*call_)(void *) = nullptr;
};

} // namespace hybridfft
