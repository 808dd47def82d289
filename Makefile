# make help lists the targets. Each does all its own set-up.
SHELL := /usr/bin/env bash -o pipefail
.DEFAULT_GOAL := help

VERSION ?= dev
REGISTRY ?= ghcr.io/sk1-services
IMG ?= $(REGISTRY)/distributed-cache-operator:$(VERSION)
CACHE_IMG ?= $(REGISTRY)/tiny-cache:$(VERSION)
CLI_IMG ?= $(REGISTRY)/cache-cli:$(VERSION)

KUBECTL ?= kubectl
CONTAINER_TOOL ?= docker
KIND ?= kind
KIND_CLUSTER ?= distributed-cache
CALICO ?= https://raw.githubusercontent.com/projectcalico/calico/v3.31.0/manifests/calico.yaml

# Static binaries, and one set of compiled packages for them, the tools and the local Kubernetes.
export CGO_ENABLED ?= 0
LDFLAGS := -s -w -X main.version=$(VERSION)
BIN := $(CURDIR)/bin
TOOLS := hack/tools
CONTROLLER_GEN := $(BIN)/controller-gen
GOLANGCI := $(BIN)/golangci-lint
LOCALKUBE := $(BIN)/localkube
LOCALKUBE_SOURCES := $(shell find hack/localkube -name '*.go' -o -name 'go.*')

##@ General

.PHONY: help
help: ## Show this text.
	@awk 'BEGIN {FS = ":.*##"} \
	  /^##@/ {printf "\n\033[1m%s\033[0m\n", substr($$0, 5)} \
	  /^[a-zA-Z0-9_-]+:.*##/ {printf "  \033[36m%-26s\033[0m%s\n", $$1, $$2}' $(MAKEFILE_LIST)

##@ See it

.PHONY: demo
demo: ## Start a local Kubernetes, install the operator and show a cache at work.
	hack/demo.sh

.PHONY: demo-down
demo-down: $(LOCALKUBE) ## Take the demo down and leave nothing behind.
	$(LOCALKUBE) down --name demo

##@ Develop

.PHONY: build
build: ## Build the three binaries into bin/, and cache-cli once more as a plugin of kubectl.
	go build -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/...
	ln -sf cache-cli $(BIN)/kubectl-dcache
	install -m 755 hack/kubectl_complete-dcache $(BIN)/

.PHONY: run
run: ## Run the operator on this machine against the current kubeconfig.
	go run ./cmd/manager --log-console --metrics-insecure --metrics-bind-address 127.0.0.1:8080

.PHONY: generate
generate: $(CONTROLLER_GEN) ## Generate deep copies and apply configurations.
	$(CONTROLLER_GEN) object paths=./apis/...
	rm -rf applyconfiguration && $(CONTROLLER_GEN) applyconfiguration paths=./apis/...

.PHONY: manifests
manifests: $(CONTROLLER_GEN) ## Generate the CRD and the operator's role.
	$(CONTROLLER_GEN) crd paths=./apis/... output:crd:artifacts:config=config/crd/bases
	$(CONTROLLER_GEN) rbac:roleName=distributed-cache-operator paths=./pkg/controller/... output:rbac:artifacts:config=config/rbac

.PHONY: golden
golden: ## Rewrite the golden files; look at the diff.
	UPDATE_GOLDEN=1 go test ./apis/... ./pkg/render/... ./pkg/explain/... ./pkg/crfile/... ./cmd/cache-cli/...

.PHONY: fmt
fmt: $(GOLANGCI) ## Format the code.
	$(GOLANGCI) fmt
	cd hack/localkube && $(GOLANGCI) fmt --config $(CURDIR)/.golangci.yml

.PHONY: lint
lint: $(GOLANGCI) ## Lint the code, import directions included.
	$(GOLANGCI) run --allow-serial-runners
	cd hack/localkube && $(GOLANGCI) run --allow-serial-runners --config $(CURDIR)/.golangci.yml --build-tags realnode

.PHONY: verify
verify: ## Check that generated files and module files are fresh.
	hack/verify.sh

##@ Test

.PHONY: test
test: lint verify test-unit test-vectors test-fuzz test-integration test-faults test-e2e ## Everything: lint, generated files, unit, vectors, fuzzing, integration, faults, end to end.

.PHONY: test-unit
test-unit: ## Unit tests, with the race detector.
	hack/needs.sh gcc=gcc gcc=libc6-dev
	CGO_ENABLED=1 go test -race -shuffle=on ./apis/... ./cmd/... ./pkg/...
	go test ./pkg/plan -count=1 -run TestHistories -rapid.checks=20000 -v | grep -vE '^=== '
	go test ./pkg/plan -count=1 -run TestMutantsAreCaught -v | grep -E 'RUN|caught|survived|^figure|^(ok|FAIL)'
	cd hack/localkube && go test ./...

.PHONY: test-integration
test-integration: programs ## Tests on real control planes, with kwok nodes: two, for specs mostly wait.
	go tool ginkgo --tags integration --procs 2 --timeout 30m --no-color --silence-skips ./test/integration

.PHONY: test-e2e
test-e2e: programs ## Tests on a real node; says why where the machine cannot run one.
	hack/needs.sh curl=curl
	cd hack/localkube && go test -tags realnode -count=1 -timeout 20m .
	go test -v -tags e2e -count=1 -timeout 30m ./test/e2e/...

.PHONY: test-faults
test-faults: programs ## Kill the operator before and after each of its writes; refusals, old data, rivals.
	go test -v -tags integration -count=1 -timeout 45m ./test/history/... ./test/faults/...

.PHONY: test-vectors
test-vectors: ## Hold the Go packages and a second implementation of docs/routing.md against each other.
	hack/needs.sh python3=python3
	go test -v -tags vectors -count=1 -timeout 5m ./test/vectors/... | grep --line-buffered -vE '^=== '

# Where the input is foreign. Minimising is bounded, or it would eat the minute.
FUZZTIME ?= 1m
FUZZ = pkg/cacheserver:FuzzRequest pkg/cacheserver:FuzzBatch pkg/cacheserver:FuzzKey \
       pkg/cacheserver/batch:FuzzWire pkg/cache:FuzzEngine pkg/ring:FuzzDecode

.PHONY: test-fuzz
test-fuzz: ## Fuzz tiny-cache's HTTP surface, its engine and the ring's document, FUZZTIME (1m) each, two at a time.
	printf '%s\n' $(FUZZ) | xargs -P 2 -I {} sh -euc 'target={}; \
	  go test -run "^$$" -fuzz "^$${target#*:}$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x -parallel 1 "./$${target%:*}"'

.PHONY: test-long
test-long: ## The long forms of what test-unit has a short one of: races, slow clients, full containers up to 1Gi.
	CGO_ENABLED=1 LONG_TESTS=1 go test -race -count=1 -timeout 10m -run J8 ./pkg/cache
	LONG_TESTS=1 go test -v -count=1 -timeout 30m -run 'J12|J16' ./pkg/cacheserver ./cmd/tiny-cache

.PHONY: test-pods
test-pods: programs ## Fill pods of 64Mi, 128Mi and 1Gi on a real node five times over.
	go test -v -tags e2e -count=1 -timeout 60m ./test/e2e -ginkgo.label-filter fill | grep --line-buffered -E '^figure|^ok|FAIL|Passed|Ran'

.PHONY: nightly
nightly: test-long test-pods ## A million histories of the state machine, the long tests, full pods, and ten minutes of each fuzz target.
	$(MAKE) test-fuzz FUZZTIME=10m
	go test ./pkg/plan -count=1 -timeout 4h -run TestHistories -rapid.checks=1000000 -v | grep -vE '^=== '

.PHONY: bench-idle
bench-idle: programs ## Count the idle operator's requests at the API server over 30 s.
	go test -tags integration -count=1 -timeout 10m ./test/integration/... -v -ginkgo.focus 'idle' | grep --line-buffered -E '^figure|^ok|FAIL|Passed'

.PHONY: bench-ring
bench-ring: programs ## How fast the ring follows readiness and the spec: p50 and p99 over 100 events.
	BENCH=1 go test -tags integration -count=1 -timeout 30m ./test/integration/... -v -ginkgo.label-filter bench | grep --line-buffered -E '^figure|^ok|FAIL|Passed'

.PHONY: bench-routing
bench-routing: ## Time of a lookup, and what moves when a member leaves, beside other ways to route.
	BENCH=1 go test -v -count=1 -timeout 10m -run TestRoutingFigures ./pkg/ring | grep --line-buffered -vE '^(===|---)'

.PHONY: bench-cache
bench-cache: cache-bench ## Processor time, rate and latency of tiny-cache beside memcached and redis.
	$(BIN)/cache-bench cache

.PHONY: bench-hit-ratio
bench-hit-ratio: cache-bench ## Hits on equal memory beside memcached, redis and an exact LRU.
	$(BIN)/cache-bench hit-ratio

.PHONY: bench-memory
bench-memory: cache-bench ## Memory per entry beside memcached and redis.
	$(BIN)/cache-bench memory

.PHONY: cache-bench
cache-bench:
	hack/needs.sh memcached=memcached redis-server=redis-server taskset=util-linux
	go build -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/tiny-cache
	go build -o $(BIN)/cache-bench ./test/bench

##@ Local Kubernetes

$(LOCALKUBE): $(LOCALKUBE_SOURCES)
	cd hack/localkube && go build -o $@ .

.PHONY: programs
programs: $(LOCALKUBE) ## Fetch or build Kubernetes and what runs beside it; the first time may take 25 minutes.
	$(LOCALKUBE) build

.PHONY: localkube
localkube: $(LOCALKUBE) ## Build the command that runs a local Kubernetes (bin/localkube --help).

##@ Images

.PHONY: docker-build
docker-build: ## Build the operator's image.
	$(CONTAINER_TOOL) build --build-arg VERSION=$(VERSION) -t $(IMG) .

.PHONY: docker-build-tiny-cache
docker-build-tiny-cache: ## Build the cache's image.
	$(CONTAINER_TOOL) build --build-arg VERSION=$(VERSION) -f Dockerfile.tiny-cache -t $(CACHE_IMG) .

.PHONY: docker-build-cache-cli
docker-build-cache-cli: ## Build the client's image.
	$(CONTAINER_TOOL) build --build-arg VERSION=$(VERSION) -f Dockerfile.cache-cli -t $(CLI_IMG) .

##@ kind

.PHONY: kind-up
kind-up: docker-build docker-build-tiny-cache docker-build-cache-cli ## Create a kind cluster with Calico, load the images, install the CRD.
	$(KIND) create cluster --name $(KIND_CLUSTER) --config hack/kind-config.yaml
	$(KUBECTL) apply -f $(CALICO)
	$(KUBECTL) wait --for=condition=Ready nodes --all --timeout=5m
	$(MAKE) kind-load-tiny-cache install
	$(KIND) load docker-image --name $(KIND_CLUSTER) $(IMG) $(CLI_IMG)

.PHONY: kind-load-tiny-cache
kind-load-tiny-cache: ## Load the cache's image into the kind cluster.
	$(KIND) load docker-image --name $(KIND_CLUSTER) $(CACHE_IMG)

.PHONY: kind-down
kind-down: ## Delete the kind cluster.
	$(KIND) delete cluster --name $(KIND_CLUSTER)

##@ Deploy to the current kubeconfig

.PHONY: install
install: ## Install the CRD.
	$(KUBECTL) apply --server-side -k config/crd

# Caches carry a finalizer that only a running operator takes off, so they go first.
CRD := distributedcaches.cache.sk1.services.com
DELETE_CACHES = if $(KUBECTL) get crd $(CRD) >/dev/null 2>&1; then $(KUBECTL) delete $(CRD) --all --all-namespaces --timeout=65m; fi

.PHONY: uninstall
uninstall: ## Delete every cache, which waits for their drains, and remove the CRD.
	$(DELETE_CACHES)
	$(KUBECTL) delete --ignore-not-found -k config/crd

.PHONY: deploy
deploy: ## Install the operator with IMG and CACHE_IMG.
	hack/overlay.sh '$(IMG)' '$(CACHE_IMG)' | $(KUBECTL) apply --server-side -f -

.PHONY: undeploy
undeploy: ## Delete every cache, then the operator and the CRD.
	$(DELETE_CACHES)
	$(KUBECTL) delete --ignore-not-found -k config/default

##@ Tools

.PHONY: controller-gen
controller-gen: $(CONTROLLER_GEN) ## Build controller-gen.

# Built from the versions pinned in hack/tools.
$(CONTROLLER_GEN): $(TOOLS)/go.mod
	@cd $(TOOLS) && go build -o $@ sigs.k8s.io/controller-tools/cmd/controller-gen

$(GOLANGCI): $(TOOLS)/go.mod
	@echo 'building golangci-lint; the first time takes a few minutes'
	cd $(TOOLS) && go build -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
