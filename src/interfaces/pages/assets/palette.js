/**
 * The way to everything by a few letters: Ctrl-K, or the button in the frame. The server finds; names of
 * contacts are not among what it finds. Browsers get this file as it is, as a script and no module.
 */
'use strict';

{
  const WAIT_MS = 80;
  const opener = document.getElementById('find');
  /** @type {{ dialog: HTMLDialogElement, input: HTMLInputElement, list: HTMLUListElement } | null} */
  let made = null;
  /** @type {HTMLLIElement[]} */
  let options = [];
  let chosen = -1;
  let asked = 0;

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
    made.dialog.showModal();
    find('');
  }

  function make() {
    const dialog = document.createElement('dialog');
    dialog.className = 'palette';
    dialog.setAttribute('aria-label', 'Find');
    const input = document.createElement('input');
    input.type = 'search';
    input.autocomplete = 'off';
    input.placeholder = 'A page, a client, or the id of a run';
    input.setAttribute('role', 'combobox');
    input.setAttribute('aria-label', 'A page, a client, or the id of a run');
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
      timer = setTimeout(() => find(input.value), WAIT_MS);
    });
    input.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowDown') choose(chosen + 1);
      else if (event.key === 'ArrowUp') choose(chosen - 1);
      // A search box would only be emptied.
      else if (event.key === 'Escape') dialog.close();
      else if (event.key === 'Enter') options[chosen]?.click();
      else return;
      event.preventDefault();
    });
    // A click beside the box closes it.
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog) dialog.close();
    });
    dialog.addEventListener('close', () => list.replaceChildren());
    return { dialog, input, list };
  }

  /** @param {string} words */
  async function find(words) {
    asked += 1;
    const own = asked;
    const places = await fetchPlaces(words);
    // What was typed since has its own answer.
    if (own === asked && made?.dialog.open) show(places);
  }

  /**
   * @typedef {{ kind: string, label: string, detail: string | null, href: string }} Place
   * @param {string} words
   * @returns {Promise<Place[] | null>}
   */
  async function fetchPlaces(words) {
    try {
      const response = await fetch(`/v1/find?q=${encodeURIComponent(words)}`);
      return response.ok ? (await response.json()).places : null;
    } catch {
      return null;
    }
  }

  /** @param {Place[] | null} places */
  function show(places) {
    if (!made) return;
    const items = (places ?? []).map(({ kind, label, detail, href }, place) => {
      const item = document.createElement('li');
      item.id = `palette-${place}`;
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
    choose(0);
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
