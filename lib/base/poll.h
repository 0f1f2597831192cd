/// A reference to something that is to be called now and then while work goes on.
#pragma once

namespace hybridfft {

/// Refers to a callable that must outlive it and must not throw; by default to none.
class Poll {
public:
  Poll() = default;
  template <class F>
  explicit Poll(F &f) : object_(&f), call_([](void *object) { (*static_cast<F *>(object))(); }) {}
  /// True if it refers to a callable.
  explicit operator bool() const { return call_ != nullptr; }
  void operator()() const {
    if (call_ != nullptr) call_(object_);
  }

private:
  void *object_ = nullptr;
  void (*call_)(void *) = nullptr;
};

} // namespace hybridfft
