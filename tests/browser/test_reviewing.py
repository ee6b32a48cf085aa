"""Reviews in the browser: without a token, with one, with a forged form, after signing out."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from benchwright_proxy.token import Claims, sign
from tests.browser.conftest import Visit, Visitor
from tests.browser.site import PREFIX
from tests.unit.results.support import HARNESS, KEY, NOW, OPERATOR

REVIEWER = replace(OPERATOR, role="reviewer")


def token(claims: Claims = REVIEWER) -> str:
    return sign(claims, KEY)


def sign_in(one: Visitor, trial: str, text: str | None = None) -> None:
    page = one.go(f"ui/trial/{trial}")
    page.get_by_role("link", name="sign in with a token").click()
    page.get_by_label("Token").fill(text or token())
    page.get_by_role("button", name="Sign in").click()


def test_without_a_token_all_is_read_only_and_says_how_to_get_one(visit: Visit) -> None:
    page = visit().go("ui/trial/trial-uid-6")
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    page.get_by_role("link", name="sign in with a token").click()
    expect(page.locator("main")).to_contain_text("benchwright review-token")


@pytest.mark.parametrize("javascript", [True, False], ids=["with JavaScript", "without"])
def test_a_reviewer_signs_in_rejects_and_approves(visit: Visit, javascript: bool) -> None:
    trial = "trial-uid-1" if javascript else "trial-uid-3"
    one = visit(java_script_enabled=javascript)
    sign_in(one, trial)
    assert one.at() == f"/ui/trial/{trial}"
    page = one.page
    for button, comment in (("Reject", "the log ends early"), ("Approve", "<b>it</b> is\nfine")):
        page.get_by_label("Your name").fill("Ada")
        page.get_by_label("Comment").fill(comment)
        page.get_by_role("button", name=button).click()
        assert one.at() == f"/ui/trial/{trial}"
    said = page.locator(".reviews li")
    expect(said).to_have_count(2)
    expect(said.nth(0)).to_contain_text("✗ rejected by Ada")
    expect(said.nth(1)).to_contain_text("<b>it</b> is\nfine")
    page.get_by_role("link", name="nightly").first.click()
    page.get_by_label("Review").select_option("approve")
    page.get_by_role("button", name="Search").click()
    names = page.locator(".trials tbody th")
    assert trial.removeprefix("trial-uid-") in {
        n.rpartition("-")[2] for n in names.all_inner_texts()
    }
    one.watch.check()


def test_the_cookie_is_no_scripts_and_no_other_path_s(visit: Visit) -> None:
    one = visit()
    sign_in(one, "trial-uid-2")
    (cookie,) = one.context.cookies()
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    assert cookie["path"] == f"{PREFIX}/ui"
    assert one.page.evaluate("document.cookie") == ""
    assert token() not in one.page.content()


def test_signing_out_forgets_the_token(visit: Visit) -> None:
    one = visit()
    sign_in(one, "trial-uid-2")
    one.page.get_by_role("button", name="Sign out").click()
    assert one.at() == "/ui/"
    assert one.context.cookies() == []
    expect(one.page.locator("header")).to_contain_text("Read-only")
    one.watch.check()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello", "this is no token"),
        (sign(REVIEWER, b"x" * 40), "signed with another key"),
        (token(replace(REVIEWER, expires_at=NOW)), "it has expired"),
        (token(replace(REVIEWER, audience="proxy")), "it is for another service"),
        (token(HARNESS), "a token of role harness may not review"),
    ],
)
def test_a_token_that_may_not_review_is_refused_in_words(
    visit: Visit, text: str, said: str
) -> None:
    one = visit()
    sign_in(one, "trial-uid-2", text)
    expect(one.page.get_by_role("alert")).to_contain_text(said)
    assert one.context.cookies() == []
    one.watch.check(allowed="401")


def test_a_form_of_another_site_is_refused(visit: Visit, site: object) -> None:
    """Even where a browser would send the cookie: the key of the form is not known elsewhere."""
    one = visit()
    sign_in(one, "trial-uid-2")
    page = one.page
    page.locator("#review ~ form input[name=key]").evaluate("e => { e.value = 'f'.repeat(64) }")
    page.get_by_label("Your name").fill("Eve")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("403")
    one.watch.check(allowed="403")
    one.go("ui/trial/trial-uid-2")
    expect(one.page.locator(".reviews")).to_have_count(0)


def test_another_origin_can_neither_send_nor_frame(visit: Visit) -> None:
    one = visit()
    sign_in(one, "trial-uid-2")
    target = f"{one.site.proxied}/ui/review"
    other = one.context.new_page()
    other.set_content(
        f'<form method="post" action="{target}"><input name="trial" value="trial-uid-2">'
        '<input name="verdict" value="approve"><input name="who" value="Eve"></form>'
    )
    with other.expect_response(target) as answer:
        other.locator("form").evaluate("form => form.submit()")
    assert answer.value.status in {401, 403}
    frame = one.context.new_page()
    frame.set_content(f'<iframe src="{one.site.proxied}/ui/"></iframe>')
    frame.wait_for_timeout(300)
    assert "Runs" not in "".join(f.content() for f in frame.frames[1:])
