#include "dialect/modelarts.h"
#include "dialect/plan.h"

namespace muster::dialect {

namespace {

constexpr std::string_view kUtils = R"sh(# Functions for scripts that start the command of an image.

# Names are resolved by the node's own hosts file.
dls_fix_dns() { :; }

# There are no variables of other jobs here.
unset_job_env_except_self() { :; }

# Nothing is encrypted: the values are what they say.
decrypt_dls_aes_env() { :; }

# The code is in place before any script runs; this says where, or fails when it is not.
dls_get_app() {
  local place="${1#file://}"
  if [ -z "$place" ]; then
    echo "no code was given to this job"
  elif [ -d "$place" ]; then
    echo "the code is at $place"
  else
    echo "the code is not at $place"
    return 1
  fi
}

dls_create_log() { mkdir -p "$(dirname "$1")" && : > "$1"; }

# Standard input to the end of the log; a second word asks for what is done anyway.
dls_logger() { cat >> "$1"; }

dls_upload_log() {
  local folder="${2#file://}"
  case "$folder" in
    *://*) echo "the log stays at $1: $folder is no folder"; return 1 ;;
  esac
  mkdir -p "$folder" && cp "$1" "$folder/"
}
)sh";

constexpr std::string_view kRunTrain = R"sh(#!/bin/bash
# Runs the words that it is given where the code is; for jobs that bring no script of this name.
home="$(cd "$(dirname "$0")" && pwd -P)"
. "$home/utils.sh"
dls_get_app "$DLS_APP_URL" || exit 127
cd "$home/user-job-dir" && exec "$@"
)sh";

// $1 is the folder that holds the code's, $2 the folder of the boot file, $3 the interpreter, $5
// the folder of programs.
constexpr std::string_view kPreStart = R"sh(export PATH="$5:$PATH"
export PYTHONPATH="$1${PYTHONPATH:+:$PYTHONPATH}"
cd "$1" || exit
if [ -f "$2/ma-pre-start.sh" ]; then
  echo '[ModelArts Service Log] ma-pre-start.sh begins'
  . "$2/ma-pre-start.sh"
elif [ -f "$2/ma-pre-start.py" ]; then
  echo '[ModelArts Service Log] ma-pre-start.py begins'
  "$3" "$2/ma-pre-start.py"
fi
)sh";

// Images of the first generation contain a script that starts their command, and commands name
// files relative to the parent of the code folder. $4 is the home folder.
constexpr std::string_view kImage = R"sh(export PATH="$PATH:$4"
cd "$1" || exit
if [ -f code/run_train.sh ]; then cp code/run_train.sh "$4/run_train.sh" || exit; fi
for entry in code/*; do
  if [ -e "$entry" ] && [ ! -e "${entry##*/}" ]; then ln -s "$entry" . || exit; fi
done
)sh";

}  // namespace

PreStart MaPreStart(const PlatformJob& job, const MaLayout& layout, const NodeOrder& order) {
  const std::string& boot = order.boot_file;
  PreStart step{
      .name = "ma-pre-start.sh",
      .text = std::string(kPreStart),
      .words = {layout.job_dir, boot.empty() ? layout.code : boot.substr(0, boot.rfind('/')),
                job.outside->python, layout.home, order.dir + "/bin"}};
  if (!layout.v2 && boot.empty()) step.text.insert(0, kImage);
  return step;
}

std::vector<OrderFile> MaImageFiles(const MaLayout& layout) {
  return {{layout.home + "/utils.sh", std::string(kUtils)},
          {layout.home + "/run_train.sh", std::string(kRunTrain), 0755}};
}

}  // namespace muster::dialect
