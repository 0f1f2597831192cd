/// Executions that are under way, so that waiting for one does not stop the others.
#pragma once

namespace hybridfft::plan {

/// One of them, in a list without memory of its own: of the process, whose calls come from one
/// thread at a time, or with MPI_THREAD_MULTIPLE of the thread that has started it and waits for
/// it.
class Background {
public:
  Background() = default;
  Background(const Background &) = delete;
  Background &operator=(const Background &) = delete;

  /// Lets all executions make progress.
  static void progress_all() noexcept;
  /// Makes progress until all that remains of any of them is to be ended.
  static void complete_all() noexcept;

protected:
  ~Background() { leave(); }
  /// Does what can be done without waiting.
  virtual void progress() noexcept = 0;
  /// All is done but ending it.
  virtual bool complete() const noexcept = 0;
  void enter() noexcept;
  void leave() noexcept; ///< does nothing where it has not entered
  /// No other execution is under way.
  bool alone() const noexcept;

private:
  Background *next_ = nullptr;
  Background **previous_ = nullptr; ///< what points to this one
};

} // namespace hybridfft::plan
