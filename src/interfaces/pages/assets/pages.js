/**
 * The script of all pages. The server renders everything. When a run reports progress, the script fetches the same page
 * again and replaces the parts that are marked with `data-live`. Without the script, a reload shows the same data.
 * Browsers get this file unchanged, as a script and not as a module.
 */
'use strict';

// A browser allows six connections per server. Most of these connections stay free.
const MAX_STREAMS = 3;
const REFRESH_INTERVAL_MS = 15_000;
const AWAITED_INTERVAL_MS = 2_000;
const MIN_PAUSE_MS = 500;
const END_SPREAD_MS = 800;

/** @type {readonly (readonly [Intl.RelativeTimeFormatUnit, number])[]} */
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
// The words on the page are English. Dates have the order of the user's own English locale, if there is one.
const language = navigator.languages.find((one) => /^en(-[A-Z]{2})?$/.test(one)) ?? 'en';
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'always' });
const absolute = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });

const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** @typedef {{ progress?: { settled: number, chosen: number } | null }} FollowedRun */
/** @type {Set<string>} */
const begun = new Set();
/** @type {Map<string, EventSource>} */
const streams = new Map();
/** @type {Map<string, string>} */
const rendered = new Map();
/** @type {Map<Element, ChildNode[]>} */
const unloaded = new Map();
let isRefreshing = false;
let isWanted = false;

for (const part of liveParts(document)) rendered.set(part.id, part.innerHTML);
showTimes();
follow();
forgetNote();
findOldAnchor();
addEventListener('hashchange', findOldAnchor);
// A popover's event does not bubble.
document.addEventListener(
  'toggle',
  ({ target, newState }) => {
    if (!(target instanceof Element)) return;
    for (const place of target.querySelectorAll(':scope > [data-load]')) {
      if (newState === 'open') load(place);
      else unload(place);
    }
  },
  true,
);
setInterval(() => {
  // These runs report their own changes, so the page does not have to fetch them regularly.
  const isFollowed = document.getElementById('run') !== null && streams.size > 0;
  if (document.visibilityState === 'visible' && !isFollowed) refresh();
}, REFRESH_INTERVAL_MS);
setInterval(() => {
  // Neither an undo nor the other browser that confirms an address reports events, so the page asks for their progress.
  const isAwaited = document.querySelector('[data-undo], [data-unconfirmed]') !== null;
  if (document.visibilityState === 'visible' && isAwaited) refresh();
}, AWAITED_INTERVAL_MS);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') refresh();
  // A hidden page needs no connection. It is followed again once it is visible.
  else for (const run of [...streams.keys()]) stopFollowing(run);
});

/** Only one refresh runs at a time. Requests that arrive during a refresh cause one further refresh. */
async function refresh() {
  isWanted = true;
  if (isRefreshing || rendered.size === 0) return;
  isRefreshing = true;
  while (isWanted) {
    isWanted = false;
    showConnection(await fetchParts());
    await new Promise((resolve) => setTimeout(resolve, MIN_PAUSE_MS));
  }
  isRefreshing = false;
}

/** Resolves with true if the service responded. */
async function fetchParts() {
  try {
    const response = await fetch(location.pathname + location.search);
    if (response.redirected) {
      // The user was signed out in the meantime, so the response is the sign-in form. A reload would delete what the
      // user has typed. In that case the page stays, and the sign-in opens when the form is sent.
      if (!isFilledIn()) location.reload();
      return true;
    }
    if (!response.ok) return false;
    const next = new DOMParser().parseFromString(await response.text(), 'text/html');
    for (const part of liveParts(document)) replace(part, next.getElementById(part.id));
    showTimes();
    follow();
    document.dispatchEvent(new CustomEvent('page-refreshed'));
    return true;
  } catch {
    return false;
  }
}

/** True if the user has changed a field that an unsent form would send. */
function isFilledIn() {
  return [...document.querySelectorAll('form[method="post"] [name]')].some(isChanged);
}

/** @param {Element} field */
function isChanged(field) {
  if (field instanceof HTMLSelectElement) {
    const given = [...field.options].findIndex(({ defaultSelected }) => defaultSelected);
    return field.selectedIndex !== Math.max(given, 0);
  }
  if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
  if (!(field instanceof HTMLInputElement) || field.type === 'hidden') return false;
  return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
}

/** @param {Document} root */
function liveParts(root) {
  return [...root.querySelectorAll('[data-live]')];
}

/**
 * Leaves unchanged parts alone, and parts that the reader is about to use.
 *
 * @param {Element} part
 * @param {Element | null} next
 */
function replace(part, next) {
  if (!next || rendered.get(part.id) === next.innerHTML) return;
  const focus = part.contains(document.activeElement) ? document.activeElement : null;
  if (part.querySelector(':popover-open') || (focus && !focus.id)) return;
  rendered.set(part.id, next.innerHTML);
  part.replaceChildren(...next.childNodes);
  if (focus) document.getElementById(focus.id)?.focus();
}

/**
 * Loads the page behind the link into this place, for as long as the place is open.
 *
 * @param {Element} place
 */
async function load(place) {
  const link = place.querySelector('a');
  if (!link || unloaded.has(place)) return;
  unloaded.set(place, [...place.childNodes]);
  place.textContent = 'Asking the CRM …';
  const content = await fetchFragment(link.href);
  if (unloaded.has(place)) place.replaceChildren(...content);
}

/**
 * @param {string} address
 * @returns {Promise<Iterable<Node | string>>}
 */
async function fetchFragment(address) {
  try {
    const response = await fetch(address);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const part = page.querySelector(response.ok ? '[data-fragment]' : '[data-problem]');
    if (part) return part.childNodes;
  } catch {
    // The error is shown to the user below.
  }
  return ['The CRM could not be reached.'];
}

/**
 * Names and addresses are removed from the page when the dialog that showed them closes.
 *
 * @param {Element} place
 */
function unload(place) {
  const nodes = unloaded.get(place);
  if (nodes) place.replaceChildren(...nodes);
  unloaded.delete(place);
}

/** Listens to the runs on the page. The page is also refreshed when a run ends. */
function follow() {
  if (document.visibilityState !== 'visible') return;
  for (const part of document.querySelectorAll('[data-run]')) {
    const run = part.getAttribute('data-run') ?? '';
    if (streams.has(run) || streams.size >= MAX_STREAMS) continue;
    const stream = new EventSource(`/v1/runs/${encodeURIComponent(run)}/events`);
    streams.set(run, stream);
    stream.addEventListener('progress', ({ data }) => showProgress(run, JSON.parse(data)));
    stream.addEventListener('ended', () => {
      stopFollowing(run);
      document.dispatchEvent(new CustomEvent('run-ended'));
      // Many users may watch one run. A random delay prevents them from requesting its end at the same moment.
      setTimeout(refresh, Math.random() * END_SPREAD_MS);
    });
    stream.addEventListener('error', () => {
      tellSilence();
      // The browser reconnects automatically, unless the server refused it.
      if (stream.readyState === EventSource.CLOSED) stopFollowing(run);
    });
  }
}

/** Shows on the page that the run can no longer be followed. From now on, its last numbers must not look current. */
function tellSilence() {
  document.dispatchEvent(new CustomEvent('run-unheard'));
}

/**
 * Shows the progress that a run reports. The parts around it are fetched again only when the run starts and
 * ends, so watching a run costs the service almost nothing.
 *
 * @param {string} run
 * @param {FollowedRun} report
 */
function showProgress(run, report) {
  const hadBegun = begun.has(run);
  begun.add(run);
  let isNew = false;
  for (const part of document.querySelectorAll(`[data-run="${CSS.escape(run)}"]`)) {
    for (const place of placesOf(part, '[data-of]')) {
      const value = valueAt(report, place.getAttribute('data-of'));
      if (value !== null) place.textContent = count.format(value);
    }
    for (const place of placesOf(part, '[data-duration]')) {
      const value = valueAt(report, place.getAttribute('data-duration'));
      if (value !== null) place.textContent = `about ${duration(value)}`;
    }
    for (const pipe of placesOf(part, '[data-funnel]')) showFunnel(pipe, report);
    for (const bar of part.querySelectorAll('progress[data-progress]')) {
      const { settled = 0, chosen = 0 } = report.progress ?? {};
      if (!(bar instanceof HTMLProgressElement) || chosen === 0) continue;
      bar.max = chosen;
      bar.value = settled;
    }
    isNew ||= part.hasAttribute('data-waits');
  }
  document.dispatchEvent(new CustomEvent('run-progress', { detail: report }));
  if (!hadBegun && isNew) refresh();
}

/**
 * No station shows more contacts than the one before it. Additional contacts were carried over from earlier
 * runs (`runs/funnel.ts`).
 *
 * @param {Element} pipe
 * @param {FollowedRun} report
 */
function showFunnel(pipe, report) {
  let most = Infinity;
  const carried = [];
  for (const place of pipe.querySelectorAll('[data-station]')) {
    const station = place.getAttribute('data-station') ?? '';
    const all = valueAt(report, `contacts.${station}`) ?? 0;
    const shown = Math.min(most, all);
    if (all > shown) carried.push(`${count.format(all - shown)} ${station}`);
    place.textContent = count.format(shown);
    most = shown;
  }
  const line = pipe.parentElement?.querySelector('[data-carried]');
  line?.toggleAttribute('hidden', carried.length === 0);
  const text = line?.querySelector('span');
  if (text) text.textContent = carried.join(', ');
}

/**
 * @param {Element} part
 * @param {string} selector
 */
function placesOf(part, selector) {
  const card = part.closest('main') ?? part;
  // The page of a run also has counts outside its first part.
  return document.getElementById('run')
    ? card.querySelectorAll(selector)
    : part.querySelectorAll(selector);
}

/**
 * Returns the number at a path such as `contacts.read`, or null if there is none.
 *
 * @param {unknown} report
 * @param {string | null} path
 */
function valueAt(report, path) {
  let value = report;
  for (const name of path?.split('.') ?? []) {
    if (typeof value !== 'object' || value === null) return null;
    value = Reflect.get(value, name);
  }
  return typeof value === 'number' ? value : null;
}

/** @param {number} ms */
function duration(ms) {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.round(ms / 1_000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** @param {string} run */
function stopFollowing(run) {
  tellSilence();
  streams.get(run)?.close();
  streams.delete(run);
}

/** @param {boolean} isThere */
function showConnection(isThere) {
  document.getElementById('offline')?.toggleAttribute('hidden', isThere);
}

/** Shows times in the reader's time zone. */
function showTimes() {
  for (const time of document.querySelectorAll('time')) {
    const date = new Date(time.dateTime);
    const exact = absolute.format(date);
    time.title = exact;
    time.textContent =
      time.dataset['as'] === 'moment' ? exact : distance(date.getTime() - Date.now());
  }
}

/** @param {number} ms */
function distance(ms) {
  const unit = UNITS.find(([, unitMs]) => Math.abs(ms) >= unitMs);
  if (!unit) return ms > 0 ? 'in a moment' : 'just now';
  return relative.format(Math.trunc(ms / unit[1]), unit[0]);
}

/** Clients used to be sections of the home page. Old links are redirected to the client's own page. */
function findOldAnchor() {
  const [, id] = /^#integration_([a-z0-9-]+)$/.exec(location.hash) ?? [];
  if (location.pathname !== '/' || !id || document.getElementById(`integration_${id}`)) return;
  location.replace(`/clients/${id}`);
}

/** After a reload, the note about the last action is not shown again. */
function forgetNote() {
  const url = new URL(location.href);
  if (!url.searchParams.has('note')) return;
  url.searchParams.delete('note');
  history.replaceState(null, '', url);
}
