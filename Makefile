# Thin layer over CMake: `make help` lists what there is. CMakePresets.json says how things are built.

PREFIX ?= /usr/local
DESTDIR ?=
# Seconds for each fuzz target.
TIME ?= 60
# Which part of the long tests; all of them by default.
PART ?=
# More for cmake, as in CMAKE_FLAGS=-DSNUG_WERROR=ON.
CMAKE_FLAGS ?=
# Sanitizers are slow: their runs try this fraction of the random cases.
SANITIZER_SCALE ?= 0.05
# `no`: a target that lacks a Debian package names it and fails, instead of installing it.
INSTALL ?= yes
export INSTALL

JOBS := $(shell nproc 2>/dev/null || echo 2)
CONFIGURE = cmake $(CMAKE_FLAGS) --preset
BUILD = cmake --build --parallel $(JOBS) --preset
FORMATTED = $(shell find include src gpu test examples solvers papers lab program io web docs/site python/core -name '*.[ch]' -o -name '*.cpp')

.PHONY: all demo characters test test-long mutate-bounds mutate-logic bench fuzz cross-test asan tsan install deb format check-format peers web web-test web-bench site site-test python python-test blender blender-test release clean help
.DEFAULT_GOAL := all
MAKEFLAGS += --no-print-directory

all: ## build the library and the program (build/snug)
	@tools/install-dependencies build
	@$(CONFIGURE) release -DSNUG_BUILD_TESTS=OFF
	@$(BUILD) release
	@ln -sfn release/bin/snug build/snug

demo: all ## show what it does: a table, and a page with pictures
	build/snug demo

characters: all ## write the man and the creature as GLB files, and dense ones (build/models)
	@$(BUILD) release --target snug_characters snug_dense_characters
	@ln -sfn release/models build/models

test: ## build and run all tests but the long ones
	@tools/install-dependencies build test
	@$(CONFIGURE) release -DSNUG_BUILD_TESTS=ON
	@$(BUILD) release
	@ln -sfn release/bin/snug build/snug
	@tools/run-tests build/release --label-exclude '^long$$'

test-long: ## run the long tests, or one of their parts: PART=1 to 5
	@tools/install-dependencies build solvers files test test-all deb clang
	@$(CONFIGURE) release -DSNUG_BUILD_TESTS=ON
	@$(BUILD) release
	@tools/run-tests build/release --label-regex '^long$(if $(PART),-$(PART))$$'

mutate-bounds: ## lower each margin of the bounds until a test fails (half an hour)
	@tools/install-dependencies build test
	@tools/mutate-bounds

mutate-logic: ## make each small mistake of test/mutants.txt and see a test fail (a quarter of an hour)
	@tools/install-dependencies build files test python
	@$(SOLVERS)
	@tools/mutate-logic

# The plainest and the widest instruction set: those between, labelled isa, are the same source.
asan tsan: ## run the tests under the address and undefined behaviour, or the thread sanitizer
	@tools/install-dependencies build test
	@$(CONFIGURE) $@
	@$(BUILD) $@
	@SNUG_TEST_SCALE=$(SANITIZER_SCALE) tools/run-tests build/$@ $(if $(HEAVY),--label-regex '^heavy$$',--label-exclude '^(long|isa|heavy)$$')

cross-test: ## build for ARM, Windows, WebAssembly and macOS, and run tests where an emulator can (ten minutes)
	@tools/cross-test

fuzz: ## fuzz each target for TIME seconds (60)
	@tools/install-dependencies build clang
	@$(CONFIGURE) fuzz
	@$(BUILD) fuzz
	@tools/run-fuzzers build/fuzz $(TIME)

bench: all ## run the benchmarks
	build/snug bench

install: all ## install under PREFIX (/usr/local), below DESTDIR if given
	DESTDIR=$(DESTDIR) cmake --install build/release --prefix $(PREFIX)
	@[ -f build/web/snug.html ] || echo "The page of snug view is not installed: make web builds it, then make install again."

deb: ## build the Debian packages in build/deb
	@tools/install-dependencies build solvers files deb
	@tools/make-deb build/deb

format: ## lay out the source with clang-format, and documents of at most 120 columns
	@tools/install-dependencies format
	@clang-format -i $(FORMATTED)
	@tools/wrap-documents

check-format: ## fail if `make format` would change something
	@tools/install-dependencies build format
	@clang-format --dry-run -Werror $(FORMATTED)
	@tools/wrap-documents --check

peers: ## install the libraries that tests and benchmarks compare with
	@tools/install-dependencies build peers

web: ## build the npm package and the page for browsers (build/web)
	@tools/install-dependencies build web $(BROWSER)
	@$(CONFIGURE) release
	@$(BUILD) release --target snug_program snug_characters
	@ln -sfn release/bin/snug build/snug
	@$(CONFIGURE) web
	@$(BUILD) web
	@tools/make-web $(WEB_TEST)

web-test: WEB_TEST = --test
web-test: BROWSER = web-test
web-test: web ## test them: in node, and in Chromium
	@tools/test-web

web-bench: WEB_TEST = --test
web-bench: web ## measure them beside native code and three-mesh-bvh
	@tools/bench-web

site: ## build the documents as pages, with a reference, pictures and search (build/site)
	@tools/install-dependencies build site $(BROWSER)
	@$(CONFIGURE) release
	@$(BUILD) release --target snug_program snug_characters snug_draw_bounds
	@ln -sfn release/bin/snug build/snug
	@docs/site/build.py build/snug build/release/bin/snug_draw_bounds build/release/models build/site

site-test: BROWSER = web-test
site-test: site ## look at the pages in Chromium: contrast, names, sizes, search, phones
	@tools/test-site

# Debian's own, for which tools/install-dependencies installs.
PYTHON ?= /usr/bin/python3

python: ## build the Python package: a wheel, and an environment with it (build/python)
	@tools/install-dependencies build python
	@tools/make-python $(PYTHON)

python-test: python characters ## test it
	@tools/test-python

blender: python ## build the Blender extension, for this platform (build/blender)
	@tools/make-blender build/python/dist/*.whl build/blender

blender-test: blender characters ## test it in Blender as a Python module, which PyPI has
	@tools/test-blender

release: ## make what is given away of the last commit (build/release-files); tools/check-release tries it
	@tools/install-dependencies build solvers files deb python web cross-mingw release
	@tools/make-release

clean: ## remove everything built
	rm -rf build

help: ## this list
	@sed -nE 's/^([a-z -]+):[^#]*## (.*)/\1\t\2/p' Makefile | expand -t 14
