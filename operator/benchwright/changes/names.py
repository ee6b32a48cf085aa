"""The tables that `classify` looks names up in. All lower case unless a comment says otherwise.

Rule of thumb for what is listed as generated or vendored (left out of the primary numbers): only
names that a person would not choose for source. `build/`, `dist/`, `target/`, `coverage/`, `env/`
and `deps/` are real source directories in real projects, so they are not here: see `OUTPUT_DIRS`.
"""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _tuple(words: str) -> tuple[str, ...]:
    return tuple(words.split())


VENDORED_DIRS = _set(
    "node_modules bower_components jspm_packages vendor third_party third-party thirdparty "
    "site-packages dist-packages .venv venv .virtualenv virtualenv .yarn .pnpm-store .bundle pods "
    "carthage .eggs .gopath .m2 .cargo-home"
)
GENERATED_DIRS = _set(
    "__pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .nox .cache "
    ".ipynb_checkpoints htmlcov lcov-report .nyc_output .next .nuxt .svelte-kit .parcel-cache "
    ".turbo .gradle .idea .vscode .terraform .stack-work dist-newstyle _build .dart_tool "
    "deriveddata cmakefiles cmake-build-debug cmake-build-release .ccls-cache .clangd .metals "
    ".bloop .scala-build"
)
# (directory, directory right below it)
GENERATED_PAIRS = frozenset(
    tuple(pair.split("/"))
    for pair in _tuple(
        "target/debug target/release target/classes target/test-classes target/surefire-reports "
        "target/failsafe-reports target/site target/tarpaulin target/llvm-cov build/classes "
        "build/reports build/test-results build/tmp build/jacoco coverage/lcov-report pkg/mod "
        "obj/debug obj/release bin/debug bin/release"
    )
)
# Also source directories in real projects: outputs where the project itself ignores them.
OUTPUT_DIRS = _set(
    "build dist out output target bin obj env .env tmp temp .tmp log logs coverage .coverage "
    "generated gen release debug storage site public .direnv .conda miniconda3 .local"
)
GENERATED_EXTENSIONS = _set(
    ".pyc .pyo .pyd .class .o .obj .lo .gcda .gcno .gcov .profraw .profdata .tsbuildinfo .swp"
)
GENERATED_SUFFIXES = _tuple(
    ".min.js .min.css .js.map .css.map .mjs.map _pb2.py _pb2.pyi _pb2_grpc.py .pb.go .pb.cc .pb.h "
    ".pb.gw.go .g.dart .freezed.dart .designer.cs .g.cs _generated.go .generated.ts .egg-info "
    ".bundle.js .chunk.js .lcov"
)
LOCK_FILES = _set(
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock "
    "poetry.lock pipfile.lock uv.lock pdm.lock pixi.lock conda-lock.yml cargo.lock go.sum "
    "go.work.sum composer.lock gemfile.lock mix.lock rebar.lock pubspec.lock podfile.lock "
    "package.resolved packages.lock.json paket.lock gradle.lockfile flake.lock stack.yaml.lock "
    "cabal.project.freeze conan.lock renv.lock .terraform.lock.hcl"
)
REPORT_FILES = _set(
    ".coverage coverage.xml coverage.json coverage.lcov lcov.info coverage-final.json clover.xml "
    "junit.xml cover.out coverage.out cobertura.xml jacoco.xml jacoco.exec .ds_store thumbs.db "
    "test-results.xml .eslintcache .stylelintcache"
)

TEST_DIRS = _set(
    "test tests __tests__ cypress e2e unittests unittest unit_tests unit-tests integration_tests "
    "integration-tests functional_tests functional-tests testsuite test-suite test_suite"
)
# Test directories for these languages alone: elsewhere `spec/` holds specifications, `t/` anything.
SPEC_DIRS = _set("spec specs")
SPEC_EXTENSIONS = _set(".rb .lua .js .jsx .ts .tsx .mjs .cjs .php .cr .coffee .moon")
# Data wherever they are …
FIXTURE_DIRS = _set(
    "testdata test_data test-data testfixtures test_fixtures test-fixtures __fixtures__ "
    "__snapshots__ __mocks__ __image_snapshots__"
)
# … and data or helpers where a test directory holds them.
SUPPORT_DIRS = _set(
    "fixtures fixture data resources snapshots golden goldens mocks stubs support helpers samples "
    "examples cassettes expected assets factories"
)
SUPPORT_STEMS = _set(
    "conftest __init__ helper helpers util utils spec_helper test_helper rails_helper testhelper "
    "fixtures fixture factory factories mocks mock common setuptests jest.setup vitest.setup "
    "mod bootstrap"
)
# Support wherever it lies: these run in every test of their directory.
SUPPORT_FILES = _set(
    "conftest.py spec_helper.rb rails_helper.rb test_helper.rb test_helper.exs setuptests.js "
    "setuptests.ts jest.setup.js jest.setup.ts vitest.setup.js vitest.setup.ts"
)
SUPPORT_EXTENSIONS = _set(".snap .golden .approved .ambr")

CONFIG_DIRS = _set(".github .circleci .gitlab .cargo .husky .buildkite .config .mvn")
CONFIG_FILES = _set(
    # Python
    "pytest.ini .pytest.ini tox.ini setup.cfg setup.py pyproject.toml .coveragerc noxfile.py "
    "pipfile environment.yml environment.yaml constraints.txt manifest.in mypy.ini .mypy.ini "
    "sitecustomize.py usercustomize.py .python-version .env .envrc "
    # JavaScript
    "package.json .npmrc .yarnrc .yarnrc.yml .nvmrc cypress.json deno.json deno.jsonc bunfig.toml "
    "karma.conf.js codecov.yml .codecov.yml nyc.config.js lerna.json nx.json turbo.json "
    # JVM
    "pom.xml build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties "
    "gradlew gradlew.bat mvnw mvnw.cmd build.sbt build.xml build.sc project.clj deps.edn "
    # Rust, Go, C, C++
    "cargo.toml rust-toolchain rust-toolchain.toml build.rs tarpaulin.toml clippy.toml go.mod "
    "go.work makefile gnumakefile cmakelists.txt cmakepresets.json ctesttestfile.cmake "
    "meson.build meson_options.txt build.bazel workspace workspace.bazel module.bazel .bazelrc "
    "configure configure.ac configure.in vcpkg.json conanfile.py conanfile.txt build.zig "
    # others
    "phpunit.xml phpunit.xml.dist composer.json infection.json .rspec rakefile gemfile .simplecov "
    "directory.build.props directory.build.targets global.json nuget.config package.swift mix.exs "
    "rebar.config pubspec.yaml dart_test.yaml stack.yaml cabal.project makefile.pl build.pl "
    "cpanfile .proverc .rbuildignore .luacov .busted justfile taskfile.yml flake.nix default.nix "
    "shell.nix dockerfile .dockerignore docker-compose.yml docker-compose.yaml compose.yml "
    "compose.yaml .gitlab-ci.yml .travis.yml jenkinsfile azure-pipelines.yml appveyor.yml "
    ".gitattributes .gitignore .gitmodules"
)
CONFIG_PREFIXES = _tuple(
    "jest.config. vitest.config. vitest.workspace. vite.config. .mocharc .nycrc .c8rc "
    "cypress.config. playwright.config. babel.config. .babelrc .swcrc ava.config. wdio.conf. "
    "webpack.config. rollup.config. tsconfig requirements dockerfile. .eslintrc eslint.config. "
    "karma.conf."
)
CONFIG_EXTENSIONS = _set(
    ".pth .mk .cmake .csproj .fsproj .vbproj .sln .props .targets .runsettings .gemspec .cabal "
    ".rockspec .bazel .bzl"
)

DOC_DIRS = _set("doc docs documentation man")
DOC_EXTENSIONS = _set(".md .rst .adoc .markdown .textile .mdx .org .pod .rdoc")
DOC_STEMS = _set(
    "readme license licence copying notice changelog changes history authors contributors "
    "contributing code_of_conduct security news todo codeowners"
)

JS_EXTENSIONS = _set(".js .jsx .ts .tsx .mjs .cjs .mts .cts .vue .svelte")
JVM_EXTENSIONS = _set(".java .kt .kts .scala .groovy .clj .cljs .cljc")
CODE_EXTENSIONS = (
    JS_EXTENSIONS
    | JVM_EXTENSIONS
    | SPEC_EXTENSIONS
    | _set(
        ".py .pyi .pyx .go .rs .c .h .cc .cpp .cxx .hpp .hh .hxx .m .mm .swift .cs .fs .vb .rb "
        ".phpt .ex .exs .erl .hrl .dart .hs .lhs .pl .pm .t .r .jl .sh .bash .bats .zsh .ps1 .sql "
        ".nim .zig .ml .mli .elm .purs .d .f90 .f .for .ada .adb .pas .tcl .nix .feature .robot "
        ".sol .v .sv .vhd .cu"
    )
)
# What a NUL does not turn into a binary: the names of text. In a test directory the latter are data.
TEXT_EXTENSIONS = CODE_EXTENSIONS | _set(
    ".html .htm .css .scss .less .proto .graphql .md .rst .txt .json .yaml .yml .toml .xml .ini .cfg"
)
