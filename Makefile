# Reconform. `make help` lists the targets; `make conformance` is the main one.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

KUBERNETES_VERSION := v1.37.2
# Another minor version, as in make assets KUBERNETES=1.35, or make conformance KUBERNETES=1.35.
KUBERNETES ?=
ifneq ($(KUBERNETES),)
KUBERNETES_VERSION := $(shell sed -n 's/^\tk8s.io\/kubernetes //p' envtest/assets/*.mod | grep -m 1 '^v$(KUBERNETES:v%=%)\(\.\|$$\)')
ifeq ($(KUBERNETES_VERSION),)
$(error no Kubernetes $(KUBERNETES) here; there is: $(shell sed -n 's/^\tk8s.io\/kubernetes //p' envtest/assets/*.mod))
endif
endif
ASSETS := bin/k8s/$(KUBERNETES_VERSION)
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
REPORTS ?= reports
# make clean removes it.
ifneq ($(words $(REPORTS)),1)
$(error REPORTS is '$(REPORTS)': it must be one folder, and its path must have no space)
endif
# One set of flags for everything, so that builds share one cache.
LDFLAGS := -X main.version=$(VERSION)
# LDFLAGS sets the version. If Go asked git for it, that would fail in a checkout that belongs to another user.
# The tag leaves out the plugins of kustomize, which are never started here: with them the linker keeps 34 MB more.
TAGS := -tags kustomize_disable_go_plugin_support
BUILD := go build -buildvcs=false $(TAGS)
# Most tests with a control plane wait for it, so more of them run side by side than there are cores.
TEST := go test $(TAGS) -parallel 4
# Without a C compiler there is no race detector.
RACE = $$([ "$$(go env CGO_ENABLED)" != 1 ] || echo -race)
# What make test runs without the race detector. These do one thing at a time, so there is nothing for it to find.
PLAIN := ./scenarios ./internal/scenario/catalogue ./internal/scenario/misspelt ./internal/scenario/render/... ./internal/record/sanitize ./internal/report/page
# This judges many students' controllers by code that TestLabCheck runs with the race detector. make labs runs it with it.
PLAIN += ./internal/lab/check
# The command line only calls what other packages test with it. make race runs it with it: that takes twice as long.
PLAIN += ./cmd/reconform
NODE := fixtures/variants/node
MYRESOURCE := ./fixtures/controllers/myresource
APIPARK := fixtures/controllers/apipark
BACKUP := ./fixtures/controllers/backup
TOOL := go tool -modfile=tools/go.mod
# Controllers that others wrote: what make third-party judges, and what only third-party-all does.
STRANGERS := sample-controller kubebuilder-deploy-image
STRANGERS_ALL := $(STRANGERS) spin-operator kro helm-operator k8s-operator-node
# Complete controllers, each of another contract or another make.
SYSTEMS := reference clientgo apipark apipark-informers myapplication myresource backup
# The modules here do not depend on a go.work in a folder above.
export GOWORK := off

##@ Use

.PHONY: help
help: ## Show this list.
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / { \
		line = sprintf("  %-16s", $$1); n = split($$2, words, " "); \
		for (i = 1; i <= n; i++) { \
			if (length(line) + 1 + length(words[i]) > 80) {print line; line = sprintf("  %-16s", "")} \
			line = line " " words[i]}; \
		print line}' $(MAKEFILE_LIST)

.PHONY: conformance
conformance: assets build ## Judge the reference controller, on a control plane of its own.
	bin/reconform run $(if $(KUBERNETES),--kubernetes $(KUBERNETES)) --report-dir $(REPORTS)

# How many of the two halves of make test run at the same time.
LANES ?= 2

.PHONY: test
test: assets build fixtures ## Run all tests, with the race detector where something runs side by side.
	$(MAKE) --no-print-directory --keep-going -j $(LANES) test-raced test-plain
	go -C $(APIPARK)/monitoring test -count=1 ./...

.PHONY: test-raced test-plain
test-raced:
	@race=$(RACE); [ -n "$$race" ] || echo "no C compiler: without the race detector"; \
	$(TEST) $$race -timeout 45m $$(go list ./... | grep -vxF "$$(go list $(PLAIN))")

test-plain:
	$(TEST) -timeout 45m $(PLAIN)

.PHONY: race
race: assets build fixtures ## Run the tests of the command line with the race detector (make test runs them without).
	$(TEST) $(RACE) -count=1 -timeout 90m ./cmd/reconform

# The tests of the command line need a program that the profile of the reference can name.
.PHONY: unit
unit: bin/manager ## Run the tests that need no control plane, without the race detector: after each change.
	$(TEST) -short -vet=off ./... # make lint vets all

bin/manager:
	@mkdir -p bin
	$(BUILD) -o bin/manager ./controller/cmd/manager

.PHONY: test-fresh
test-fresh: ## Run README's two commands as on a new machine: a clone, an empty home (about half an hour).
	.ci/fresh

.PHONY: mutants
mutants: assets build ## Show that the suite catches broken controllers (the quick ones).
	$(call mutants-build,-fast)
	bin/matrix -report-dir $(REPORTS)/mutants

.PHONY: mutants-all
mutants-all: assets build fixtures mutants-build ## The same with all mutants, and with every sound controller.
	bin/matrix -all -report-dir $(REPORTS)/mutants

.PHONY: sound
sound: assets build fixtures ## Show that no sound controller is accused (about two hours); SOUND=NAME is that one only, KUBERNETES=1.35 another version.
	$(BUILD) -o bin/matrix ./cmd/matrix
	bin/matrix -all -only sound $(if $(SOUND),-run '^($(SOUND))$$') $(if $(KUBERNETES),-kubernetes $(KUBERNETES)) -report-dir $(REPORTS)/sound

.PHONY: workloads
workloads: assets ## Run the tests of the local control plane, with the workloads of docs/cluster.md; KUBERNETES=1.35 is another version.
	KUBEBUILDER_ASSETS="$(CURDIR)/$(ASSETS)" $(TEST) -count=1 -timeout 30m ./envtest

.PHONY: third-party
third-party: assets build ## Judge controllers that others wrote, and compare with their known verdicts.
	fixtures/strangers/build.sh $(STRANGERS)
	$(call compare,$(STRANGERS),-l 'slow!=true',-without-slow)

.PHONY: scaffold
scaffold: assets ## Run the test suite that kubebuilder scaffolds, on a whole control plane.
	fixtures/strangers/build.sh kubebuilder-deploy-image
	KUBEBUILDER_ASSETS="$(CURDIR)/$(ASSETS)" fixtures/strangers/kubebuilder-deploy-image/suite/run.sh bin/strangers/kubebuilder-deploy-image/project

.PHONY: third-party-all
third-party-all: assets build ## The same with all of them, and with the slow scenarios.
	fixtures/strangers/build.sh $(STRANGERS_ALL)
	$(call compare,$(STRANGERS_ALL))

.PHONY: systems
systems: assets build fixtures ## Judge the reference systems, and print what each claims, what passed, and how much that covers.
	rm -rf $(REPORTS)/systems
	for name in $(SYSTEMS); do bin/reconform run --profile $$name --report-dir $(REPORTS)/systems/$$name || [ $$? -ne 2 ]; done
	go run ./cmd/systems $(addprefix $(REPORTS)/systems/,$(SYSTEMS))

# Each takes minutes. Those of others, and how they are made, are in docs/field/README.md.
FIELD := reference clientgo
.PHONY: field
field: assets build fixtures ## Judge controllers of the field page, and make the page, docs/field, again.
	rm -rf $(REPORTS)/field
	for name in $(FIELD); do bin/reconform run --profile $$name --report-dir $(REPORTS)/field/$$name || [ $$? -ne 2 ]; done
	bin/reconform run --profile fixtures/profiles/sample-controller.yaml --report-dir $(REPORTS)/field/sample-controller || [ $$? -ne 2 ]
	go run ./cmd/field docs/field $(addprefix $(REPORTS)/field/,$(FIELD) sample-controller)

.PHONY: first-crd
first-crd: assets build ## Judge myapplication with a CRD that lacks the status subresource, and compare likewise.
	$(BUILD) -o bin/ ./fixtures/controllers/myapplication
	$(call compare,myapplication-first)

# These are known to fail some rows. Only wrong usage ends the target here: any other result is compared, row by row. A run
# that breaks puts the report of an earlier one back, so there must be none.
define compare
@changed=; for name in $(1); do \
rm -rf $(REPORTS)/$@/$$name; \
bin/reconform run --profile fixtures/profiles/$$name.yaml $(2) --report-dir $(REPORTS)/$@/$$name || [ $$? -ne 2 ]; \
go run ./cmd/verdicts $(3) fixtures/verdicts/$$name.yaml $(REPORTS)/$@/$$name/conformance-report.yaml || changed+=" $$name"; \
done; if [ -n "$$changed" ]; then echo "not as they were:$$changed" >&2; exit 1; fi
endef

.PHONY: broken-profiles
broken-profiles: assets build ## Show that validate says what is wrong with each broken profile, by a visit for each.
	$(TEST) -count=1 -timeout 60m ./cmd/reconform -run '^TestBrokenProfiles$$' -args -every-visit

N ?= 20
.PHONY: soak
soak: assets build ## Repeat the full run N times, in random order and under random load.
	$(BUILD) -o bin/soak ./cmd/soak
	bin/soak -n $(N) -report-dir $(REPORTS)/soak

.PHONY: e2e
e2e: ## Judge the reference on a kind cluster (needs Docker), or on that of KUBECONFIG, and install all systems there.
	@[ -n "$${KUBECONFIG:-}" ] || docker version >/dev/null || \
	{ echo "error: make e2e needs Docker, or KUBECONFIG with a cluster that has the images (make images, and make image for each SYSTEM)" >&2; exit 3; }
	$(MAKE) assets build
	$(TEST) -c -o bin/envtest.test ./envtest
	go -C e2e test -c -o ../bin/e2e .
	cd e2e && PATH="$(CURDIR)/$(ASSETS):$$PATH" ../bin/e2e -test.v $(E2E_FLAGS)

.PHONY: example
example: ## Judge the example of a controller by its own Go test, EXAMPLE_FLAGS are those of go test.
	go -C examples/site test -v -timeout 60m $(EXAMPLE_FLAGS) .

.PHONY: profile
profile: assets build ## Judge the reference controller, and fail if garbage collection, or memory, is out of bounds.
	bin/reconform run --report-dir $(REPORTS)/profile --cpu-profiles $(REPORTS)/profile/cpu
	@for file in $(REPORTS)/profile/cpu/*.pb.gz; do echo; go tool pprof -top -nodecount 12 "$$file"; done
	@for file in $(REPORTS)/profile/cpu/heap/*.pb.gz; do echo; go tool pprof -sample_index=inuse_space -top -nodecount 8 "$$file"; done
	@echo; cat $(REPORTS)/profile/cpu/requests.txt; echo; cat $(REPORTS)/profile/cpu/usage.txt
	@awk 'NR > 1 && NF == 4 && $$2 > 5 && $$3 > 20 {print $$1 " spends more than a fifth of its time on garbage collection"; bad = 1} \
		$$1 == "all" && $$NF > 3072 {print "all processes together had " $$NF " MB of memory, more than 3 GB"; bad = 1} END {exit bad}' \
		$(REPORTS)/profile/cpu/usage.txt

.PHONY: labs
labs: assets ## Judge each lab's solution by every lab before it, all mistakes, debug labs and experiments (make test does some).
	$(TEST) $(RACE) -count=1 -timeout 90m ./internal/lab/check -args -every
	$(TEST) -count=1 -timeout 30m ./internal/lab/predict -args -labs .

.PHONY: labs-grade
labs-grade: assets ## Grade a class of thirty, hostile ones among them (make test grades three).
	$(TEST) -count=1 -v -timeout 60m ./cmd/reconform -run '^TestLabGrade$$' -args -class

.PHONY: browser
browser: build ## Look at report.html in a browser (needs Chromium; without one the tests say so).
	go -C internal/report/page/browser test -v .

.PHONY: picture
picture: assets build mutants-build ## Take the picture of the README from a run: a failover that fails (needs Chromium).
	status=0; bin/reconform run --profile bin/_mutants/lost-lease-only-logged/fixtures/profiles/reference.yaml --report-dir $(REPORTS)/picture LF-004 || status=$$?; [ "$$status" -eq 1 ]
	PICTURE_OF="$(abspath $(REPORTS)/picture/report.html)" PICTURE="$(CURDIR)/docs/failover.png" go -C internal/report/page/browser test -count=1 -run '^TestPicture$$' .

##@ Build

.PHONY: build
build: ## Build bin/reconform and the reference controller, bin/manager.
	@mkdir -p bin
	@echo "building bin/reconform and bin/manager (the first time takes about 4 minutes)"
	$(BUILD) -ldflags '$(LDFLAGS)' -o bin/reconform ./cmd/reconform
	$(BUILD) -o bin/manager ./controller/cmd/manager

.PHONY: assets
assets: ## Build the control plane's binaries, once (about 8 minutes), or unpack those of the release RECONFORM_ASSETS.
	@if [ -z "$${RECONFORM_ASSETS:-}" ]; then set -x; envtest/assets/build.sh $(ASSETS); \
	else set -x; $(BUILD) -o bin/assets ./cmd/assets; bin/assets -version $(KUBERNETES_VERSION) $(ASSETS); fi

# The systems that can be installed, their programs, and their images, by the names that their Deployments ask for.
INSTALLABLE := reference apipark backup myapplication myresource
PROGRAMS_reference := ./controller/cmd/manager
IMAGE_reference := webapp-controller:latest
PROGRAMS_apipark := ./$(APIPARK)/cmd/...
IMAGE_apipark := apipark:latest
PROGRAMS_backup := $(BACKUP)/cmd/...
IMAGE_backup := backup-controller:v1
PROGRAMS_myapplication := ./fixtures/controllers/myapplication
IMAGE_myapplication := myapplication-controller:latest
PROGRAMS_myresource := $(MYRESOURCE)/cmd/myresource
IMAGE_myresource := myresource-controller:latest
FOLDER = $(if $(filter reference,$(SYSTEM)),controller,fixtures/controllers/$(SYSTEM))
SYSTEM_NAMESPACE = $(if $(filter reference,$(SYSTEM)),webapp,$(SYSTEM))-system

define known
@$(if $(and $(filter 1,$(words $(SYSTEM))),$(filter $(INSTALLABLE),$(SYSTEM))),:,echo "error: \
$(if $(SYSTEM),there is no system $(SYSTEM),SYSTEM is missing); there are $(INSTALLABLE), as in make $@ SYSTEM=backup" >&2; exit 2)
endef

IMAGE ?= $(IMAGE_$(SYSTEM))
DOCKER ?= docker
.PHONY: image
image: SYSTEM := $(or $(SYSTEM),reference)
image: ## Build the image of SYSTEM (the reference), by the name IMAGE; nothing is pulled.
	$(known)
	@mkdir -p bin/image/$(SYSTEM)
	CGO_ENABLED=0 GOOS=linux $(BUILD) -ldflags '-s -w' -o bin/image/$(SYSTEM)/ $(PROGRAMS_$(SYSTEM))
	$(DOCKER) build --quiet --file $(FOLDER)/Dockerfile --target prebuilt --tag $(IMAGE) bin/image/$(SYSTEM)

.PHONY: deploy
deploy: ## Install SYSTEM on the cluster that kubectl is set to, or the image again, and wait for it; nodes other than kind's need the image.
	$(known)
	PATH="$$PATH:$(CURDIR)/$(ASSETS)"; context=$$(kubectl config current-context 2>/dev/null || true); \
	if [ "$${context#kind-}" != "$$context" ]; then kind load docker-image $(IMAGE) --name "$${context#kind-}"; fi; \
	before=$$(kubectl get deployments --namespace $(SYSTEM_NAMESPACE) --output name); \
	kubectl apply -k $(FOLDER)/config/default; \
	if [ -n "$$before" ]; then kubectl rollout restart deployment --namespace $(SYSTEM_NAMESPACE); fi; \
	kubectl rollout status deployment --namespace $(SYSTEM_NAMESPACE) --timeout=2m

SUITE_IMAGE ?= reconform:$(VERSION)
.PHONY: image-suite
image-suite: assets ## Build an image of the whole suite, SUITE_IMAGE; nothing is pulled.
	GOOS=linux release/tree.sh $(VERSION) bin/image/suite
	DOCKER=$(DOCKER) release/image.sh bin/image/suite $(SUITE_IMAGE)

PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
.PHONY: release
release: ## Build what a release consists of, for PLATFORMS, into bin/release.
	release/build.sh $(VERSION) bin/release $(PLATFORMS)

.PHONY: fixtures
fixtures: $(NODE)/node_modules/.package-lock.json ## Build the other controllers that the suite is tried on.
	@mkdir -p bin
	$(BUILD) -o bin/ ./fixtures/variants/... ./fixtures/controllers/...
	fixtures/strangers/build.sh sample-controller

# Where Pods run on real nodes. With PREFIX=registry/team it is named for a registry, to be pushed there.
PREFIX ?= registry.example
.PHONY: images
images: ## Build the image that Pods run on real nodes, as PREFIX/reconform-pod:v1 (needs Docker).
	@mkdir -p bin/images
	CGO_ENABLED=0 GOOS=linux $(BUILD) -ldflags '-s -w' -o bin/images/ ./fixtures/images/... ./cmd/relay
	docker build --quiet --tag $(PREFIX)/reconform-pod:v1 --file fixtures/images/Dockerfile bin/images

.PHONY: mutants-build
mutants-build: ## Build the mutants into one program, bin/mutants, and a profile for each; MUTANT=NAME builds that one only.
	$(call mutants-build,$(if $(MUTANT),-run '^($(MUTANT))$$'))

define mutants-build
go run ./cmd/mutants $(1)
$(BUILD) -o bin/matrix ./cmd/matrix
endef

.PHONY: mutants-image
mutants-image: mutants-build ## Build the image of the mutants, for a cluster (needs Docker).
	CGO_ENABLED=0 $(BUILD) -ldflags '-s -w' -o bin/image/mutants/manager ./bin/_mutants
	$(DOCKER) build --quiet --file controller/Dockerfile --target prebuilt --tag registry.example/reconform-mutants:v1 bin/image/mutants

# One variant is written in JavaScript. Where it cannot be built, what needs it says so.
$(NODE)/node_modules/.package-lock.json: $(NODE)/package-lock.json
	@if command -v npm >/dev/null; then \
	npm --prefix $(NODE) ci --omit=dev --no-audit --no-fund --loglevel=error || echo "npm failed: the variant in Node.js is left out"; \
	else echo "no npm on the PATH: the variant in Node.js is left out"; fi

.PHONY: scenario
scenario: ## Run one scenario of the working tree, as in ID=SH-004, on the bench of bin/reconform up: some seconds.
	@[ -n "$(ID)" ] || { echo "error: ID is missing: name a scenario, as in make scenario ID=SH-004" >&2; exit 2; }
	@$(OF_ID) >/dev/null || \
	{ echo "error: no scenario has the ID $(ID); bin/reconform list shows all" >&2; exit 2; }
	@[ -f "$(BENCH)" ] || { echo "error: no $(BENCH): start the bench first, in another terminal: bin/reconform up" >&2; exit 2; }
	@$(MAKE) --no-print-directory bin/chainsaw
	@export KUBECONFIG="$(BENCH)" PATH="$(CURDIR)/$(ASSETS):$$PATH"; \
	bin/chainsaw test $$([ -t 1 ] || echo --no-color) $$($(OF_ID) | xargs -n 1 dirname)

# What names the file of the scenario, and the kubeconfig of the bench.
OF_ID = grep -rlixE --include=chainsaw-test.yaml ' *reconform.dev/id: *$(ID)' scenarios
BENCH = $(or $(KUBECONFIG),$(CURDIR)/reconform.kubeconfig)

.PHONY: chainsaw
chainsaw: bin/chainsaw ## Build Chainsaw, for use with bin/reconform up.

bin/chainsaw: go.mod
	@mkdir -p bin
	$(BUILD) -o bin/chainsaw github.com/kyverno/chainsaw

##@ Develop

.PHONY: generate-api
generate-api: ## Write again what is made from the types of the bench's objects, profiles and reports (some seconds).
	$(TOOL) controller-gen object paths=./conformance/api/... paths=./controller/api/...
	$(TOOL) controller-gen crd:allowDangerousTypes=true paths=./conformance/api/... output:crd:dir=conformance/api/crds

.PHONY: generate
generate: generate-api ## Write the generated files again.
	$(TOOL) controller-gen crd paths=./controller/api/... output:crd:dir=controller/config/crd/bases
	$(TOOL) controller-gen object paths=./fixtures/variants/renamed/v1
	$(call into,fixtures/variants/renamed/crd.yaml,$(TOOL) controller-gen crd paths=./fixtures/variants/renamed/v1 output:crd:stdout)
	$(TOOL) controller-gen object paths=$(MYRESOURCE)/api/...
	$(TOOL) controller-gen crd paths=$(MYRESOURCE)/api/... output:crd:dir=$(MYRESOURCE)/config/crd
	$(TOOL) controller-gen rbac:roleName=myresource-controller paths=$(MYRESOURCE)/controller output:rbac:dir=$(MYRESOURCE)/config/rbac
	$(TOOL) controller-gen rbac:roleName=webapp-controller paths=./controller/webapp/... output:rbac:dir=controller/config/rbac
	$(TOOL) controller-gen object paths=./$(APIPARK)/api/...
	$(TOOL) controller-gen crd paths=./$(APIPARK)/api/... output:crd:dir=$(APIPARK)/config/crd/bases
	$(TOOL) controller-gen rbac:roleName=apipark paths=./$(APIPARK)/internal/controller/... output:rbac:dir=$(APIPARK)/config/rbac
	$(TOOL) controller-gen object paths=$(BACKUP)/api/...
	$(TOOL) controller-gen crd paths=$(BACKUP)/api/... output:crd:dir=$(BACKUP)/config/crd/bases
	$(TOOL) controller-gen rbac:roleName=backup-controller paths=$(BACKUP)/internal/controller output:rbac:dir=$(BACKUP)/config/rbac
	$(TOOL) controller-gen rbac:roleName=backup-controller-webhooks paths=$(BACKUP)/internal/certificates output:rbac:dir=$(BACKUP)/config/webhook
	cp $(APIPARK)/config/crd/bases/* $(APIPARK)/chart/crds/
	cp $(addprefix $(APIPARK)/config/,rbac/role.yaml rbac/leader_election_role.yaml manager/metrics.yaml manager/network_policy.yaml) $(APIPARK)/chart/templates/
	cp $(addprefix $(APIPARK)/config/monitoring/,service_monitor.yaml rules.yaml dashboard.json) $(APIPARK)/chart/files/
	cp controller/config/crd/bases/* controller/chart/crds/
	cp controller/config/rbac/role.yaml controller/chart/templates/role.yaml
	go run ./cmd/labs generate labs
	go run ./cmd/editorschema fixtures/profiles/profile.schema.json
	$(call into,docs/conformance-report.schema.json,go -C tools run ./reportschema "$(CURDIR)" ConformanceReport)
	$(call into,docs/explore-report.schema.json,go -C tools run ./reportschema "$(CURDIR)" ExploreReport)
	$(call into,scenarios/README.md,go run ./cmd/reconform list -o markdown)

# into writes into a file what a command prints. If the command fails, the file stays as it was.
define into
$(2) > $(1).new || { rm -f $(1).new; exit 1; }
mv $(1).new $(1)
endef

.PHONY: verify
verify: generate ## Fail if generated files are stale, or a go.mod or go.sum is not tidy.
	@git diff --exit-code -- conformance controller docs fixtures labs scenarios || \
	{ echo "generated files are stale: run make generate and commit the result"; exit 1; }
	@untidy=; for file in $$(git ls-files '*.mod'); do \
	go -C "$$(dirname "$$file")" mod tidy -diff -modfile="$$(basename "$$file")" || untidy+=" $$file"; done; \
	if [ -n "$$untidy" ]; then echo "not tidy: run go mod tidy in$$untidy, and commit the result"; exit 1; fi

.PHONY: fmt
fmt: ## Format the sources.
	$(TOOL) gofumpt -w $$(git ls-files '*.go' | grep -v zz_generated)

# Packages that are public on purpose: what is unused here may be used elsewhere.
PUBLIC := /envtest(/environment)?$$|/conformance$$|/conformance/api/

.PHONY: lint
lint: ## Check format, vet, staticcheck, and that no code is unused or used by tests only.
	rm -rf bin/labs
	go run ./cmd/labs module bin/labs
	@unformatted=$$($(TOOL) gofumpt -l bin/labs $$(git ls-files '*.go' | grep -v zz_generated)); \
	if [ -n "$$unformatted" ]; then echo "not formatted (make fmt): $$unformatted"; exit 1; fi
	go vet ./...
	$(TOOL) staticcheck ./...
	@# In the solutions of the labs there may be something that only a later lab uses.
	staticcheck=$$($(TOOL) -n staticcheck); cd bin/labs && $$staticcheck -checks inherit,-U1000 $$(go list ./... | grep '/solution$$')
	go -C examples/site vet ./...
	go -C e2e vet ./...
	go -C tools vet ./...
	go -C $(APIPARK)/monitoring vet ./...
	go -C tools test ./...
	go -C tools run ./unused -public '$(PUBLIC)' ..
	@dead=$$($(TOOL) deadcode ./...) || exit 1; \
	dead=$$(grep -vE '^(envtest|envtest/environment|conformance)/[^/]*$$' <<<"$$dead" || true); \
	if [ -n "$$dead" ]; then echo "$$dead"; exit 1; fi

.PHONY: vulncheck
vulncheck: ## Look for known vulnerabilities in the code that is called (needs the network).
	$(TOOL) govulncheck ./...

.PHONY: bench
bench: assets ## Measure the proxy against going direct.
	go test -run '^$$' -bench . ./internal/record/proxy

SIZES ?= 100,1000,10000
.PHONY: bench-scale
bench-scale: assets build fixtures ## Measure controllers with up to 10,000 objects side by side, and write docs/performance.md (an hour at most).
	fixtures/strangers/build.sh $(STRANGERS)
	$(BUILD) -o bin/scale ./cmd/scale
	bin/scale -assets $(ASSETS) -sizes $(SIZES) -by-flag sample-controller -write docs \
		$(patsubst %,fixtures/profiles/%.yaml,reference clientgo $(STRANGERS))

GROWING := reference backup clientgo companions split stateful
.PHONY: explore-growth
explore-growth: assets build fixtures ## Record what controllers do, and write into docs/explore.md how many plans disturb it (about 10 minutes).
	$(BUILD) -o bin/growth ./cmd/growth
	@for name in $(GROWING); do echo "$$name"; rm -rf $(REPORTS)/growth/$$name; \
		bin/reconform explore --quiet --profile $$name --shard 1/1000 --report-dir $(REPORTS)/growth/$$name || [ $$? -ne 2 ]; done
	bin/growth -write docs $(patsubst %,$(REPORTS)/growth/%,$(GROWING))

.PHONY: clean
clean: ## Remove what was built, except the control plane's binaries.
	@if [ ! -e "$(REPORTS)/.reconform" ]; then for entry in "$(REPORTS)"/*; do \
	if [ -e "$$entry" ] && [ -z "$$(find "$$entry" -mindepth 1 -maxdepth 3 -name .reconform -print -quit)" ]; then \
	echo "error: REPORTS is $(REPORTS), and $$entry is no folder of reports: remove it yourself, or name another folder" >&2; exit 2; fi; done; fi
	rm -rf $(REPORTS) $(filter-out bin/k8s,$(wildcard bin/*)) $(NODE)/node_modules
