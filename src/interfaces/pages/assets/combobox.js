/**
 * Lets users choose from a long list by typing. Applies to fields with a `datalist` and to lists with `data-combobox`.
 * The script follows the editable combobox of the ARIA Authoring Practices. Without the script, the browser's own
 * controls have the same function. Browsers get this file unchanged.
 */
'use strict';

{
  /** The maximum number of options that are shown. Drawing more options takes long, and users do not read them. */
  const MAX_SHOWN = 50;
  /** The minimum number of options for the search. For fewer options, the browser's own list is easier to use. */
  const FEWEST_SEARCHED = 16;
  const GAP_PX = 4;
  const LOWEST_LIST_PX = 120;

  /** @typedef {{ value: string, label: string }} Option */
  /**
   * @typedef {object} Source
   * @property {() => Option[]} list Returns the options at this moment.
   * @property {(option: Option) => void} choose Makes the option the value of the form's field.
   * @property {() => void} leave Called when the user leaves the field.
   */

  let count = 0;
  const status = document.createElement('p');
  status.className = 'hidden';
  status.setAttribute('role', 'status');
  document.getElementById('main')?.append(status);

  for (const input of document.querySelectorAll('input[list]')) {
    if (input instanceof HTMLInputElement && input.list) enhanceInput(input, input.list);
  }
  for (const select of document.querySelectorAll('select[data-combobox]')) {
    if (select instanceof HTMLSelectElement && select.options.length >= FEWEST_SEARCHED) {
      replaceSelect(select);
    }
  }

  /**
   * @param {HTMLInputElement} input
   * @param {HTMLDataListElement} datalist
   */
  function enhanceInput(input, datalist) {
    // Without this line, the browser would also open its own list.
    input.removeAttribute('list');
    make(input, {
      list: () => Array.from(datalist.options, toOption),
      choose({ value }) {
        input.value = value;
        for (const name of ['input', 'change']) {
          input.dispatchEvent(new Event(name, { bubbles: true }));
        }
      },
      leave() {},
    });
  }

  /**
   * Replaces a list with a text field. The form still contains the hidden list with its value.
   *
   * @param {HTMLSelectElement} select
   */
  function replaceSelect(select) {
    const input = document.createElement('input');
    input.type = 'text';
    for (const name of ['aria-label', 'aria-describedby', 'aria-invalid']) {
      const text = select.getAttribute(name);
      if (text !== null) input.setAttribute(name, text);
    }
    // A label that refers to the list's ID now refers to the field.
    input.id = select.id;
    select.removeAttribute('id');
    select.before(input);
    // If the server refused the form, the invalid field gets the focus when the page opens.
    if (select.autofocus || select === document.activeElement) input.focus();
    select.hidden = true;
    const showChosen = () => {
      input.value = select.selectedOptions[0]?.text.trim() ?? '';
    };
    showChosen();
    select.form?.addEventListener('reset', () => setTimeout(showChosen));
    make(input, {
      list: () => Array.from(select.options, toOption),
      choose({ value }) {
        select.value = value;
        showChosen();
        select.dispatchEvent(new Event('change', { bubbles: true }));
      },
      leave() {
        const typed = input.value.trim().toLowerCase();
        const exact = Array.from(select.options).find(
          ({ text }) => text.trim().toLowerCase() === typed,
        );
        if (exact && exact.value !== select.value) this.choose(toOption(exact));
        else showChosen();
      },
    });
  }

  /** @param {HTMLOptionElement} option */
  function toOption({ value, label, text }) {
    return { value, label: (label || text || value).trim() };
  }

  /**
   * @param {HTMLInputElement} input
   * @param {Source} source
   */
  function make(input, source) {
    count += 1;
    const list = document.createElement('ul');
    list.id = `options-${count}`;
    list.className = 'options';
    list.popover = 'manual';
    list.setAttribute('role', 'listbox');
    list.setAttribute('aria-label', 'Suggestions');
    document.getElementById('main')?.append(list);
    input.autocomplete = 'off';
    input.classList.add('combobox');
    input.setAttribute('role', 'combobox');
    input.setAttribute('aria-autocomplete', 'list');
    input.setAttribute('aria-expanded', 'false');
    input.setAttribute('aria-controls', list.id);
    /** @type {Option[]} */
    let shown = [];
    let active = -1;
    const isOpen = () => list.matches(':popover-open');

    input.addEventListener('input', (event) => {
      // The `choose` function also sends this event, but only the user's own events are trusted.
      if (event.isTrusted) open(input.value);
    });
    input.addEventListener('click', () => (isOpen() ? close() : open('')));
    input.addEventListener('keydown', onKey);
    input.addEventListener('blur', () => {
      close();
      source.leave();
    });
    // Keeps the focus in the field.
    list.addEventListener('mousedown', (event) => event.preventDefault());
    list.addEventListener('click', ({ target }) => {
      const item = target instanceof Element ? target.closest('[role="option"]') : null;
      if (item) choose(shown[[...list.children].indexOf(item)]);
    });
    addEventListener('resize', close);
    addEventListener('scroll', () => isOpen() && place(), { passive: true, capture: true });

    /** @param {KeyboardEvent} event */
    function onKey(event) {
      if (event.isComposing) return;
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        event.preventDefault();
        if (!isOpen()) open('');
        if (!event.altKey) move(event.key === 'ArrowDown' ? 1 : -1);
      } else if (event.key === 'Enter' && isOpen() && active >= 0) {
        // The first Enter chooses the option, and the second Enter sends the form.
        event.preventDefault();
        choose(shown[active]);
      } else if (event.key === 'Escape' && isOpen()) {
        event.preventDefault();
        close();
      } else if (event.key === 'Tab' && isOpen() && active >= 0) {
        choose(shown[active]);
      }
    }

    /**
     * Shows the options that contain the text.
     *
     * @param {string} text
     */
    function open(text) {
      const wanted = text.trim().toLowerCase();
      const found = source
        .list()
        .filter(({ value, label }) =>
          [value, label].some((one) => one.toLowerCase().includes(wanted)),
        );
      shown = found.slice(0, MAX_SHOWN);
      active = -1;
      input.removeAttribute('aria-activedescendant');
      list.replaceChildren(...shown.map(toItem));
      status.textContent = describe(found.length);
      // If the list contained only the typed text, it would cover the next field for no purpose.
      if (shown.every(({ value, label }) => [value, label].includes(text))) return close();
      if (!isOpen()) list.showPopover();
      list.scrollTop = 0;
      input.setAttribute('aria-expanded', 'true');
      place();
    }

    function close() {
      if (isOpen()) list.hidePopover();
      input.setAttribute('aria-expanded', 'false');
      input.removeAttribute('aria-activedescendant');
      active = -1;
    }

    /** @param {Option | undefined} option */
    function choose(option) {
      close();
      if (option) source.choose(option);
    }

    /** @param {1 | -1} step */
    function move(step) {
      if (shown.length === 0) return;
      const start = active === -1 && step === -1 ? 0 : active;
      active = (start + step + shown.length) % shown.length;
      for (const [index, item] of [...list.children].entries()) {
        item.setAttribute('aria-selected', String(index === active));
      }
      const item = list.children[active];
      item?.scrollIntoView({ block: 'nearest' });
      if (item) input.setAttribute('aria-activedescendant', item.id);
    }

    /**
     * @param {Option} option
     * @param {number} index
     */
    function toItem({ value, label }, index) {
      const item = document.createElement('li');
      item.id = `${list.id}-${index}`;
      item.setAttribute('role', 'option');
      item.setAttribute('aria-selected', 'false');
      item.textContent = label === '' ? 'none' : label;
      if (input.hasAttribute('data-values') && value !== label) {
        const code = document.createElement('code');
        code.textContent = value;
        item.append(' ', code);
      }
      return item;
    }

    /** Places the list below the field, or above the field if there is more space. */
    function place() {
      const { left, top, bottom, width } = input.getBoundingClientRect();
      const below = innerHeight - bottom - 2 * GAP_PX;
      const isAbove = below < LOWEST_LIST_PX && top > below;
      list.style.minWidth = `${width}px`;
      list.style.maxHeight = `${Math.max(LOWEST_LIST_PX, isAbove ? top - 2 * GAP_PX : below)}px`;
      const overflow = left + list.offsetWidth - document.documentElement.clientWidth + GAP_PX;
      list.style.left = `${Math.max(GAP_PX, left - Math.max(0, overflow))}px`;
      list.style.top = isAbove ? `${top - GAP_PX - list.offsetHeight}px` : `${bottom + GAP_PX}px`;
    }
  }

  /** @param {number} found */
  function describe(found) {
    if (found === 0) return 'No option matches.';
    if (found === 1) return '1 option.';
    return found > MAX_SHOWN
      ? `${found} options, the first ${MAX_SHOWN} shown.`
      : `${found} options.`;
  }
}
