"""Classes by path: research/coverage-compose-git.md §4, one row an ecosystem."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.changes.classify import Overrides, PathClass, classify, is_text_name

TABLE: dict[PathClass, dict[str, str]] = {
    PathClass.TEST: {
        "python": "test_a.py pkg/a_test.py tests/a.py pkg/tests/deep/b.py tests.py tests/models.py",
        "javascript": "a.test.js a.spec.tsx src/a.test.mjs b.test.cts __tests__/a.js cypress/a.ts "
        "e2e/a.js spec/a.js test/a.coffee a_test.ts a-test.js test/index.js",
        "go": "a_test.go pkg/a_test.go",
        "jvm": "src/test/java/A.java src/test/kotlin/a/B.kt ATest.java ATests.java AIT.java "
        "TestA.java src/integrationTest/java/X.java ASpec.kt ASpec.groovy ASuite.scala "
        "src/androidTest/A.kt app/src/it/A.scala",
        "dotnet": "ATests.cs ATest.cs Foo.Tests/A.cs Foo.UnitTests/Sub/B.fs",
        "ruby": "spec/a.rb spec/models/a_spec.rb test/a_test.rb test/test_a.rb",
        "php": "tests/A.php ATest.php tests/a.phpt ACest.php",
        "rust": "tests/it.rs src/a/tests.rs src/a_test.rs crates/x/tests/y.rs",
        "c": "test/a.c tests/a.cpp a_test.cc a_unittest.cpp test_a.c src/FooTest.cpp",
        "swift": "Tests/AppTests/A.swift ATests.swift",
        "elixir": "test/a_test.exs apps/x/test/y_test.exs",
        "dart": "test/a_test.dart",
        "haskell": "test/Spec.hs test/A.hs src/ASpec.hs",
        "perl": "t/01-a.t a/t/b.t t/lib.pl",
        "lua": "spec/a_spec.lua spec/a.lua",
        "r": "tests/testthat/test-a.R tests/testthat.R",
        "julia": "test/runtests.jl",
        "shell": "test/a.bats a.bats tests/run.sh",
        "features": "features/a.feature a.robot",
    },
    PathClass.TEST_SUPPORT: {
        "python": "conftest.py tests/conftest.py tests/__init__.py tests/data/a.json tests/x.txt "
        "tests/fixtures/a.py tests/utils.py",
        "javascript": "__mocks__/fs.js src/__snapshots__/a.js.snap a.snap cypress/fixtures/a.json "
        "src/setupTests.js jest.setup.ts test/helpers/x.js",
        "go": "testdata/a.golden pkg/testdata/a_test.go testdata/mod/go.mod",
        "jvm": "src/test/resources/a.xml src/testFixtures/a.properties",
        "ruby": "spec/spec_helper.rb spec/fixtures/a.yml test/test_helper.rb spec/support/x.rb",
        "rust": "tests/common/mod.rs tests/data.bin",
        "reports as data": "tests/fixtures/coverage.xml tests/data/package-lock.json "
        "test/fixtures/pyproject.toml tests/cassettes/a.yaml",
        "docs as data": "tests/README.md",
    },
    PathClass.TEST_CONFIG: {
        "python": "pytest.ini tox.ini setup.cfg pyproject.toml .coveragerc setup.py noxfile.py "
        "requirements.txt requirements-dev.txt",
        "inside test directories": "tests/pytest.ini tests/.coveragerc tests/pyproject.toml "
        "spec/.rspec tests/package.json test/Makefile",
        "python at start": "sitecustomize.py tests/sitecustomize.py x.pth tests/fixtures/a.pth "
        "tests/data/usercustomize.py testdata/sitecustomize.py",
        "javascript": "package.json jest.config.js vitest.config.ts .nycrc .nycrc.json .mocharc.yml "
        "tsconfig.json tsconfig.test.json babel.config.js .c8rc.json playwright.config.ts",
        "jvm": "pom.xml build.gradle build.gradle.kts settings.gradle gradlew build.sbt",
        "rust": "Cargo.toml .cargo/config.toml build.rs tarpaulin.toml",
        "go": "go.mod go.work",
        "c": "Makefile CMakeLists.txt a.cmake meson.build BUILD.bazel rules.mk",
        "ci": ".github/workflows/ci.yml .gitlab-ci.yml .travis.yml Jenkinsfile Dockerfile",
        "others": "phpunit.xml composer.json Gemfile Rakefile a.gemspec Foo.csproj Foo.sln mix.exs "
        "pubspec.yaml a.cabal Package.swift .gitattributes .gitignore flake.nix",
    },
    PathClass.SOURCE: {
        "python": "a.py src/a.py contest.py latest.py attest.py pkg/testing/a.py",
        "jvm": "src/main/java/LoadTest.java src/main/kotlin/a/TestRunner.kt Latest.java",
        "not quite": "src/latest/a.py spec/openapi.yaml t/a.py specs/x.py Manifest.cs x.unknown",
        "real directories": "build/a.py dist/a.js coverage/a.py target/a.rs env/a.py deps/a.ex",
        "others": "a.c a.go lib/a.rb index.php main.swift a",
    },
    PathClass.DOCS: {
        "files": "README.md README LICENSE CHANGELOG.rst a.adoc NOTICE.txt CONTRIBUTING.md",
        "directories": "docs/index.html docs/conf.py man/a.1",
    },
    PathClass.GENERATED: {
        "locks": "package-lock.json yarn.lock poetry.lock Cargo.lock go.sum a/b/uv.lock",
        "caches": "__pycache__/a.pyc a.pyc tests/__pycache__/test_a.cpython-311.pyc .pytest_cache/x "
        "tests/.hypothesis/x .mypy_cache/x .tox/py/x target/debug/a build/classes/A.class",
        "reports": ".coverage coverage.xml .coverage.host.1 htmlcov/index.html lcov.info",
        "code": "a_pb2.py a.pb.go a.min.js a.js.map x.g.dart x.egg-info/PKG-INFO",
    },
    PathClass.VENDORED: {
        "javascript": "node_modules/a/index.test.js packages/x/node_modules/y.js",
        "others": "vendor/a/a_test.go third_party/x.c .venv/lib/a.py venv/bin/python "
        "lib/python3/site-packages/a.py Pods/A.m .yarn/cache/a.zip",
    },
}
CASES = [
    (cls, ecosystem, path)
    for cls, rows in TABLE.items()
    for ecosystem, paths in rows.items()
    for path in paths.split()
]


@pytest.mark.parametrize(("cls", "ecosystem", "path"), CASES)
def test_classes_by_path(cls: PathClass, ecosystem: str, path: str) -> None:
    assert classify(path) is cls, ecosystem
    assert classify(path.encode()) is cls


@given(st.binary(max_size=60))
def test_any_bytes_have_a_class(path: bytes) -> None:
    assert classify(path) in PathClass
    assert classify(path.decode("utf-8", "surrogateescape")) is classify(path)
    assert is_text_name(path) in (True, False)


@pytest.mark.parametrize(
    ("path", "cls"),
    [
        ("django/test/client.py", PathClass.SOURCE),
        ("django/test/data/x.json", PathClass.TEST_SUPPORT),
        ("lib/check_things.py", PathClass.TEST),
        ("node_modules/ours/a.py", PathClass.TEST),
        ("tests/a.py", PathClass.TEST),
        ("a.py", PathClass.SOURCE),
    ],
)
def test_a_tasks_own_globs_win(path: str, cls: PathClass) -> None:
    overrides = Overrides(
        tests=("check_*.py", "node_modules/ours/", "django/test/**"),
        sources=("django/test/*.py",),
        support=("django/test/data/",),
    )
    assert classify(path, overrides) is cls


def test_code_by_name() -> None:
    assert is_text_name(b"a/b.PY")
    assert is_text_name(b"x.test.ts")
    assert not is_text_name(b"a.py/b")
    assert not is_text_name(b".py")
    assert not is_text_name(b"a.png")
