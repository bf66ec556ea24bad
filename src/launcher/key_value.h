#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace muster::launcher {

// The store at which Horovod's ranks find each other: what they ask over HTTP, and what they are
// answered, as values. A path is /<scope>/<key>. In each scope rank i of n puts `rank_<i>` and
// `<i>`, reads those of the others until they are there, and deletes `<i>` when it has them all; a
// key is still read by others after that, so that a scope goes as a whole with its last rank.
class KeyValue {
 public:
  struct Answer {
    int status = 200;
    std::string body;
  };

  // `limit` bytes are kept at most: nobody asks those who write who they are.
  explicit KeyValue(size_t limit = size_t{256} << 20) : limit_(limit) {}

  Answer Handle(std::string_view method, std::string_view path, std::string_view body);
  size_t bytes() const { return bytes_; }

 private:
  struct Scope {
    std::map<std::string, std::string, std::less<>> values;
    std::set<std::string, std::less<>> finished;
    size_t ranks = 0;  // that have come
  };
  using Scopes = std::map<std::string, Scope, std::less<>>;

  Answer Put(std::string_view scope, std::string_view key, std::string_view body);
  Answer Get(std::string_view scope, std::string_view key) const;
  Answer Delete(std::string_view scope, std::string_view key);
  void Drop(Scopes::iterator scope);

  Scopes scopes_;
  size_t limit_;
  size_t bytes_ = 0;
};

}  // namespace muster::launcher
