/**
 * The script of all pages. The server renders all content. When a run reports progress, the script fetches the same
 * page again and replaces the parts with `data-live`. Without the script, users can reload the page to see the same
 * data. Browsers get this file unchanged, as a script and not as a module.
 */
'use strict';

// The maximum number of event streams. A browser allows six connections per server, and half of them remain free.
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
// The pages are in English. Dates use the user's own English locale, if the browser has one.
const language = navigator.languages.find((one) => /^en(-[A-Z]{2})?$/.test(one)) ?? 'en';
// In the locale "C", Chromium reports the language "en-US@posix". It is not a language tag, and the library of the
// charts could not be loaded with it.
if (!isLanguageTag(navigator.language)) {
  Object.defineProperty(navigator, 'language', { value: 'en-US' });
}
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
// The toggle event of a popover does not bubble.
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
  // These runs report their own changes, so the page does not fetch them at regular intervals.
  const isFollowed = document.getElementById('run') !== null && streams.size > 0;
  if (document.visibilityState === 'visible' && !isFollowed) refresh();
}, REFRESH_INTERVAL_MS);
setInterval(() => {
  // Neither an undo, an erasure nor the other browser that confirms an address reports events, so the page asks for
  // their progress.
  const awaited = '[data-undo], [data-erasing], [data-unconfirmed]';
  const isAwaited = document.querySelector(awaited) !== null;
  if (document.visibilityState === 'visible' && isAwaited) refresh();
}, AWAITED_INTERVAL_MS);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') refresh();
  // A hidden page needs no connection. The page follows the runs again once it is visible.
  else for (const run of [...streams.keys()]) stopFollowing(run);
});

/** Refreshes the page. Only one refresh runs at a time. Several requests during a refresh cause one further refresh. */
async function refresh() {
  isWanted = true;
  // The page of an erased contact does not change any more, and each look at it would be an entry in the audit.
  const isFinal = document.querySelector('[data-erased]') !== null;
  if (isRefreshing || isFinal || rendered.size === 0) return;
  isRefreshing = true;
  while (isWanted) {
    isWanted = false;
    showConnection(await fetchParts());
    await new Promise((resolve) => setTimeout(resolve, MIN_PAUSE_MS));
  }
  isRefreshing = false;
}

/** Fetches the live parts. Resolves with true if the server responded. */
async function fetchParts() {
  try {
    const headers = { 'x-refresh': 'live' };
    const response = await fetch(location.pathname + location.search, { headers });
    if (response.redirected) {
      // The session has ended, so the response is the sign-in form. A reload would delete the text that the user has
      // typed, or the form that the user is just sending. Therefore, such a page remains, and the sign-in dialog opens
      // when the user sends the form.
      if (!isFilledIn() && !isSending()) location.reload();
      return true;
    }
    if (!response.ok) return false;
    const next = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (isErased(next) && !isErased(document)) {
      // The other parts of the page still show the contact.
      location.reload();
      return true;
    }
    for (const part of liveParts(document)) replace(part, next.getElementById(part.id));
    showTimes();
    follow();
    document.dispatchEvent(new CustomEvent('page-refreshed'));
    return true;
  } catch {
    return false;
  }
}

/**
 * True if `Intl` accepts the text as a language.
 *
 * @param {string} text
 */
function isLanguageTag(text) {
  try {
    return Intl.getCanonicalLocales(text).length > 0;
  } catch {
    return false;
  }
}

/**
 * True if the page is about a contact whose erasure is confirmed.
 *
 * @param {Document} root
 */
function isErased(root) {
  return root.querySelector('[data-erasing], [data-erased]') !== null;
}

/** True while a form is being sent, and while the user signs in again to send it. */
function isSending() {
  const { dataset } = document.documentElement;
  return dataset['sending'] !== undefined || document.querySelector('[data-sign-in]') !== null;
}

/** True if the user has changed a field of a form and has not sent the form yet. */
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
 * Replaces a part of the page. Keeps a part that is unchanged or that the user is just using.
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
 * Loads the linked page into this element for as long as the element is open.
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
    // The code below shows the error to the user.
  }
  return ['The CRM could not be reached.'];
}

/**
 * Removes names and addresses from the page when their dialog closes.
 *
 * @param {Element} place
 */
function unload(place) {
  const nodes = unloaded.get(place);
  if (nodes) place.replaceChildren(...nodes);
  unloaded.delete(place);
}

/** Listens to the runs on the page. When a run ends, the page is refreshed. */
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
      // Many users may watch the same run. The random delay prevents them from requesting its result at the same
      // moment.
      setTimeout(refresh, Math.random() * END_SPREAD_MS);
    });
    stream.addEventListener('error', () => {
      tellSilence();
      // The browser reconnects automatically, unless the server refuses the connection.
      if (stream.readyState === EventSource.CLOSED) stopFollowing(run);
    });
  }
}

/**
 * Shows that the page can no longer follow the run, so that users do not mistake its last numbers for current numbers.
 */
function tellSilence() {
  document.dispatchEvent(new CustomEvent('run-unheard'));
}

/**
 * Shows the progress that a run reports. The other parts of the page are fetched again only when the run starts or
 * ends, so watching a run hardly loads the server.
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
 * Shows the number of contacts at each station. No station shows more contacts than the station before it. The
 * additional contacts come from earlier runs (`runs/funnel.ts`).
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
    if (all > shown) {
      const [first, second, sum] = [shown, all - shown, all].map(count.format);
      carried.push(`${second} ${station} (${first} + ${second} = ${sum})`);
    }
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
  // A run's page also shows numbers outside its first part.
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

/** Shows times in the user's time zone. */
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

/**
 * Clients were sections of the home page in an earlier version. Old links to a section are redirected to the client's
 * own page.
 */
function findOldAnchor() {
  const [, id] = /^#integration_([a-z0-9-]+)$/.exec(location.hash) ?? [];
  if (location.pathname !== '/' || !id || document.getElementById(`integration_${id}`)) return;
  location.replace(`/clients/${id}`);
}

/** Removes the note about the last action from the address, so that a reload does not show it again. */
function forgetNote() {
  const url = new URL(location.href);
  if (!url.searchParams.has('note')) return;
  url.searchParams.delete('note');
  history.replaceState(null, '', url);
}
