/**
 * Shows the names of the contacts on the page. The page itself contains only IDs, so it does not wait for the CRM. One
 * request reads the names. The names exist only in this page. They are not stored, and they are removed when the user
 * leaves the page.
 */
'use strict';

{
  /** The maximum number of names that the server returns per request. */
  const MOST = 100;

  /** The names, by the value of `data-name-of`. This value consists of the client, a slash and the contact. */
  /** @type {Map<string, string>} */
  const names = new Map();
  /** All contacts whose names were requested for this view. Some of these contacts have no name. */
  /** @type {Set<string>} */
  const asked = new Set();

  const status = document.createElement('p');
  status.id = 'names-problem';
  status.className = 'names-problem';
  status.setAttribute('role', 'status');
  status.hidden = true;
  findPlaces()[0]?.closest('table, nav, section')?.before(status);

  fill();
  document.addEventListener('page-refreshed', fill);
  addEventListener('pagehide', hide);
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) fill();
  });

  /** Shows the known names, and requests the names of contacts that are new on the page. */
  async function fill() {
    show();
    const wanted = [...new Set(findPlaces().map(keyOf))].filter((key) => !asked.has(key));
    const contacts = wanted.slice(0, MOST);
    if (contacts.length === 0) return;
    for (const key of contacts) asked.add(key);
    try {
      const response = await fetch('/v1/contact-names', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ contacts }),
      });
      const body = await response.json();
      if (!response.ok) return tell(body.error?.message ?? 'The service refused the request.');
      for (const { integration, crmId, name } of body.names.contacts) {
        names.set(`${integration}/${crmId}`, name);
      }
      const texts = body.names.problems.map((/** @type {{ text: string }} */ { text }) => text);
      if (texts.length > 0) tell([...new Set(texts)].join(' '));
    } catch {
      return tell('The service does not respond.');
    }
    show();
  }

  function show() {
    for (const place of findPlaces()) {
      const name = names.get(keyOf(place));
      if (name === undefined || place.classList.contains('is-named')) continue;
      const text = document.createElement('span');
      text.className = 'contact-name';
      text.textContent = name;
      place.querySelector('.contact-id')?.before(text, ' ');
      place.classList.add('is-named');
    }
    document.dispatchEvent(new CustomEvent('names-shown', { detail: names }));
  }

  function hide() {
    names.clear();
    asked.clear();
    for (const place of document.querySelectorAll('.is-named')) {
      place.querySelector('.contact-name')?.remove();
      place.classList.remove('is-named');
    }
    document.dispatchEvent(new CustomEvent('names-shown', { detail: names }));
  }

  /** @param {string} text */
  function tell(text) {
    status.textContent = `Names are not shown: ${text}`;
    status.hidden = false;
  }

  function findPlaces() {
    return [...document.querySelectorAll('[data-name-of]')];
  }

  /** @param {Element} place */
  function keyOf(place) {
    return place.getAttribute('data-name-of') ?? '';
  }
}
