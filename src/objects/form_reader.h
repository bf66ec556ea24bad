#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "objects/object_meta.h"
#include "objects/s3_error.h"

namespace muster::objects {

// What a form says before its file.
struct PostForm {
  Pairs fields;          // names in lower case, values as they came, in their order
  std::string filename;  // of the file, without folders
  std::string file_type;

  // Empty when there is none.
  std::string_view Field(std::string_view name) const;
};

// Takes a body of multipart/form-data apart while it comes: fields, which are small, then one file.
// What follows the file is ignored, as S3 does.
class FormReader {
 public:
  using OnFile = std::function<S3Status(const PostForm&)>;  // all fields are known, the file begins
  using OnBytes = std::function<S3Status(std::string_view)>;

  FormReader(std::string_view boundary, OnFile on_file, OnBytes on_bytes);
  S3Status Feed(std::string_view bytes);
  // The body has ended: it must have had a file, and an end behind it.
  S3Status End() const;

 private:
  enum class State { kPreamble, kBoundary, kHead, kField, kFile, kEpilogue };

  // Each false when it needs more bytes.
  S3Result<bool> Step();
  S3Result<bool> ReadBoundary();
  S3Result<bool> ReadHead();
  S3Result<bool> ReadField();
  S3Result<bool> ReadFile();

  const std::string delimiter_;  // with the line break in front of it
  const OnFile on_file_;
  const OnBytes on_bytes_;
  State state_ = State::kPreamble;
  std::string buffer_ = "\r\n";  // the first delimiter may be the beginning of the body
  std::string name_;             // of the field that comes
  size_t before_file_ = 0;       // bytes of fields so far
  PostForm form_;
};

// The boundary of "multipart/form-data; boundary=…"; empty for another type.
std::string BoundaryOf(std::string_view content_type);

}  // namespace muster::objects
