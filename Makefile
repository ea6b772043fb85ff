# The commands of the project. Each does its own set-up on a fresh machine (Debian or a relative of it).

CARGO ?= cargo
export CARGO_TERM_COLOR ?= auto

.PHONY: run test lint bench setup setup-vm build release golden clean

# Shows what zinspect says of this machine, then of a bundled captured host.
run: setup
	$(CARGO) build --release --quiet
	scripts/show target/release/zinspect

# Every test: unit, golden, property, then real kernels in virtual machines.
test: setup setup-vm
	$(CARGO) test --workspace --quiet
	$(CARGO) build --release --quiet
	ZINSPECT=target/release/zinspect tests/vm/run

# Format, lints with every set of features, documentation.
lint: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) clippy --workspace --all-targets --no-default-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet

# Speed: criterion for parts, whole processes against lsblk and a bare loop of reads.
bench: setup
	$(CARGO) bench
	benches/processes

# Packages that the build needs: libudev's header.
setup:
	@scripts/setup

# Packages that the virtual machines need.
setup-vm:
	@tests/vm/setup

# Writes the expected outputs of the golden tests anew; look at the difference before committing it.
golden:
	TRYCMD=overwrite $(CARGO) test --test cmd
	$(CARGO) run --quiet -- gen schema > docs/report-v1.schema.json

build:
	$(CARGO) build

release:
	$(CARGO) build --release

clean:
	$(CARGO) clean
