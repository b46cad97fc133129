/**
 * The script of the guide's search. It shows suggestions while the user types, and the page of results. It fetches its
 * index on first use.
 */

const WAIT_MS = 60;
const MAX_SUGGESTIONS = 8;
const MAX_RESULTS = 30;

/** @typedef {(query: string) => import('./guide-search.js').Hit[]} Search */

/** @type {Promise<Search> | null} */
let loading = null;

const form = document.getElementById('search');
const input = document.getElementById('search-words');
if (form instanceof HTMLFormElement && input instanceof HTMLInputElement) {
  suggest(form, input);
  showResults(form, input);
}

// The menu is long, so the script scrolls to the entry of the current page.
const current = document.querySelector('.guide-menu [aria-current]');
const menu = current?.closest('.guide-menu');
if (current instanceof HTMLElement && menu && current.offsetTop > menu.clientHeight) {
  menu.scrollTop = current.offsetTop - menu.clientHeight / 2;
}

/**
 * Returns the search index. Fetches the index only once, unless fetching fails.
 *
 * @param {HTMLFormElement} form
 * @returns {Promise<Search>}
 */
function load(form) {
  const started = loading ?? fetchSearch(form);
  loading = started;
  started.catch(() => {
    loading = null;
  });
  return started;
}

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<Search>}
 */
async function fetchSearch({ dataset: { index = '', code = '', engine = '' } }) {
  const [{ createSearch }, { default: MiniSearch }, data] = await Promise.all([
    import(code),
    import(engine),
    fetch(index).then((response) => {
      if (!response.ok) throw new Error('The index of the guide cannot be loaded.');
      return response.json();
    }),
  ]);
  return createSearch(MiniSearch, data);
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLInputElement} input
 */
function suggest(form, input) {
  const list = document.createElement('ul');
  list.id = 'search-list';
  list.className = 'guide-list';
  list.hidden = true;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Sections of the guide');
  form.append(list);
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': list.id,
    'aria-autocomplete': 'list',
  })) {
    input.setAttribute(name, value);
  }
  let chosen = -1;
  let timer = 0;
  /** The latest search. It has no words if the list is closed or the index could not be loaded. */
  let latest = { words: '', shown: Promise.resolve() };

  input.addEventListener('focus', () => void load(form).catch(() => undefined), { once: true });
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(find, WAIT_MS);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (list.hidden) void find();
      else void find().then(() => choose(chosen + step));
    } else if (event.key === 'Escape' && !list.hidden) close();
    else if (event.key === 'Enter' && !list.hidden && chosen >= 0) open(list.children[chosen]);
    else return;
    event.preventDefault();
  });
  input.addEventListener('blur', close);
  document.addEventListener('keydown', (event) => {
    const isTyping =
      event.target instanceof Element && event.target.matches('input, textarea, select');
    const isShortcut =
      event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isFind = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    if (!isShortcut && !isFind) return;
    event.preventDefault();
    input.focus();
    input.select();
  });

  /**
   * Searches for the current words, unless this search is already running. Resolves when the list shows the
   * suggestions. Showing the same suggestions again would lose the user's choice.
   */
  function find() {
    const words = input.value.trim();
    if (words === '') close();
    else if (words !== latest.words) latest = { words, shown: showSuggestions(words) };
    return latest.shown;
  }

  /** @param {string} words */
  async function showSuggestions(words) {
    const search = await load(form).catch(() => null);
    if (words !== latest.words || document.activeElement !== input) return;
    if (!search) latest.words = '';
    show(search?.(words).slice(0, MAX_SUGGESTIONS) ?? [], search === null);
  }

  /**
   * @param {import('./guide-search.js').Hit[]} hits
   * @param {boolean} isBroken
   */
  function show(hits, isBroken) {
    const items = hits.map((hit, place) => {
      const item = createElement('li', '', hit.heading);
      item.id = `search-${place}`;
      item.dataset['href'] = hit.href;
      item.append(createElement('span', 'quiet', hit.page));
      // Without this line, the field would lose the focus first, and the list would close.
      item.addEventListener('mousedown', (event) => event.preventDefault());
      item.addEventListener('click', () => open(item));
      return item;
    });
    if (items.length === 0) {
      items.push(
        createElement(
          'li',
          'empty',
          isBroken ? 'The search cannot be loaded.' : 'No section matches these words.',
        ),
      );
      items[0]?.setAttribute('aria-disabled', 'true');
    }
    for (const item of items) item.setAttribute('role', 'option');
    list.replaceChildren(...items);
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    chosen = -1;
    input.removeAttribute('aria-activedescendant');
  }

  /** @param {number} place */
  function choose(place) {
    const options = [...list.children].filter((item) => item.id !== '');
    if (options.length === 0) return;
    chosen = (place + options.length) % options.length;
    for (const [at, option] of options.entries()) {
      option.setAttribute('aria-selected', String(at === chosen));
    }
    input.setAttribute('aria-activedescendant', options[chosen]?.id ?? '');
    options[chosen]?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {Element | undefined} item */
  function open(item) {
    if (!(item instanceof HTMLElement) || item.dataset['href'] === undefined) return;
    close();
    location.assign(item.dataset['href']);
  }

  function close() {
    latest = { words: '', shown: Promise.resolve() };
    list.hidden = true;
    chosen = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  }
}

/**
 * Shows the results for the words in the page's address.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLInputElement} input
 */
async function showResults(form, input) {
  const results = document.getElementById('results');
  const status = document.getElementById('results-status');
  if (!results || !status) return;
  const words = new URLSearchParams(location.search).get('q')?.trim() ?? '';
  input.value = words;
  if (words === '') {
    status.textContent = 'Type some words, a code or a whole message into the field above.';
    return;
  }
  document.title = `${words} · Search · Guide · donor-sync`;
  try {
    const search = await load(form);
    const hits = search(words).slice(0, MAX_RESULTS);
    status.textContent = describe(hits.length, words);
    results.replaceChildren(...hits.map(renderHit));
  } catch {
    status.textContent = 'The search cannot be loaded. Reload the page to try again.';
  }
}

/**
 * @param {number} count
 * @param {string} words
 */
function describe(count, words) {
  if (count === 0)
    return `No section matches “${words}”. Try other words, or open a page from the menu.`;
  return `${count === MAX_RESULTS ? 'The best ' : ''}${count} ${count === 1 ? 'section' : 'sections'} for “${words}”.`;
}

/** @param {import('./guide-search.js').Hit} hit */
function renderHit({ href, page, heading, shown, isFound }) {
  const item = document.createElement('li');
  const link = createElement('a', '', '');
  link.setAttribute('href', href);
  link.append(...mark(heading, isFound));
  const text = createElement('p', '', '');
  text.append(...mark(shown, isFound));
  item.append(link, createElement('span', 'quiet', page), text);
  return item;
}

/**
 * Returns the text and marks the found words in it.
 *
 * @param {string} text
 * @param {(word: string) => boolean} isFound
 */
function mark(text, isFound) {
  return text
    .split(/([\p{L}\p{N}]+)/u)
    .map((part) => (isFound(part) ? createElement('mark', '', part) : part));
}

/**
 * @param {string} name
 * @param {string} className
 * @param {string} text
 */
function createElement(name, className, text) {
  const element = document.createElement(name);
  if (className !== '') element.className = className;
  element.textContent = text;
  return element;
}

// This line makes the compiler treat this file as a module. Browsers also load it as a module.
export {};
