#include "launcher/record_writer.h"

#include <string>
#include <utility>

namespace muster::launcher {

RecordWriter::RecordWriter(os::Loop& loop, os::Fd record)
    : clock_(loop.clock()),
      began_ms_(clock_.SteadyMs()),
      file_(loop, std::move(record), "the record") {}

void RecordWriter::Append(RecordBody body) {
  file_.Append(EncodeRecordLine({clock_.WallMs(), clock_.SteadyMs() - began_ms_, std::move(body)}));
}

void RecordWriter::Append(std::vector<RecordBody> bodies) {
  const int64_t wall_ms = clock_.WallMs();
  const int64_t mono_ms = clock_.SteadyMs() - began_ms_;
  std::string lines;
  for (auto& body : bodies) lines += EncodeRecordLine({wall_ms, mono_ms, std::move(body)});
  file_.Append(lines);
}

}  // namespace muster::launcher
