// Comfort only: everything can be read without it. While a page is open it asks whether records came,
// and lays the page's tables anew when they did.
"use strict";

(() => {
  const FIRST = 5000, LONGEST = 60000;
  const live = document.querySelector("[data-live]");
  if (!live) return;
  const status = live.querySelector("[data-status]");
  let seen = Number(live.dataset.revision);
  let pause = FIRST;

  const get = async (address) => {
    const answer = await fetch(address, { redirect: "error", cache: "no-store" });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer;
  };

  // Who reads with a keyboard must not lose their place.
  const place = () => document.activeElement?.getAttribute("href");

  // A large report takes its maker seconds: look again when ten times as long has passed.
  const SHARE = 10;

  const refresh = async () => {
    const text = await (await get(location.href.split("#")[0])).text();
    const fresh = new DOMParser().parseFromString(text, "text/html");
    for (const old of document.querySelectorAll("[data-fresh]")) {
      const found = fresh.querySelector(`[data-fresh="${old.dataset.fresh}"]`);
      if (!found) continue;
      const held = old.contains(document.activeElement) ? place() : null;
      const opened = [...old.querySelectorAll("details")].map((d) => d.open);
      old.replaceChildren(...found.childNodes);
      const details = [...old.querySelectorAll("details")];
      if (details.length === opened.length) details.forEach((d, i) => { d.open = opened[i]; });
      const again = held && [...old.querySelectorAll("a")].find((a) => a.getAttribute("href") === held);
      if (again) again.focus({ preventScroll: true });
    }
    const news = fresh.querySelector("[data-status]");
    if (news) status.replaceChildren(...news.childNodes);
  };

  const look = async () => {
    if (document.visibilityState === "visible") {
      try {
        const change = await (await get(live.dataset.live)).json();
        pause = FIRST;
        if (change.revision !== seen || document.querySelector("[data-pending]")) {
          const began = performance.now();
          await refresh();
          seen = change.revision;
          if (!document.querySelector("[data-pending]")) {
            pause = Math.max(FIRST, SHARE * (performance.now() - began));
          }
        }
        live.classList.remove("stale");
      } catch {
        live.classList.add("stale");
        pause = Math.min(LONGEST, pause * 2);
      }
    }
    setTimeout(look, pause);
  };

  setTimeout(look, pause);
})();
