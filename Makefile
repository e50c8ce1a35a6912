# oomkb. `make help` says what there is. One file; lists come from globs.
ifeq ($(origin CC),default)
CC = gcc
endif
# For another machine: CC=aarch64-linux-gnu-gcc BUILD=build/aarch64 RUN=qemu-aarch64-static
# (the program at hand compiles the corpus, so it has to run here).
OBJCOPY ?= $(if $(filter %-gcc,$(CC)),$(CC:gcc=objcopy),objcopy)
RUN ?=
BUILD ?= build
PREFIX ?= /usr/local
# V=1 shows every command.
Q = $(if $(V),,@echo "  $@";)
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)

WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
  -Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Werror
CFLAGS ?= -O2 -g
# The program reads bytes that others wrote. Sanitizers do the same and more,
# and _FORTIFY_SOURCE needs an optimizer.
OPTIMIZES = $(filter -O1 -O2 -O3 -Os -Og,$(CFLAGS))
HARDEN ?= $(if $(SAN),,-fstack-protector-strong \
  $(if $(OPTIMIZES),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
HARDEN_LINK ?= -Wl,-z,relro -Wl,-z,now
ALL_CFLAGS = -std=c17 -D_POSIX_C_SOURCE=200809L $(WARN) -Isrc -Iinclude -fPIC \
  -fvisibility=hidden -MMD -MP $(CFLAGS) $(HARDEN) $(SAN)
# What the library needs from the system at run time, and what is linked in.
LIB_SHARED = -lsqlite3 -lpcre2-8
LIB_STATIC = $(BUILD)/libjansson.a -l:libz.a -l:libzstd.a -l:liblzma.a
PROGRAM_LIBS = -lyaml -pthread

LIB_HOUSES = base corpus index log match memory diagnose render api
LIB_SRC = $(foreach h,$(LIB_HOUSES),$(wildcard src/$(h)/*.c))
PROGRAM_SRC = $(wildcard src/machine/*.c src/author/*.c src/launch/*.c \
  src/serve/*.c src/cli/*.c)
LIB_OBJ = $(LIB_SRC:src/%.c=$(BUILD)/obj/%.o)
PROGRAM_OBJ = $(PROGRAM_SRC:src/%.c=$(BUILD)/obj/%.o) \
  $(BUILD)/obj/author/web-files.o $(BUILD)/obj/cli/completion-scripts.o
TEST_SRC = $(wildcard tests/*/test_*.c)
TESTS = $(TEST_SRC:tests/%.c=$(BUILD)/tests/%)
TEST_HELP_OBJ = $(patsubst tests/%.c,$(BUILD)/obj/tests/%.o,$(wildcard tests/support/*.c))
CORPUS = $(shell find entries kb i18n -type f 2>/dev/null)

.SECONDARY:
.PHONY: all
all: $(BUILD)/oomkb $(BUILD)/liboomkb.so $(BUILD)/liboomkb.a  ## build the program and the library

.PHONY: help
help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

# How records of the pack are laid out is said by these files, and their sum
# stands in every index: one of another layout is refused, and nobody has to
# remember a number.
LAYOUT_SRC = $(sort $(wildcard src/index/codec*.[ch] src/index/record.[ch] \
  src/index/pack*.[ch] src/index/write_pack.c src/corpus/*field*.[ch]))
LAYOUT = $(shell cat $(LAYOUT_SRC) | cksum | cut -d' ' -f1)
.PHONY: layout
layout:
	@echo $(LAYOUT)

# --- objects ---
$(BUILD)/obj/index/pack.o: $(LAYOUT_SRC)
$(BUILD)/obj/index/pack.o: LAYOUT_CFLAGS = -DPACK_LAYOUT=$(LAYOUT)u
$(BUILD)/obj/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(LAYOUT_CFLAGS) -c $< -o $@
# The files of web/, for `oomkb site --html`.
$(BUILD)/obj/author/web-files.o: src/author/web.S src/author/web.def $(wildcard web/*)
	@mkdir -p $(@D)
	$(Q)$(CC) -c -Isrc $< -o $@
$(BUILD)/obj/cli/completion-scripts.o: src/cli/completion.S $(wildcard src/cli/completion.*)
	@mkdir -p $(@D)
	$(Q)$(CC) -c -Isrc $< -o $@
$(BUILD)/obj/tests/%.o: tests/%.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests -c $< -o $@

# jansson's archive is not position-independent in one place: a comparison with
# stdin, in a function that nobody here calls. The library has no business with
# stdin, so the name is bound to one of its own (src/base/json.c).
$(BUILD)/libjansson.a:
	@mkdir -p $(@D)
	$(Q)$(OBJCOPY) --redefine-sym stdin=oomkb_no_stdin \
	  $$($(CC) -print-file-name=libjansson.a) $@

# --- bootstrap: a program without an index compiles the corpus, which is then
# --- linked into the library, and the program against that.
$(BUILD)/noindex.o: src/api/embed.S
	@mkdir -p $(@D)
	$(Q)$(CC) -c -DOOMKB_NO_INDEX $< -o $@
$(BUILD)/index.o: src/api/embed.S $(BUILD)/oomkb.db
	$(Q)$(CC) -c -DOOMKB_INDEX='"$(BUILD)/oomkb.db"' $< -o $@
$(BUILD)/oomkb-bare: $(BUILD)/libjansson.a $(LIB_OBJ) $(PROGRAM_OBJ) $(BUILD)/noindex.o
	$(Q)$(CC) $(SAN) -o $@ $(filter-out $<,$^) $(LIB_SHARED) $(LIB_STATIC) $(PROGRAM_LIBS)
$(BUILD)/oomkb.db: $(BUILD)/oomkb-bare $(CORPUS)
	$(Q)$(RUN) $(BUILD)/oomkb-bare build entries -o $@

# One object, with what it needs of the linked-in archives inside: the only
# global names that are left are those of the public header.
$(BUILD)/liboomkb.a: $(BUILD)/libjansson.a $(LIB_OBJ) $(BUILD)/index.o
	$(Q)$(CC) -r -nostdlib -o $(BUILD)/oomkb.o $(filter-out $<,$^) $(LIB_STATIC)
	$(Q)$(OBJCOPY) --localize-hidden --wildcard --keep-global-symbol='oomkb_*' $(BUILD)/oomkb.o
	$(Q)rm -f $@ && ar rcs $@ $(BUILD)/oomkb.o
$(BUILD)/liboomkb.so: $(BUILD)/libjansson.a $(LIB_OBJ) $(BUILD)/index.o
	$(Q)$(CC) $(SAN) $(HARDEN_LINK) -shared -Wl,-soname,liboomkb.so.0 -Wl,-z,defs -Wl,--exclude-libs,ALL \
	  -o $@ $(filter-out $<,$^) $(LIB_SHARED) $(LIB_STATIC)
$(BUILD)/oomkb: $(BUILD)/libjansson.a $(PROGRAM_OBJ) $(LIB_OBJ) $(BUILD)/index.o
	$(Q)$(CC) $(SAN) $(HARDEN_LINK) -o $@ $(filter-out $<,$^) $(LIB_SHARED) $(LIB_STATIC) $(PROGRAM_LIBS)
# Runs where nothing is installed. SQLite could load extensions; nobody asks it
# to, so what glibc says of dlopen in a static program is of no account.
$(BUILD)/oomkb-static: $(BUILD)/libjansson.a $(PROGRAM_OBJ) $(LIB_OBJ) $(BUILD)/index.o
	$(Q)$(CC) -static-pie $(HARDEN_LINK) -o $@ $(filter-out $<,$^) $(LIB_SHARED) $(LIB_STATIC) $(PROGRAM_LIBS) -lm

# --- install: PREFIX is where it will live, DESTDIR where it is put for now ---
VERSION = $(shell sed -n 's/^.define OOMKB_VERSION "\(.*\)"/\1/p' include/oomkb/oomkb.h)
LIBDIR ?= $(PREFIX)/lib
PUT = install -D -m
AT = $(DESTDIR)$(PREFIX)
AT_LIB = $(DESTDIR)$(LIBDIR)
INSTALLED = "$(AT)/bin/oomkb" "$(AT)/include/oomkb/oomkb.h" \
  "$(AT_LIB)/liboomkb.so" "$(AT_LIB)/liboomkb.so.0" \
  "$(AT_LIB)/liboomkb.so.$(VERSION)" "$(AT_LIB)/liboomkb.a" \
  "$(AT_LIB)/pkgconfig/oomkb.pc" \
  "$(AT)/share/man/man1/oomkb.1" "$(AT)/share/man/man3/oomkb.3" \
  "$(AT)/share/doc/oomkb/LICENSE" \
  $(foreach c,$(COMPLETIONS),"$(AT)/share/$(lastword $(subst :, ,$(c)))") \
  $(SCHEMAS:kb/%="$(AT)/share/oomkb/%") $(EXAMPLES:%="$(AT)/share/doc/oomkb/%")
SCHEMAS = $(wildcard kb/*.schema.json)
EXAMPLES = $(shell find examples -type f)
COMPLETIONS = bash:bash-completion/completions/oomkb zsh:zsh/site-functions/_oomkb \
  fish:fish/vendor_completions.d/oomkb.fish

.PHONY: install
install: all  ## install program, library and man pages: PREFIX= DESTDIR=
	$(Q)sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' \
	  src/api/oomkb.pc.in > $(BUILD)/oomkb.pc && \
	$(PUT) 755 $(BUILD)/oomkb "$(AT)/bin/oomkb" && \
	$(PUT) 644 include/oomkb/oomkb.h "$(AT)/include/oomkb/oomkb.h" && \
	$(PUT) 755 $(BUILD)/liboomkb.so "$(AT_LIB)/liboomkb.so.$(VERSION)" && \
	ln -sf liboomkb.so.$(VERSION) "$(AT_LIB)/liboomkb.so.0" && \
	ln -sf liboomkb.so.0 "$(AT_LIB)/liboomkb.so" && \
	$(PUT) 644 $(BUILD)/liboomkb.a "$(AT_LIB)/liboomkb.a" && \
	$(PUT) 644 $(BUILD)/oomkb.pc "$(AT_LIB)/pkgconfig/oomkb.pc" && \
	$(PUT) 644 docs/oomkb.1 "$(AT)/share/man/man1/oomkb.1" && \
	$(PUT) 644 docs/oomkb.3 "$(AT)/share/man/man3/oomkb.3" \
	$(if $(wildcard LICENSE),&& $(PUT) 644 LICENSE "$(AT)/share/doc/oomkb/LICENSE")
	$(Q)set -e; for file in $(SCHEMAS:kb/%=%); do \
	  $(PUT) 644 kb/$$file "$(AT)/share/oomkb/$$file"; done; \
	for file in $(EXAMPLES); do $(PUT) 644 $$file "$(AT)/share/doc/oomkb/$$file"; done; \
	for pair in $(COMPLETIONS); do $(RUN) $(BUILD)/oomkb completion $${pair%%:*} > $(BUILD)/completion; \
	  $(PUT) 644 $(BUILD)/completion "$(AT)/share/$${pair#*:}"; done

.PHONY: uninstall
uninstall:  ## remove what install put there: same PREFIX= DESTDIR=
	$(Q)rm -f $(INSTALLED); \
	for folder in include/oomkb share/oomkb share/doc/oomkb; do \
	  find "$(AT)/$$folder" -depth -type d -exec rmdir {} + 2>/dev/null || true; done

.PHONY: dist
dist:  ## source tarball, static program and .deb of the last commit: build/dist, CROSS=1: aarch64
	@tests/tools/packages.sh $(if $(CROSS),cross,dist)
	@CROSS=$(CROSS) MAINTAINER="$(MAINTAINER)" packaging/dist.sh $(BUILD)/dist $(VERSION)
.PHONY: release-check
release-check:  ## dist, twice, and each part used in a new Debian 12 (root)
	@tests/tools/packages.sh $(if $(CROSS),cross,dist)
	@CROSS=$(CROSS) MAINTAINER="$(MAINTAINER)" tests/tools/release.sh $(BUILD)/dist $(VERSION)

.PHONY: abi
abi: $(BUILD)/liboomkb.so  ## write the ABI baseline in docs/abi/ again; read its diff
	$(Q)tests/install/abi_check.sh --write $<

# --- tests: each tests/<house>/test_*.c is a cmocka program of its own ---
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(BUILD)/libjansson.a $(TEST_HELP_OBJ) $(LIB_OBJ) $(PROGRAM_OBJ) $(BUILD)/noindex.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) -o $@ $< $(TEST_HELP_OBJ) $(LIB_OBJ) $(filter-out $(BUILD)/obj/cli/%,$(PROGRAM_OBJ)) $(BUILD)/noindex.o \
	  $(LIB_SHARED) $(LIB_STATIC) $(PROGRAM_LIBS) -lcmocka
.PHONY: tests
tests: $(TESTS)

# Tests and objects at once: JOBS=N.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SANITIZED = SAN="-fsanitize=address,undefined -fno-sanitize-recover=all" CFLAGS="-O1 -g"
# Cases in C under sanitizers, then scripts on the program as users get it.
SCRIPTS = $(sort $(wildcard tests/*/*_check.sh tests/*/*_check.py))
.PHONY: check
check:  ## install what the tests need, run every test
	@tests/tools/packages.sh test
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build/san $(SANITIZED) \
	  build/san/oomkb tests
	@OOMKB=$(BUILD)/oomkb OOMKB_SAN=build/san/oomkb CC=$(CC) \
	  $(PYTHON) tests/tools/run.py --jobs $(JOBS) \
	  $(TEST_SRC:tests/%.c=build/san/tests/%) --script $(SCRIPTS)

.PHONY: check-all
check-all: export OOMKB_ALL = 1
check-all: check  ## check on all of each set, and what needs more than Debian: npm, emscripten, a browser
	@$(MAKE) --no-print-directory check-clients
	@$(MAKE) --no-print-directory check-wasm
	@$(MAKE) --no-print-directory check-web
	@$(MAKE) --no-print-directory check-recipes
	@$(MAKE) --no-print-directory check-sarif

.PHONY: check-sarif
check-sarif: all  ## SARIF of lint and check against the published schema (npm)
	@$(PYTHON) tests/sarif/schema.py $(BUILD)/oomkb

.PHONY: check-fast
check-fast: all tests  ## the quick tests, without sanitizers: for the inner loop
	@OOMKB=$(BUILD)/oomkb OOMKB_SAN=$(BUILD)/oomkb CC=$(CC) \
	  $(PYTHON) tests/tools/run.py --jobs $(JOBS) --at-most 4 \
	  $(TESTS) --script $(SCRIPTS)

# The same targets as tests/fuzz runs on what is kept, under libFuzzer.
FUZZ ?= log
SECONDS ?= 300
$(BUILD)/fuzz: tests/fuzz/test_fuzz.c $(BUILD)/libjansson.a $(TEST_HELP_OBJ) $(LIB_OBJ) $(PROGRAM_OBJ) $(BUILD)/noindex.o
	$(Q)$(CC) $(ALL_CFLAGS) -Itests -DFUZZ_MAIN -fsanitize=fuzzer -o $@ $< $(TEST_HELP_OBJ) $(LIB_OBJ) \
	  $(filter-out $(BUILD)/obj/cli/%,$(PROGRAM_OBJ)) $(BUILD)/noindex.o $(LIB_SHARED) $(LIB_STATIC) $(PROGRAM_LIBS) -lcmocka
.PHONY: fuzz
fuzz: all  ## look for inputs that break it: FUZZ=log|fit|entry|index|mcp|lint|facts SECONDS=300
	@tests/tools/packages.sh fuzz
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build/fuzz CC=clang CFLAGS="-O1 -g" \
	  SAN="-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all" build/fuzz/fuzz
	@mkdir -p build/fuzz/new-$(FUZZ) && OOMKB_FUZZ=$(FUZZ) build/fuzz/fuzz -max_total_time=$(SECONDS) \
	  -max_len=4096 -artifact_prefix=build/fuzz/ build/fuzz/new-$(FUZZ) tests/fuzz/kept/$(FUZZ)

# Lines and branches that the tests reach, house by house. gcovr from Debian.
COVERED = -fprofile-update=atomic --coverage
.PHONY: coverage
coverage:  ## what of src/ the tests run: build/cov/coverage.txt (gcovr)
	@command -v gcovr >/dev/null || { echo "make coverage: needs gcovr (apt install gcovr)"; exit 2; }
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build/cov SAN="$(COVERED)" CFLAGS="-O0 -g" all tests
	@OOMKB=build/cov/oomkb OOMKB_SAN=build/cov/oomkb CC=$(CC) $(PYTHON) tests/tools/run.py --jobs $(JOBS) \
	  $(TEST_SRC:tests/%.c=build/cov/tests/%) --script $(filter-out %/install_check.sh %/abi_check.sh,$(SCRIPTS)) || true
	@gcovr --root . --filter src/ --object-directory build/cov --txt build/cov/coverage.txt --print-summary

MUTANTS ?= 60
.PHONY: mutants
mutants:  ## is the program noticed to be wrong, MUTANTS=60 times at random? (hours)
	@tests/tools/packages.sh test
	@$(PYTHON) tests/tools/mutants.py --count $(MUTANTS) --jobs $(JOBS)

.PHONY: bare
bare:  ## as a newcomer: the README's commands in a new Debian 12 and 13 (root)
	@tests/tools/bare.sh

LOGS ?= ../shared/data/logs
IDEAS ?= ../shared/tools/ideas.py
.PHONY: eval
eval: all  ## score it on a labelled folder; writes docs/ACCURACY.md: LOGS=DIR
	@$(PYTHON) tests/eval/eval.py $(BUILD)/oomkb $(LOGS) --ideas $(IDEAS) \
	  --write docs/ACCURACY.md

.PHONY: check-clients
check-clients: all  ## `oomkb mcp` with the real clients and the conformance suite (npm)
	@mkdir -p $(BUILD)/clients && cp tests/serve/clients/* $(BUILD)/clients/
	@cd $(BUILD)/clients && npm --silent install
	@node $(BUILD)/clients/talk.mjs $(abspath $(BUILD)/oomkb) \
	  entries/vllm/kv-cache-too-small.log
	@cd $(BUILD)/clients && node conform.mjs $(abspath $(BUILD)/oomkb)

.PHONY: check-recipes
check-recipes: all  ## the Slurm recipe under Slurm itself (root, slurm-wlm, munge)
	@OOMKB=$(BUILD)/oomkb $(PYTHON) tests/recipes/slurm_run.py

.PHONY: check-web
check-web: all  ## the site of `site --html` in a browser (npm, chromium): SHOTS=DIR
	@tests/web/run.sh $(BUILD) $(SHOTS)

# --- Python: the library of a wheel runs on every Linux since glibc 2.17 (2012:
# --- manylinux2014), so it is compiled by Zig, which knows older glibcs, and
# --- holds what it needs.
WHEEL = $(BUILD)/wheel
WHEEL_CACHE ?= $(HOME)/.cache/oomkb-wheel
WHEEL_PYTHONS ?= $(PYTHON)
ZIG = env ZIG_GLOBAL_CACHE_DIR=$(WHEEL_CACHE)/zig $(WHEEL_CACHE)/venv/bin/python -m ziglang
WHEEL_CC = $(ZIG) cc -target $(shell uname -m)-linux-gnu.2.17
WHEEL_CFLAGS = -O2 -std=c17 -D_POSIX_C_SOURCE=200809L -Isrc -Iinclude -isystem $(WHEEL_CACHE)/include \
  -fPIC -fvisibility=hidden -fstack-protector-strong -MMD -MP
WHEEL_OBJ = $(LIB_SRC:src/%.c=$(WHEEL)/obj/%.o)
# Has __cpu_model, which Zig's own runtime does not have.
WHEEL_CPU = $(shell $(CC) -print-libgcc-file-name)
WHEEL_LIBS = $(addprefix $(WHEEL_CACHE)/lib/,sqlite3.a pcre2.a jansson.a zlib.a libzstd.a xz-utils.a)

.PHONY: wheel
wheel:  ## the Python package with the library inside: build/wheel/*.whl
	@tests/tools/packages.sh wheel
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@python/tools.sh $(WHEEL_CACHE)/venv
	@COMPILE="$(WHEEL_CC) -fPIC -fvisibility=hidden" ARCHIVE="$(ZIG) ar" JOBS=$(JOBS) packaging/libraries.sh linux $(WHEEL_CACHE)
	@$(MAKE) --no-print-directory -j$(JOBS) $(WHEEL)/liboomkb.so
	@python/wheel.sh $(WHEEL)/liboomkb.so $(WHEEL) $(VERSION) $(WHEEL_CACHE)
	@python/check_wheel.sh $(WHEEL)/oomkb-$(VERSION)-*.whl $(WHEEL_PYTHONS)
$(WHEEL)/obj/index/pack.o: LAYOUT_CFLAGS = -DPACK_LAYOUT=$(LAYOUT)u
$(WHEEL)/obj/index/pack.o: $(LAYOUT_SRC)
$(WHEEL)/obj/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(Q)$(WHEEL_CC) $(WHEEL_CFLAGS) $(LAYOUT_CFLAGS) -c $< -o $@
$(WHEEL)/liboomkb.so: $(WHEEL_OBJ) $(BUILD)/index.o $(WHEEL_LIBS) python/exports.map
	$(Q)$(WHEEL_CC) -shared -s $(HARDEN_LINK) -Wl,-soname,liboomkb.so.0 -Wl,-z,defs \
	  -Wl,--version-script,python/exports.map -o $@ $(filter-out %.map,$^) $(WHEEL_CPU) -lm -pthread

# --- WebAssembly: the library and js/, as one package for node and browsers ---
WASM = $(BUILD)/wasm
WASM_CACHE ?= $(HOME)/.cache/oomkb-wasm
# Debian's emcc finds its own modules there.
EMCC = NODE_PATH=/usr/share/nodejs emcc
WASM_CFLAGS = -O2 -std=gnu17 -Isrc -Iinclude -isystem $(WASM_CACHE)/include -MMD -MP
WASM_LINK = -O2 -sMODULARIZE -sEXPORT_ES6 -sENVIRONMENT=web,worker -sFILESYSTEM=0 \
  -sALLOW_MEMORY_GROWTH -sDYNAMIC_EXECUTION=0 -sEXPORTED_FUNCTIONS=_malloc,_free
WASM_OBJ = $(patsubst js/%.c,$(WASM)/obj/%.o,$(wildcard js/*.c)) $(filter-out %/api/embedded.o,$(LIB_SRC:src/%.c=$(WASM)/obj/%.o))
WASM_LIBS = $(addprefix $(WASM_CACHE)/lib/,sqlite3.a pcre2.a jansson.a zlib.a libzstd.a xz-utils.a)

.PHONY: wasm
wasm:  ## the engine as WebAssembly, an npm package: build/wasm/npm
	@tests/tools/packages.sh wasm
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@COMPILE=emcc ARCHIVE=emar JOBS=$(JOBS) packaging/libraries.sh wasm $(WASM_CACHE)
	@$(MAKE) --no-print-directory -j$(JOBS) $(WASM)/oomkb.db
	@js/package.sh $(BUILD) $(WASM)/npm $(VERSION) $(WASM_CACHE)
.PHONY: check-wasm
check-wasm: wasm  ## the npm package against the native program; its types, if npm is here
	@OOMKB=$(BUILD)/oomkb OOMKB_NPM=$(WASM)/npm node --test tests/js/*.test.mjs
$(WASM)/obj/index/pack.o: LAYOUT_CFLAGS = -DPACK_LAYOUT=$(LAYOUT)u
$(WASM)/obj/index/pack.o: $(LAYOUT_SRC)
$(WASM)/obj/%.o: src/%.c Makefile $(WASM_CACHE)/made
	@mkdir -p $(@D)
	$(Q)$(EMCC) $(WASM_CFLAGS) $(LAYOUT_CFLAGS) -c $< -o $@
$(WASM)/obj/%.o: js/%.c Makefile $(WASM_CACHE)/made
	@mkdir -p $(@D)
	$(Q)$(EMCC) $(WASM_CFLAGS) -c $< -o $@
$(WASM)/engine.mjs: $(WASM_OBJ) $(WASM_LIBS)
	$(Q)$(EMCC) $(WASM_LINK) -o $@ $^
# The program's index, with the patterns as this module compiles them.
$(WASM)/oomkb.db: $(WASM)/engine.mjs $(BUILD)/oomkb.db js/recode.mjs
	$(Q)node js/recode.mjs $< $(BUILD)/oomkb.db $@

.PHONY: confusion
confusion: all  ## who answers whose samples: writes docs/CONFUSION.md
	@OOMKB=$(BUILD)/oomkb $(PYTHON) tests/corpus/confusion_check.py --write docs/CONFUSION.md

MIB ?= 64
.PHONY: bench
bench: all  ## time it beside its peers; writes docs/PERFORMANCE.md: MIB=64, QUICK=1
	@tests/tools/packages.sh bench
	@$(PYTHON) tests/bench/bench.py $(BUILD)/oomkb --mib $(MIB) \
	  $(if $(QUICK),--quick,--write docs/PERFORMANCE.md)

DAYS ?= 180
.PHONY: stale
stale:  ## entries that nobody has verified for DAYS=180, or since a release
	@$(PYTHON) tests/tools/stale.py $(DAYS)

ORACLE ?= ../shared/data
.PHONY: oracle
oracle: all  ## `fit` against what engines answered (docs/ORACLES.md) and printed: ORACLE=DIR
	@$(PYTHON) tests/engines/oracle_run.py $(BUILD)/oomkb --write docs/ORACLES.md
	@if [ -d $(ORACLE) ]; then $(PYTHON) tests/memory/oracle_run.py $(BUILD)/oomkb $(ORACLE); fi

.PHONY: engines
engines: all  ## install releases outside of the tree and ask them: RELEASES="0.33.0" of vLLM
	@$(PYTHON) tests/engines/engines.py $(RELEASES)
	@OOMKB=$(BUILD)/oomkb $(PYTHON) tests/engines/deepspeed_run.py ask
	@$(PYTHON) tests/engines/accelerate_run.py ask

.PHONY: fresh
fresh:  ## releases that are not known here yet: ENGINES="vllm", CHANGES=1
	@$(PYTHON) tests/engines/fresh.py $(ENGINES) $(if $(CHANGES),--changes)

.PHONY: peers
peers: all  ## oomkb beside four calculators: writes docs/CALCULATORS.md
	@$(PYTHON) tests/memory/peers_run.py $(BUILD)/oomkb docs/CALCULATORS.md

.PHONY: measure
measure: all  ## needs an NVIDIA GPU and torch: writes docs/MEASURED.md
	@$(PYTHON) tests/gpu/measure.py $(BUILD)/oomkb docs/MEASURED.md

.PHONY: lab
lab: all  ## failures made for real, and cured (root, no GPU): writes docs/LAB.md
	@tests/lab/install.sh
	@$(PYTHON) tests/lab/lab.py $(BUILD)/oomkb --write docs/LAB.md

.PHONY: demo
demo:  ## install, build, and answer a log from examples/
	@tests/tools/packages.sh build
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@echo '$$ oomkb < examples/vllm-long-context.log'
	@$(BUILD)/oomkb < examples/vllm-long-context.log || test $$? = 1

.PHONY: docs
docs: $(BUILD)/oomkb  ## write the generated pages again (kb/FORMAT.md, schemas)
	$(BUILD)/oomkb check entries --write-docs

.PHONY: clean
clean:  ## remove what was built
	rm -rf build

# Files: what was installed below build/ has a folder of such a name (fish's).
-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
