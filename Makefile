# make demo    set up, build, score a clip pair
# make check   set up, build, every test
# make gate    build, the parity gate and the bench of every device found; reports in $(GATE)
# The first two install missing packages with apt-get (as root or through sudo) and need no network when nothing is missing.
BUILD ?= build
REF ?=
DIST ?=
GEOMETRY ?=
GATE ?= gate
BACKENDS ?=

.PHONY: demo check gate setup build format clean

setup:
	@scripts/setup build

build: setup
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD)
	@ninja -C $(BUILD) --quiet

demo: build
	@scripts/demo $(BUILD) "$(REF)" "$(DIST)" $(GEOMETRY)

gate:
	@scripts/gate $(BUILD) $(GATE) $(BACKENDS)

check:
	@scripts/setup check
	@scripts/check

format:
	git ls-files -z '*.c' '*.h' '*.cpp' '*.hpp' | xargs -0 clang-format -i

clean:
	rm -rf build build-* demo gate
