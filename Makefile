# Benchwright. `make help` says what there is.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NAMESPACE ?= benchwright
CLUSTER_ENV = eval "$$($(PYTHON) -m cluster env)"
IMAGES := operator proxy harness task-python agent-mini-swe-agent
BUNDLES := agent-aider agent-codex agent-opencode agent-gemini-cli agent-qwen-code

.PHONY: help
help: ## Show this help
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-16s %s\n", $$1, $$2}'

.PHONY: demo
demo: venv cluster images install ## Run a real benchmark on a real cluster and show its result
	@$(CLUSTER_ENV) && NAMESPACE=$(NAMESPACE) manifests/demo/demo.sh

.PHONY: test
test: lint types unit browser e2e ## Everything: lint, types, unit, golden, sim, browser, e2e on a real cluster

.PHONY: lint
lint: venv ## Style, import layers, generated files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/benchwright crds crds --check

.PHONY: types
types: venv ## mypy, strict
	$(BIN)/mypy

.PHONY: unit
unit: venv ## Unit, golden and sim tests: no cluster needed
	$(BIN)/python -m pytest -q

.PHONY: browser
browser: venv ## The web view in headless Chromium: clicks, keyboard, accessibility (needs no cluster)
	$(BIN)/python -m tests.browser.install
	$(BIN)/python -m pytest -q tests/browser -m browser

.PHONY: e2e
e2e: venv cluster images load ## Tests on the real cluster, real agents among them
	@$(PYTHON) -m cluster load-image $$($(PYTHON) -m images build --print-paths $(BUNDLES))
	@$(CLUSTER_ENV) && $(BIN)/python -m pytest -q tests/e2e -m e2e

.PHONY: bench-proxy
bench-proxy: venv ## What the proxy costs beside LiteLLM, Go's ReverseProxy and nginx (tests/bench/proxy)
	$(BIN)/python -m tests.bench.proxy

.PHONY: bench
bench: venv cluster images install ## Ratios against bare pods on the same cluster (tests/bench)
	@$(CLUSTER_ENV) && $(BIN)/python -m tests.bench.noop_trials --namespace $(NAMESPACE)

.PHONY: venv
venv: $(VENV)/.stamp ## Make .venv with Benchwright and all tools, at locked versions

$(VENV)/.stamp: requirements/dev.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps -r requirements/uv.lock
	$(BIN)/uv pip sync --python $(BIN)/python --quiet --require-hashes --compile-bytecode requirements/dev.lock
	$(BIN)/uv pip install --python $(BIN)/python --quiet --no-deps --no-build-isolation --editable .
	touch $@

.PHONY: lock
lock: ## Resolve the dependencies anew (requirements/*.lock)
	$(BIN)/uv pip compile -q --upgrade --no-emit-index-url --generate-hashes --python-version 3.11 pyproject.toml -o requirements/runtime.lock
	$(BIN)/uv pip compile -q --upgrade --no-emit-index-url --generate-hashes --python-version 3.11 pyproject.toml --group dev -o requirements/dev.lock

.PHONY: crds
crds: venv ## Generate crds/ from the models
	$(BIN)/benchwright crds crds

.PHONY: cluster
cluster: ## Bring up a cluster: the current one (CLUSTER=current), kind, or a disposable one
	@$(PYTHON) -m cluster up

.PHONY: cluster-down
cluster-down: ## Remove the disposable cluster and everything that it made
	@$(PYTHON) -m cluster down

.PHONY: images
images: venv ## Build all images, without a registry
	@$(PYTHON) -m images build

.PHONY: load
load: cluster images ## Load the images into the cluster
	@$(PYTHON) -m cluster load-image $$($(PYTHON) -m images build --print-paths $(IMAGES))

.PHONY: install
install: load ## Install the chart with the demo's values
	@$(CLUSTER_ENV) && manifests/demo/install.sh $(NAMESPACE)

.PHONY: clean
clean: ## Remove what is built in this folder (not the caches)
	rm -rf $(VENV) build dist demo-results .mypy_cache .ruff_cache .hypothesis .pytest_cache
