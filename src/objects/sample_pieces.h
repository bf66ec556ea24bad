#pragma once

#include <memory>
#include <string_view>

#include "s3/piece.h"

namespace muster::objects {

inline s3::SharedPiece PieceOf(std::string_view bytes) {
  auto piece = std::make_shared<s3::Piece>();
  piece->Append(bytes);
  return piece;
}

}  // namespace muster::objects
