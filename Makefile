# make demo    set up, build, score a clip pair
# make check   set up, build, every test
# Both install missing packages with apt-get (as root or through sudo) and need no network when nothing is missing.
BUILD ?= build
REF ?=
DIST ?=
GEOMETRY ?=

.PHONY: demo check setup build format clean

setup:
	@scripts/setup build

build: setup
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD)
	@ninja -C $(BUILD) --quiet

demo: build
	@scripts/demo $(BUILD) "$(REF)" "$(DIST)" $(GEOMETRY)

check:
	@scripts/setup check
	@scripts/check

format:
	git ls-files -z '*.c' '*.h' | xargs -0 clang-format -i

clean:
	rm -rf build build-* demo
