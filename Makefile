# The front door. Every target installs what it needs (Debian packages, as root) and may be run twice.
.DEFAULT_GOAL := help
.PHONY: help build build-all install demo test check mutate test-objects test-frameworks torture perf lint format sanitize fuzz coverage clean

MUSTER := build/release/muster

help:
	@echo "make demo      build, then train on two ranks and watch"
	@echo "make test      build, then run every test"
	@echo "make check     everything below that tests, without a time limit (a release needs it)"
	@echo "make test-objects  the object store beside clients and the copier beside servers, from PyPI and the Go proxy"
	@echo "make test-frameworks  real MindSpore, Paddle, TensorFlow, Horovod and PyTorch train (ONLY=paddle,horovod)"
	@echo "make torture   build, then kill, fill, resist and overload it (TORTURE=long: for hours)"
	@echo "make perf      build, then race it beside Slurm and mpirun (ONLY=submit,logs; PUBLISH=1)"
	@echo "make build     leave the executable at $(MUSTER)"
	@echo "make install   executable, completions, manual pages and systemd unit (PREFIX=/usr/local DESTDIR=)"
	@echo "make lint      format, clang-tidy and the project's own checks"
	@echo "make sanitize  unit tests under address, undefined and thread sanitizers (ONLY='asan http')"
	@echo "make fuzz      every fuzz target for a minute (FUZZ_SECONDS=60 FUZZ_SEED=1 ONLY='xml wire')"
	@echo "make mutate    how many wrong changes of the sources do the tests detect? (MUTANTS=20 SEED= ONLY=src/http/ WHOLE=1)"
	@echo "make coverage  line coverage of the unit tests"
	@echo "make format    let clang-format rewrite the sources"

build/%/build.ninja: CMakeLists.txt CMakePresets.json $(wildcard cmake/*)
	@cmake --preset $* > /dev/null

build: build/release/build.ninja
	@tools/deps.sh build
	@tools/deps.sh console || echo "make build: the web console is left out." >&2
	@tools/build.sh release muster

# Make reads this file before any package is there: the presets need cmake.
build/release/build.ninja build/debug/build.ninja build/asan/build.ninja build/tsan/build.ninja build/fuzz/build.ninja build/coverage/build.ninja: | deps-build
.PHONY: deps-build
deps-build:
	@tools/deps.sh build

demo: build
	@tools/deps.sh demo
	@tools/demo.sh

build-all: build
	@tools/build.sh release

install: build
	@DESTDIR="$(DESTDIR)" PREFIX="$(or $(PREFIX),/usr/local)" tools/install.sh

check:
	@tools/gate.py --all

test: build
	@tools/deps.sh test
	@tools/test.sh

torture: build
	@tools/deps.sh test
	@tools/torture.sh

perf: build
	@tools/deps.sh perf
	@case ",$(or $(ONLY),copy)," in *,copy,*) tools/object_peers.sh ;; esac
	@perf/run.py $(if $(ONLY),--only $(ONLY)) $(if $(PUBLISH),--publish)

test-objects: build
	@tools/deps.sh objects
	@tools/test_objects.sh

test-frameworks: build
	@tools/deps.sh test frameworks
	@ONLY="$(ONLY)" tools/test_frameworks.sh

lint:
	@tools/deps.sh lint
	@tools/lint.sh

format:
	@tools/deps.sh lint
	@tools/lint.sh --fix

sanitize: deps-build
	@tools/deps.sh sanitize
	@tools/sanitize.sh $(ONLY)

fuzz: deps-build
	@tools/deps.sh sanitize
	@tools/fuzz.sh $(ONLY)

coverage: deps-build
	@tools/deps.sh sanitize
	@tools/coverage.sh

mutate: build
	@tools/deps.sh test
	@tools/mutate.py --count "$(or $(MUTANTS),20)" $(if $(SEED),--seed "$(SEED)") $(if $(ONLY),--only "$(ONLY)") $(if $(WHOLE),--whole)

clean:
	rm -rf build
