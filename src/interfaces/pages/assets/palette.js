/**
 * Searches for pages, clients and actions by a few letters. Users open the search with Ctrl-K or with a button. The
 * server searches. On a client's pages, users who may see names can also search the CRM for contacts. A name is sent in
 * the request body, never in an address. Browsers get this file unchanged, as a script and not as a module.
 */
'use strict';

{
  const WAIT_MS = 80;
  /** The pause in typing after which contacts are searched. Pressing Enter starts the search immediately. */
  const CONTACT_WAIT_MS = 400;
  const SHORTEST_NAME = 3;
  const opener = document.getElementById('find');
  /** @type {{ dialog: HTMLDialogElement, input: HTMLInputElement, list: HTMLUListElement } | null} */
  let made = null;
  /** @type {HTMLLIElement[]} */
  let options = [];
  let chosen = -1;
  /**
   * The latest search on the server. Its words are null if no search was started since the palette was opened, or if
   * the search failed.
   *
   * @type {{ words: string | null, shown: Promise<void> }}
   */
  let latest = { words: null, shown: Promise.resolve() };
  /**
   * The client whose contacts are searched. Null if the page is not about one client, or if the user may not see names.
   */
  const client = opener?.getAttribute('data-client') ?? null;
  /** @type {Place[] | null} */
  let places = [];
  /** @type {Place[]} */
  let contacts = [];
  let contactTimer = 0;
  let isSearching = false;
  /** The text for which contacts are shown or being searched. */
  let searched = '';

  if (opener) {
    opener.removeAttribute('hidden');
    opener.addEventListener('click', open);
    document.addEventListener('keydown', (event) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      open();
    });
  }

  function open() {
    made ??= make();
    if (made.dialog.open) return;
    made.input.value = '';
    contacts = [];
    searched = '';
    latest = { words: null, shown: Promise.resolve() };
    made.dialog.showModal();
    void find();
  }

  function make() {
    const dialog = document.createElement('dialog');
    dialog.className = 'palette';
    dialog.setAttribute('aria-label', 'Find');
    const input = document.createElement('input');
    const words =
      client === null
        ? 'A page, a client, or the id of a run'
        : 'A page, a client, a contact, or the id of a run';
    input.type = 'search';
    input.autocomplete = 'off';
    input.placeholder = words;
    input.setAttribute('role', 'combobox');
    input.setAttribute('aria-label', words);
    input.setAttribute('aria-expanded', 'true');
    input.setAttribute('aria-controls', 'palette-list');
    const list = document.createElement('ul');
    list.id = 'palette-list';
    list.setAttribute('role', 'listbox');
    list.setAttribute('aria-label', 'Found');
    dialog.append(input, list);
    document.body.append(dialog);
    let timer = 0;
    input.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(find, WAIT_MS);
      clearTimeout(contactTimer);
      contactTimer = setTimeout(findContacts, CONTACT_WAIT_MS);
    });
    input.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowDown') void afterSearch(() => choose(chosen + 1));
      else if (event.key === 'ArrowUp') void afterSearch(() => choose(chosen - 1));
      else if (event.key === 'Enter') void afterSearch(openChosen);
      // In a search field, the browser's own Escape key would only clear the field.
      else if (event.key === 'Escape') dialog.close();
      else return;
      event.preventDefault();
    });
    // A click outside the box closes the palette.
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog) dialog.close();
    });
    dialog.addEventListener('close', () => {
      contacts = [];
      list.replaceChildren();
    });
    return { dialog, input, list };
  }

  /**
   * Waits until the list shows the results for the current text, and then calls `act`. Without the wait, a user who
   * types fast would open a result for an earlier text.
   *
   * @param {() => void} act
   */
  async function afterSearch(act) {
    await find();
    if (made?.dialog.open && made.input.value === latest.words) act();
  }

  function openChosen() {
    if (options.length > 0) options[chosen]?.click();
    else void findContacts();
  }

  /** Searches for the current text, unless this search is already running. Resolves when the list shows the result. */
  function find() {
    const words = made?.input.value ?? '';
    if (words !== latest.words) latest = { words, shown: showPlaces(words) };
    return latest.shown;
  }

  /** @param {string} words */
  async function showPlaces(words) {
    const found = await fetchPlaces(words);
    // The user has typed more text since the request, so this response is outdated.
    if (words !== latest.words || !made?.dialog.open) return;
    places = found;
    if (!found) latest.words = null;
    show(0);
  }

  /**
   * Searches contacts by the current text. Only one search runs at a time. When it ends, only the latest text is
   * searched.
   */
  async function findContacts() {
    if (client === null || !made?.dialog.open || isSearching) return;
    const text = made.input.value.trim();
    if (text === searched) return;
    searched = text;
    contacts = [];
    if (text.length >= SHORTEST_NAME) {
      isSearching = true;
      contacts = await fetchContacts(client, text);
      isSearching = false;
    }
    if (!made.dialog.open) return;
    // Contacts are listed last, so that the user's chosen option does not change.
    show(chosen);
    await findContacts();
  }

  /**
   * @param {string} client
   * @param {string} text
   * @returns {Promise<Place[]>}
   */
  async function fetchContacts(client, text) {
    const page = `/clients/${encodeURIComponent(client)}/contacts`;
    try {
      const response = await fetch(
        `/v1/integrations/${encodeURIComponent(client)}/contact-search`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ text }),
        },
      );
      if (!response.ok) return [];
      const { search } = await response.json();
      return search.contacts.map(
        (/** @type {{ crmId: string, name: string, detail: string | null }} */ found) => ({
          kind: 'contact',
          label: found.name,
          // Contacts with the same name have a detail that tells them apart.
          detail: [found.detail, `contact ${found.crmId}`].filter(Boolean).join(' · '),
          href: `${page}/${encodeURIComponent(found.crmId)}`,
        }),
      );
    } catch {
      return [];
    }
  }

  /**
   * @typedef {{ kind: string, label: string, detail: string | null, href: string }} Place
   * @param {string} words
   * @returns {Promise<Place[] | null>}
   */
  async function fetchPlaces(words) {
    try {
      const response = await fetch('/v1/find', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ q: words }),
      });
      return response.ok ? (await response.json()).places : null;
    } catch {
      return null;
    }
  }

  /** @param {number} place The index of the option to choose. */
  function show(place) {
    if (!made) return;
    const items = [...(places ?? []), ...contacts].map(({ kind, label, detail, href }, at) => {
      const item = document.createElement('li');
      item.id = `palette-${at}`;
      item.setAttribute('role', 'option');
      item.addEventListener('click', () => location.assign(href));
      const name = document.createElement('span');
      name.textContent = label;
      const more = document.createElement('span');
      more.className = 'quiet';
      more.textContent = detail ?? kind;
      item.append(name, more);
      return item;
    });
    options = [...items];
    if (items.length === 0) {
      const none = document.createElement('li');
      none.className = 'empty';
      none.setAttribute('role', 'option');
      none.setAttribute('aria-disabled', 'true');
      none.textContent = places ? 'Nothing is called like that.' : 'The service does not answer.';
      items.push(none);
    }
    made.list.replaceChildren(...items);
    choose(Math.max(0, Math.min(place, options.length - 1)));
  }

  /** @param {number} place */
  function choose(place) {
    if (!made || options.length === 0) {
      chosen = -1;
      made?.input.removeAttribute('aria-activedescendant');
      return;
    }
    chosen = (place + options.length) % options.length;
    for (const [at, option] of options.entries()) {
      option.setAttribute('aria-selected', String(at === chosen));
    }
    made.input.setAttribute('aria-activedescendant', `palette-${chosen}`);
    options[chosen]?.scrollIntoView({ block: 'nearest' });
  }
}
