# `make demo` and `make test` are all most people need; both set up whatever is missing first.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
# Builds use all cores by themselves, and two at once would change each other's core.
.NOTPARALLEL:
.PHONY: help setup demo tested check test test-all lint format docs wheel bare-check cuda-check sanitizer-check clean

# A build of CMakePresets.json: release, or debug for the sanitizers. `make test` builds by ci.
PRESET ?= release
# Instruction levels, such as v3,v4 (cmake/levels.cmake); empty: the best this machine has.
LEVELS ?=
export LEVELS

# Those that make cuda-check compiles for.
CUDA_ARCHITECTURES ?= 80-real;90

# Stamps of what set-up has done; a directory among the inputs catches files that come and go.
packages := .venv/.packages
docs_packages := .venv/.docs
core := .venv/.core-$(PRESET)$(LEVELS:%=-%)
# The core by the preset ci: warnings were errors, and it has what only tests want, the device cpu-as-gpu.
tested_core := .venv/.core-ci$(LEVELS:%=-%)
core_inputs := CMakeLists.txt CMakePresets.json python/whorl/base/declared.toml $(shell find cmake core -type d -o -name '*.cmake' -o -name '*.py' -o -name '*.sh' -o -name '*.[ch]pp' -o -name '*.cu' -o -name '*.h')
# What the run of the demo follows from, besides the core: not its results, nor other cases.
run_folders = base expressions equations config models forcing initial output run diagnostics probes particles
read_later = -path '*/results/*' -o -path '*/draw/*'
demo_inputs := $(shell find $(run_folders:%=python/whorl/%) -name '*.py' -not \( $(read_later) \) -o -name '*.toml') \
	python/whorl/cases/forced-turbulence.toml
prose = README.md CONTRIBUTING.md CHANGELOG.md docs python core tools benchmarks validation examples
cpp_files = $(shell find core tools -name '*.[ch]pp' -o -name '*.h' -o -name '*.cu')

help:
	@echo "make demo         set up, run forced turbulence, average it and plot it"
	@echo "make check        set up, check the style and run the shortest tests, within 90 s: before each commit"
	@echo "make test         set up, check the style and run the default tier of the tests"
	@echo "make test-all     run all cases on all devices, then the faults of files changed since SINCE (HEAD^)"
	@echo "make setup        install what is missing, make .venv, build the core (PRESET=debug: sanitizers;"
	@echo "                  LEVELS=v3,v4: these instruction levels)"
	@echo "make docs         build the documentation as a site into build/docs; warnings are errors"
	@echo "make wheel        build the wheel for other machines, and the source distribution, in dist/"
	@echo "make bare-check   build without HDF5 and FFTW, and test that core on one rank"
	@echo "make cuda-check   compile and link the device cuda for sm_80 and sm_90, and see that no kernel spills"
	@echo "                  registers (needs nvcc, no GPU)"
	@echo "make sanitizer-check  test the core on one rank with address and undefined-behaviour sanitizers"
	@echo "make format       format C++ and Python;  make lint: check without changing"
	@echo "make clean        remove builds and .venv (runs/ stays)"

setup: $(core)

$(packages): pyproject.toml tools/setup tools/debian.sh tools/watched.sh
	tools/setup packages
	touch $@

$(docs_packages): $(packages)
	tools/setup docs
	touch $@

$(core): $(packages) $(core_inputs)
	rm -f .venv/.core-*
	tools/setup core $(PRESET)
	touch $@

# It compiles in the folder of release, and is that too.
$(tested_core): $(packages) $(core_inputs)
	rm -f .venv/.core-*
	tools/setup core ci
	touch .venv/.core-release$(LEVELS:%=-%) $@

# A new stamp of the core alone, as `make test` makes one, does not repeat the run; new sources do.
runs/.forced-turbulence: $(core_inputs) $(demo_inputs) | $(core)
	.venv/bin/whorl run forced-turbulence -o runs/forced-turbulence --overwrite
	touch $@

# The last two lines of plot are its paths; above them it would repeat the remarks of average.
demo: runs/.forced-turbulence
	.venv/bin/whorl average runs/forced-turbulence --from 10
	.venv/bin/whorl plot runs/forced-turbulence --from 10 | tail -n 2

# A file of tests at a time on each of two workers, the longest files first (tests/support/durations.py).
pytest := .venv/bin/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder --durations=20 --durations-min=1
# Faults of files that differ from it are tried by test-all.
SINCE ?= HEAD^

tested: $(tested_core)

# One rank, no processes of tests' own, and of these the shortest, which take 75 s of two workers.
check: lint $(tested_core)
	$(pytest) -m "not mpi and not process" --within 75

test: lint $(tested_core)
	$(pytest)

test-all: lint $(tested_core)
	$(pytest) --full --devices all
	.venv/bin/python tools/mutants --changed $(SINCE)

lint: $(packages)
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/clang-format --dry-run -Werror $(cpp_files)
	.venv/bin/mypy
	.venv/bin/python tools/check_layers
	.venv/bin/python tools/check_prose
	.venv/bin/codespell $(prose)

format: $(packages)
	.venv/bin/ruff check --fix
	.venv/bin/ruff format
	.venv/bin/clang-format -i $(cpp_files)

# A page is read again where it has changed, and all of them after a warning, which would not come twice.
docs: $(core) $(docs_packages)
	.venv/bin/python -m sphinx --fail-on-warning --keep-going --quiet -d build/doctrees docs build/docs || { \
		rm -rf build/doctrees; exit 1; }
	@echo "the site begins at $(CURDIR)/build/docs/index.html"

# One level is enough, the best that runs here. Afterwards the build is without CUDA and has its levels, also where a
# step fails; the next set-up does the rest, since its stamps go.
cuda-check: $(core)
	levels=$$(sed -n 's/^WHORL_LEVELS:[A-Z]*=//p' build/$(PRESET)/CMakeCache.txt 2>/dev/null || true); \
	trap "rm -f .venv/.core-*; cmake -B build/$(PRESET) -DWHORL_CUDA=OFF -DWHORL_LEVELS=$$levels >/dev/null" EXIT; \
	level=$$(.venv/bin/python -c 'from whorl.base import instruction_levels as levels; print(levels.chosen())'); \
	PATH="$(CURDIR)/.venv/bin:$$PATH" cmake -B build/$(PRESET) -DWHORL_CUDA=ON -DWHORL_WERROR=ON \
		-DWHORL_CPU_AS_GPU=OFF "-DWHORL_LEVELS=$$level" "-DCMAKE_CUDA_ARCHITECTURES=$(CUDA_ARCHITECTURES)"; \
	cmake --build build/$(PRESET); \
	nvcc=$$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=//p' build/$(PRESET)/CMakeCache.txt); \
	release=$$("$$nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p'); \
	.venv/bin/python -m pip install --quiet "cuda-bindings==$$release.*"; \
	.venv/bin/python tools/cuda_linked build/$(PRESET)/_core_$$level*.so \
		$(patsubst %-real,%,$(subst ;, ,$(CUDA_ARCHITECTURES))); \
	.venv/bin/python tools/gpu_occupancy --check build/$(PRESET); \
	for one in $(subst ;, ,$(CUDA_ARCHITECTURES)); do \
		kind=$${one%%-*}; \
		"$$nvcc" -std=c++17 "-arch=$${kind/#[0-9]/sm_$${kind:0:1}}" -o build/$(PRESET)/gpu_look tools/gpu_look.cu; \
	done

# A wheel for any machine of this kind, in dist/.
wheel: $(packages)
	tools/setup wheel
	tools/wheel

bare-check:
	tools/bare-check

sanitizer-check: $(packages)
	tools/sanitizer-check

clean:
	rm -rf build .venv
