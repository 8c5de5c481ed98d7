# Everything a maintainer runs. Nothing here is needed to use the module.

GO        ?= go
STATICCHECK = $(GO) tool -modfile=$(CURDIR)/internal/tools/go.mod staticcheck
MODULES   = . examples

.DEFAULT_GOAL := help
.PHONY: help gen verify test check format vet staticcheck race bench bench-large crash model

help: ## explain the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

gen: ## write the generated sections of the pages and gen/
	$(GO) run ./cmd/gen-catalog

verify: ## check that pages, generated Go and source agree
	$(GO) run ./cmd/verify-catalog

test: ## run the tests; needs Go alone
	@for m in $(MODULES); do echo "$(GO) -C $$m test -timeout 60m ./..."; $(GO) -C $$m test -timeout 60m ./... || exit 1; done

check: format vet staticcheck race verify ## what every commit passes: format, vet, staticcheck, race detector, fresh pages

format:
	@out=$$(git ls-files -co --exclude-standard -- '*.go' | grep -v /testdata/ | xargs gofmt -l); \
	if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi

vet:
	@for m in $(MODULES); do for os in linux windows darwin; do \
		echo "GOOS=$$os $(GO) -C $$m vet ./..."; \
		if [ $$os = $$($(GO) env GOOS) ]; then $(GO) -C $$m vet ./... || exit 1; \
		else GOOS=$$os CGO_ENABLED=0 $(GO) -C $$m vet ./... || exit 1; fi; done; done

staticcheck:
	$(STATICCHECK) ./...
	cd examples && $(STATICCHECK) ./...

race:
	@for m in $(MODULES); do echo "$(GO) -C $$m test -race -timeout 60m ./..."; CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 $(GO) -C $$m test -race -timeout 60m ./... || exit 1; done

bench: ## measure: the pipeline, the commands beside go list, plan mode and its logs
	$(GO) test -run '^$$' -bench . -benchmem ./internal/... ./planmode/...

bench-large: ## measure on large public modules, which it fetches through the proxy
	$(GO) test -run TestLarge -count=1 -v -timeout 120m ./internal/cli -args -large

crash: ## kill -9 sessions at random points, 200 times and more
	$(GO) test -run TestKilledSession -count=1 -v ./planmode -args -kills 200
	$(GO) test -run TestKilledWriter -count=1 -v ./planmode/session/filelog

model: ## hold plan mode against a naive model for more than 100,000 operations
	$(GO) test -run 'TestMachine|TestGateMachine' -count=1 -v ./planmode -rapid.checks=2000 -rapid.steps=60
