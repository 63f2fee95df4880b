# On a machine with Go, Node and make, two commands do everything:
#
#	make demo    a whole table with simulated hardware, and its page
#	make test    installs what the tests want, runs every test and checks the code
#
# The rest:
#
#	make build      the program, into build/
#	make web        the page, which the program embeds
#	make test-board the tests that want GPIO lines, I2C, SPI and UARTs, on an emulated board that has them
#	make firmware   the seat node's firmware, into build/firmware/, for an emulated board
#	make lint       what must be clean before a commit
#	make bench      the benchmarks; go test ./cmd/tavolo/load -run xxx -bench Load -benchtime 1x runs those of full load
#	                alone, a minute for each broker and size
#	make bench-board what an edge at a line or a frame on a UART takes to the rules' input, on the emulated board
#	make fuzz       every fuzz target for FUZZTIME
#	make test-long  every test in random order and at its full length, with RAPID_CHECKS random runs where the usual
#	                number is 100
#	make noise      DEALS simulated cards at the usual noise and at ten times that
#	make idle       what a daemon with ten seats costs that has nothing to do, as a share of one core
#	make soak       HANDS random hands through the engine with every check, each time others, after players and the table
#	                were cut off from their broker for ten minutes

DEMO         ?=
DEALS        ?= 1000000
FUZZTIME     ?= 10s
HANDS        ?= 10000000
RAPID_CHECKS ?= 5000

WEB     := display/web
PAGE    := $(WEB)/dist/index.html
MODULES := $(WEB)/node_modules/.package-lock.json

.PHONY: demo test test-board build web firmware lint bench bench-board fuzz test-long soak noise idle tools

demo: web
	go run ./cmd/tavolo demo $(DEMO)

test: tools web
	TAVOLO_SCREENSHOTS=$(CURDIR)/build/screenshots go test -race -timeout 30m ./...
	npm --prefix $(WEB) test
	$(MAKE) test-board
	$(MAKE) lint

test-board: tools web
	go run ./cmd/board

build: web
	go build -trimpath -buildvcs=false -o build/tavolo -ldflags "-X main.release=$$(git describe --tags --always --dirty) \
		-X main.commit=$$(git rev-parse HEAD)" ./cmd/tavolo

web: $(PAGE)

firmware:
	$(MAKE) -C firmware-bridge/node OUT=$(CURDIR)/build/firmware

$(MODULES): $(WEB)/package-lock.json
	.ci/retry npm --prefix $(WEB) ci --no-audit --no-fund
	touch $@

$(PAGE): $(MODULES) $(WEB)/package.json $(WEB)/tsconfig.json $(shell find $(WEB)/src -type f)
	npm --prefix $(WEB) run build
	touch $@

lint:
	@unformatted=$$(go tool gofumpt -l .) && test -z "$$unformatted" || \
		{ echo "not formatted, run go tool gofumpt -w on:" $$unformatted; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	go fix -diff ./...
	go mod tidy -diff

bench:
	go test -timeout 1h -run '^$$' -bench . -benchmem ./...

bench-board: tools web
	go run ./cmd/board -only ./cmd/tavolo -bench 'EdgeToInput|PressToMQTT'

fuzz:
	@go list ./... | while read -r pkg; do \
		go test -list '^Fuzz' $$pkg | grep '^Fuzz' | while read -r target; do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1000x $$pkg </dev/null || exit 1; \
		done || exit 1; \
	done

test-long: tools web
	TAVOLO_LONG=1 RAPID_CHECKS=$(RAPID_CHECKS) go test -race -shuffle on -count 1 -timeout 2h ./...

soak: web
	TAVOLO_SOAK=1 go test -run CutOff -v -count 1 -timeout 1h ./cmd/tavolo
	go run ./cmd/tavolo selfplay --hands $(HANDS) --seed $$(date +%s)

tools:
	.ci/tools
	.ci/retry go mod download

noise: build
	build/tavolo sim --deals $(DEALS) --noise 1
	build/tavolo sim --deals $(DEALS) --noise 10

idle: build
	.ci/idle build/tavolo
