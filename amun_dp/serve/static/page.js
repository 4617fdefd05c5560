// The page's behaviour: forms are sent as JSON, jobs are watched, parts of the page are replaced by the server's.
"use strict";

const POLL = 300;
const PAUSE = 200;
const progress = document.getElementById("progress");
let watched = null;
let pending = null;

async function ask(address, options) {
  try {
    const answer = await fetch(address, options);
    const kind = answer.headers.get("content-type") || "";
    const body = kind.startsWith("application/json") ? await answer.json() : await answer.text();
    if (answer.ok) return body;
    return { problem: body.problem || String(body) };
  } catch {
    return { problem: "The server does not answer. Was it ended? Start amun-dp serve again." };
  }
}

const post = (address, data) =>
  ask(address, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data) });

function complain(where, problem) {
  const box = document.createElement("div");
  box.className = "problem";
  box.setAttribute("role", "alert");
  const words = document.createElement("p");
  words.textContent = problem;
  box.append(words);
  where.querySelectorAll(":scope > .problem.passing").forEach((old) => old.remove());
  box.classList.add("passing");
  where.append(box);
}

async function refresh(names) {
  const parts = await Promise.all(names.map((name) => ask(`section/${name}`)));
  names.forEach((name, place) => {
    const old = document.getElementById(name);
    if (!old || typeof parts[place] !== "string") return;
    const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
    const holder = document.createElement("template");
    holder.innerHTML = parts[place];
    old.replaceWith(holder.content);
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  });
  describeAdvantage();
}

// --- jobs ------------------------------------------------------------------------------------------------------------

const LEADS_TO = { inspect: "exposure-title", release: "release-title", verify: "verify-title" };

async function watch(told) {
  watched = told.id;
  while (watched === told.id) {
    if (told.problem) return finish();
    if (told.finished) break;
    progress.hidden = false;
    showProgress(told.html);
    await new Promise((wake) => setTimeout(wake, POLL));
    told = await ask(`job/${told.id}`);
  }
  if (watched !== told.id) return undefined;
  await refresh(told.refresh);
  finish();
  if (told.task === "inspect" && told.state === "done" && document.getElementById("advantage")) return plan();
  const title = LEADS_TO[told.task];
  if (title) document.getElementById(title)?.focus();
  // What is left of the budget has changed, so that the plan must be looked at again.
  return told.task === "release" ? plan() : undefined;
}

// A button that is replaced while the mouse is down on it never hears of the click, so those of the same jobs stay.
function showProgress(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const [told, shown] = [holder.content, progress].map((place) => [...place.querySelectorAll("[data-job]")]);
  if (told.length !== shown.length || told.some((job, place) => job.dataset.job !== shown[place].dataset.job)) {
    const focused = progress.contains(document.activeElement);
    progress.replaceChildren(holder.content);
    if (focused) progress.querySelector("button")?.focus();
    return;
  }
  shown.forEach((job, place) => {
    job.querySelector(".now").replaceWith(told[place].querySelector(".now"));
    job.querySelector("progress").value = told[place].querySelector("progress").value;
    const [button, news] = [job, told[place]].map((each) => each.querySelector("button"));
    button.disabled = news.disabled;
    if (button.textContent !== news.textContent) button.textContent = news.textContent;
  });
}

function finish() {
  watched = null;
  progress.hidden = true;
  progress.replaceChildren();
}

async function submit(address, data, where) {
  const told = await post(address, data);
  if (told.problem) complain(where, told.problem);
  else await watch(told);
}

// --- forms -----------------------------------------------------------------------------------------------------------

function valuesOf(form) {
  const values = {};
  for (const field of form.elements) {
    if (!field.name || field.disabled || field.tagName === "FIELDSET") continue;
    if (field.type === "checkbox") values[field.name] = field.checked;
    else if (field.type === "radio") { if (field.checked) values[field.name] = field.value; }
    else values[field.name] = "number" in field.dataset ? Number(field.value) : field.value;
  }
  return values;
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  event.preventDefault();
  if ("declare" in form.dataset) {
    const said = { same: [], other: [] };
    form.querySelectorAll("input:checked").forEach((field) => said[field.value].push(field.name));
    submit("declare", said, form);
  } else if (form.dataset.post && !("live" in form.dataset)) {
    submit(form.dataset.post, valuesOf(form), form);
  }
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-plan-again]")) plan();
  const button = event.target.closest("[data-cancel]");
  if (button) {
    button.disabled = true;
    post("cancel", { job: Number(button.dataset.cancel) });
  }
});

// --- the slider ------------------------------------------------------------------------------------------------------

function describeAdvantage() {
  const slider = document.getElementById("advantage");
  if (!slider) return;
  const value = Number(slider.value);
  const points = Math.round(100 * value);
  const epsilons = JSON.parse(document.getElementById("epsilons").textContent);
  const shown = value.toFixed(2);
  const words =
    `you allow at most ${points} points. Somebody who would be right about a person’s case 30 times in 100 before ` +
    `could be right ${30 + points} times in 100 after. To hold to that whatever they knew before takes ` +
    `ε = ${epsilons[shown]}; ` +
    "which methods do is said beside each.";
  document.getElementById("advantage-value").textContent = shown;
  document.getElementById("advantage-says").textContent = words;
  slider.setAttribute("aria-valuetext", `${points} points`);
}

function plan() {
  const form = document.querySelector("form[data-live]");
  return form ? submit("plan", valuesOf(form), form) : undefined;
}

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-live]");
  if (!form) return;
  if (event.target.id === "advantage") describeAdvantage();
  form.querySelectorAll(":scope > .problem.passing").forEach((old) => old.remove());
  // What is shown belongs to the choices before these.
  document.getElementById("outcome")?.classList.add("stale");
  document.querySelectorAll('form[data-post="release"] button').forEach((button) => { button.disabled = true; });
  clearTimeout(pending);
  pending = setTimeout(plan, PAUSE);
});

// --- dropped files ---------------------------------------------------------------------------------------------------

function upload(file, zone) {
  const sending = new XMLHttpRequest();
  const field = zone.querySelector("input");
  sending.open("PUT", `upload?name=${encodeURIComponent(file.name)}`);
  sending.upload.addEventListener("progress", (event) => {
    progress.hidden = false;
    const share = event.lengthComputable ? ` ${Math.floor((100 * event.loaded) / event.total)} %` : "";
    const words = document.createElement("p");
    words.className = "wrap now";
    words.textContent = `Taking ${file.name}${share}`;
    progress.replaceChildren(words);
  });
  sending.addEventListener("loadend", async () => {
    finish();
    field.value = "";
    let told;
    try { told = JSON.parse(sending.responseText); } catch { told = { problem: "The file did not arrive. Try again." }; }
    if (told.problem) return complain(zone.closest("form"), told.problem);
    const name = zone.dataset.drop;
    await refresh([name]);
    const form = document.querySelector(`#${name} form[data-post]`);
    form.querySelector("select").value = told.key;
    return submit(form.dataset.post, valuesOf(form), form);
  });
  sending.send(file);
}

document.addEventListener("change", (event) => {
  const zone = event.target.closest("[data-drop]");
  if (zone && event.target.files?.length) upload(event.target.files[0], zone);
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    const zone = event.target instanceof Element && event.target.closest("[data-drop]");
    event.preventDefault(); // a file dropped beside the zone must not replace the page
    document.querySelectorAll(".drop.over").forEach((one) => one.classList.remove("over"));
    if (zone && kind === "dragover") zone.classList.add("over");
    if (zone && kind === "drop" && event.dataTransfer.files.length) upload(event.dataTransfer.files[0], zone);
  });
}

describeAdvantage();
if (document.querySelector("#history[data-later]")) refresh(["history"]);
const shownPlan = document.getElementById("outcome");
if (shownPlan && !shownPlan.dataset.plan && document.getElementById("advantage")) plan();
