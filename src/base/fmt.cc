// Debian packages {fmt} as headers and as a shared library. Compiling the headers into every file
// takes four fifths of a build, and the executable is static, so they are compiled once, here.
// Templates that a header declares `extern` or does not define must be instantiated below.

#include <fmt/format-inl.h>

template auto fmt::detail::thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl<char>(locale_ref) -> char;
template auto fmt::detail::dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto fmt::detail::dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template void fmt::detail::buffer<char>::append(const char*, const char*);
template void fmt::detail::vformat_to(buffer<char>&, string_view,
                                      basic_format_args<buffer_context<char>>, locale_ref);
