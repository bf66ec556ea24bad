#pragma once

#include <concepts>
#include <memory>
#include <utility>

namespace muster {

// An immutable value with shared ownership: copying it copies a pointer. Reads like the value;
// assignment replaces the whole value.
template <typename T>
class Shared {
 public:
  Shared() = default;
  template <typename U>
    requires std::constructible_from<T, U> && (!std::same_as<std::remove_cvref_t<U>, Shared>)
  Shared(U&& value) : value_(std::make_shared<const T>(std::forward<U>(value))) {}

  const T& get() const {
    static const T kNothing{};
    return value_ ? *value_ : kNothing;
  }
  operator const T&() const { return get(); }
  const T& operator*() const { return get(); }
  const T* operator->() const { return &get(); }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace muster
