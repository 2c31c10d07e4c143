// Keys, copying a link, and what else makes looking quicker. Every page works without this file.
(() => {
  "use strict";
  const pages = { t: "/", b: "/brief", n: "/knowledge", s: "/sessions", f: "/search", p: "/proof", m: "/more" };
  const typing = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;
  let waitsForPage = false;

  const isBelow = (element) => element.getBoundingClientRect().top > 90;
  const isAbove = (element) => element.getBoundingClientRect().top < 50;

  const moveTo = (element) => {
    element.scrollIntoView({ block: "start" });
    const focus = element.matches("details") ? element.querySelector("summary") : element;
    focus.focus({ preventScroll: true });
  };

  const jump = (selector, step, beyond) => {
    const all = [...document.querySelectorAll(selector)];
    const target = step > 0 ? all.find(isBelow) : all.reverse().find(isAbove);
    if (target) { moveTo(target); return; }
    const edge = document.querySelector(".edge.later");
    const number = step > 0 && edge ? edge.dataset[beyond] : "";
    if (number) location.assign(`${edge.dataset.path}?at=${encodeURIComponent(number)}#m-${number}`);
  };

  const stepRow = (step) => {
    const rows = [...document.querySelectorAll("[data-row]")];
    if (!rows.length) return;
    const at = rows.findIndex((row) => row.classList.contains("current"));
    const next = rows[Math.min(rows.length - 1, Math.max(0, at < 0 ? 0 : at + step))];
    rows.forEach((row) => row.classList.toggle("current", row === next));
    const focus = next.querySelector("a, button") || next;
    focus.focus();
    next.scrollIntoView({ block: "nearest" });
  };

  const forward = (step) => document.querySelector(".transcript") ? jump(".moment.prompt", step, "nextPrompt") : stepRow(step);

  const toggleCalls = () => {
    const calls = [...document.querySelectorAll("details.call")].filter((call) => {
      const box = call.getBoundingClientRect();
      return box.bottom > 0 && box.top < innerHeight;
    });
    const open = !calls.some((call) => call.open);
    calls.forEach((call) => { call.open = open; });
  };

  const decide = (decision) => {
    const row = document.querySelector("[data-row].current");
    const button = row && row.querySelector(`button[name=decision][value=${decision}], [data-decision=${decision}]`);
    if (!button) return;
    button.click();
    stepRow(1);
  };

  const undo = () => {
    const last = [...document.querySelectorAll(".notice-bar button")].filter((button) => button.textContent === "Undo").pop();
    if (last) last.click();
  };

  const keys = {
    "/": () => { const field = document.querySelector("main input[type=search]"); if (field) { field.focus(); field.select(); } else location.assign("/search"); },
    "?": () => document.getElementById("keys").showModal(),
    j: () => forward(1),
    k: () => forward(-1),
    n: () => document.querySelector(".transcript") ? jump(".moment.failed", 1, "nextFailure") : decide("reject"),
    y: () => decide("approve"),
    u: undo,
    b: () => jump(".moment.failed", -1, "nextFailure"),
    o: toggleCalls,
    g: () => { waitsForPage = true; setTimeout(() => { waitsForPage = false; }, 1500); },
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || document.querySelector("dialog[open]")) return;
    if (waitsForPage && pages[event.key]) { waitsForPage = false; event.preventDefault(); location.assign(pages[event.key]); return; }
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });

  const prepare = (root) => {
    root.querySelectorAll("[data-keys]").forEach((button) => { button.hidden = false; button.onclick = keys["?"]; });
    if (navigator.clipboard) root.querySelectorAll("[data-copy]").forEach((button) => {
      button.hidden = false;
      button.onclick = async () => {
        await navigator.clipboard.writeText(location.origin + button.dataset.copy);
        button.textContent = "Copied";
      };
    });
  };
  prepare(document);
  document.addEventListener("htmx:load", (event) => prepare(event.target));
  const anchor = location.hash.startsWith("#m-") && document.getElementById(location.hash.slice(1));
  if (anchor) moveTo(document.querySelector(".wanted") || anchor);
})();
