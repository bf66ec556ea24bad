#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/beast/http/basic_parser.hpp>

#include "http/message.h"

namespace muster::http {

// Beast's parser for heads with limits; bodies are parsed by body_reader.h. Only request_parser.cc
// and response_parser.cc include it.
template <bool kRequest>
class HeadParser : public boost::beast::http::basic_parser<kRequest> {
 protected:
  using ErrorCode = boost::beast::error_code;
  using Text = boost::beast::string_view;

  HeadParser(uint32_t longest, size_t most_fields) : most_fields_(most_fields) {
    this->header_limit(longest);
    this->body_limit(boost::none);
    this->skip(true);  // Beast parses the head only
  }

  virtual Headers& headers() = 0;  // destination of the header fields

  // Returns the number of consumed bytes; an incomplete head is not an error.
  size_t Put(std::string_view bytes, ErrorCode& error) {
    const size_t used = this->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    if (error == boost::beast::http::error::need_more) error = {};
    return used;
  }

  static std::string ToString(Text text) { return {text.data(), text.size()}; }

  void on_request_impl(boost::beast::http::verb, Text, Text, int, ErrorCode&) override {}
  void on_response_impl(int, Text, int, ErrorCode&) override {}
  void on_field_impl(boost::beast::http::field, Text name, Text value, ErrorCode& error) override {
    if (headers().size() >= most_fields_) {
      error = boost::beast::http::error::header_limit;
      return;
    }
    headers().emplace_back(ToString(name), ToString(value));
  }
  // Beast's callbacks for bodies, which it does not parse here.
  void on_header_impl(ErrorCode&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  size_t on_body_impl(Text, ErrorCode&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, Text, ErrorCode&) override {}
  size_t on_chunk_body_impl(std::uint64_t, Text, ErrorCode&) override { return 0; }
  void on_finish_impl(ErrorCode&) override {}

 private:
  const size_t most_fields_;
};

}  // namespace muster::http
