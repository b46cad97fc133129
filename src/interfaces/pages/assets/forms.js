/**
 * The script of every form. If the session has ended, the script lets the user sign in without losing the form. If the
 * server is slow, the script shows that it is still working. If the server refuses a form, the script shows the form
 * again at the same place. Without this script, browsers send the forms in the usual way.
 */
'use strict';

// The code is in one block, because browsers load this script together with the scripts of every page.
{
  const SLOW_MS = 400;
  /** For this time, the same form is not sent again, because the response will replace the page. */
  const SENT_ONCE_MS = 15_000;

  /** @typedef {{ user: string | null, isSentAgain: boolean }} State */
  /** @typedef {HTMLButtonElement | HTMLInputElement | null} Submitter */

  const user = document.body.dataset['user'] ?? null;
  /** Forms that are being sent or that wait for the session check. */
  /** @type {Set<HTMLFormElement>} */
  const checked = new Set();
  let isBusy = false;
  let slow = 0;

  showRefused();
  fillOwnZone();
  document.addEventListener('submit', onSubmit);
  document.addEventListener('focusin', closeLeftPopovers);
  addEventListener('pageshow', () => {
    endSending();
    stopWaiting();
  });

  /** @param {SubmitEvent} event */
  function onSubmit(event) {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement)) return;
    if (form.method !== 'post' || form.closest('[data-sign-in]')) return;
    if (checked.delete(form)) {
      if (form.hasAttribute('data-download')) stopWaiting();
      else startWaiting(form);
      return;
    }
    // A visitor who has not signed in has no session that could end. Signing out needs no session.
    if (user === null || new URL(form.action, location.href).pathname === '/sign-out') {
      startWaiting(form);
      return;
    }
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    document.documentElement.dataset['sending'] = '';
    startWaiting(form);
    check(form, toSubmitter(event.submitter))
      .catch(() => false)
      .then((isLeaving) => {
        if (isLeaving) setTimeout(endSending, SENT_ONCE_MS);
        else endSending();
      });
  }

  /** @param {HTMLElement | null} element @returns {Submitter} */
  function toSubmitter(element) {
    const isOne = element instanceof HTMLButtonElement || element instanceof HTMLInputElement;
    return isOne ? element : null;
  }

  /**
   * Sends the form if the session is still valid. If the server does not respond to the check, sends the form anyway,
   * and the server decides.
   *
   * @param {HTMLFormElement} form
   * @param {Submitter} submitter
   * @returns {Promise<boolean>} Whether the response to the form replaces the page.
   */
  async function check(form, submitter) {
    const state = await readState(form);
    if (state !== null && state.user !== user) {
      stopWaiting();
      openSignIn(form, submitter);
      return false;
    }
    send(form, submitter);
    return !form.hasAttribute('data-download');
  }

  function endSending() {
    isBusy = false;
  }

  /** @param {HTMLFormElement} form @param {Submitter} submitter */
  function send(form, submitter) {
    checked.add(form);
    form.requestSubmit(submitter);
  }

  /** @param {HTMLFormElement} form @returns {Promise<State | null>} */
  async function readState(form) {
    const { pathname } = new URL(form.action, location.href);
    try {
      const response = await fetch(`/sign-in/state?form=${encodeURIComponent(pathname)}`);
      return response.ok ? await response.json() : null;
    } catch {
      return null;
    }
  }

  /**
   * Shows a sign-in dialog above the form. The page keeps the typed values.
   *
   * @param {HTMLFormElement} form
   * @param {Submitter} submitter
   */
  async function openSignIn(form, submitter) {
    const dialog = document.createElement('dialog');
    dialog.className = 'dialog sign-in-again';
    dialog.dataset['signIn'] = '';
    dialog.setAttribute('aria-labelledby', 'sign-in-again');
    const title = document.createElement('h2');
    title.id = 'sign-in-again';
    title.textContent = 'Your session has ended';
    const text = document.createElement('p');
    text.setAttribute('role', 'status');
    text.textContent = 'Nothing was sent yet. Sign in again; what you typed stays in this page.';
    dialog.append(title, text);
    const own = await fetchSignInForm();
    if (own) dialog.append(own);
    const other = document.createElement('a');
    other.href = '/sign-in?to=/account';
    other.target = '_blank';
    other.rel = 'noreferrer';
    other.textContent = own ? 'Sign in another way, in a new tab' : 'Open a new tab and sign in';
    const close = document.createElement('button');
    close.type = 'button';
    close.className = 'button';
    close.textContent = 'Cancel';
    close.addEventListener('click', () => dialog.close());
    const row = document.createElement('p');
    row.className = 'row actions';
    row.append(close, other);
    dialog.append(row);
    const comeBack = () => finish(false);
    // A browser closes popovers when it opens a modal dialog.
    const covering = listOpenPopovers(form);
    dialog.addEventListener('close', () => {
      removeEventListener('focus', comeBack);
      dialog.remove();
      for (const popover of covering) popover.showPopover();
      submitter?.focus();
    });
    addEventListener('focus', comeBack);
    own?.addEventListener('submit', async (event) => {
      event.preventDefault();
      const problem = await signIn(own);
      if (problem === null) await finish(true);
      else {
        text.textContent = problem;
        for (const field of own.querySelectorAll('input[type="password"]')) {
          if (field instanceof HTMLInputElement) field.value = '';
        }
      }
    });
    document.body.append(dialog);
    dialog.showModal();

    /** @param {boolean} isSaid */
    async function finish(isSaid) {
      const state = await readState(form);
      if (!dialog.open) return;
      if (state === null || state.user === null) {
        if (isSaid) text.textContent = 'You are not signed in yet. Try again.';
        return;
      }
      dialog.close();
      if (state.user !== user) {
        tell(form, 'You are signed in as another user now. Nothing was sent. Reload the page.');
      } else if (state.isSentAgain) {
        startWaiting(form);
        send(form, submitter);
      } else {
        const label = submitter?.textContent?.trim() || 'the button';
        tell(form, `You are signed in again. Nothing was sent yet. To send it, press “${label}”.`);
        submitter?.focus();
      }
    }
  }

  /**
   * Returns the open popovers around a form, the outermost first.
   *
   * @param {HTMLFormElement} form
   * @returns {HTMLElement[]}
   */
  function listOpenPopovers(form) {
    const found = document.querySelectorAll('[popover]:popover-open');
    return [...found].flatMap((one) =>
      one instanceof HTMLElement && one.contains(form) ? [one] : [],
    );
  }

  /**
   * Closes a popover when the focus leaves it. An open popover would cover the focused element.
   *
   * @param {FocusEvent} event
   */
  function closeLeftPopovers({ target }) {
    if (!(target instanceof Element) || target.closest('dialog')) return;
    for (const popover of document.querySelectorAll('[popover]:popover-open')) {
      const isOpener = target.getAttribute('popovertarget') === popover.id;
      if (!popover.contains(target) && !isOpener && popover instanceof HTMLElement) {
        popover.hidePopover();
      }
    }
  }

  /** Returns the password form of the sign-in page, or null if there is none. */
  async function fetchSignInForm() {
    try {
      const response = await fetch('/sign-in');
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      const form = page.querySelector('input[name="password"]')?.closest('form');
      if (!form) return null;
      const own = document.importNode(form, true);
      own.classList.add('fields');
      // The page itself may contain fields with the same IDs.
      for (const field of own.querySelectorAll('[id]')) {
        const label = own.querySelector(`label[for="${CSS.escape(field.id)}"]`);
        field.id = `again-${field.id}`;
        label?.setAttribute('for', field.id);
      }
      return own;
    } catch {
      return null;
    }
  }

  /**
   * Signs the user in. Resolves with null on success, and with the server's reason after a refusal.
   *
   * @param {HTMLFormElement} form
   */
  async function signIn(form) {
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (typeof value === 'string') body.append(name, value);
    }
    try {
      const response = await fetch('/sign-in', { method: 'POST', body, redirect: 'manual' });
      if (response.type === 'opaqueredirect') return null;
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      const alert = page.querySelector('[role="alert"], [data-problem]');
      return alert?.textContent?.trim() ?? 'You could not be signed in. Try again.';
    } catch {
      return 'The server does not answer. Try again.';
    }
  }

  /** @param {HTMLFormElement} form @param {string} text */
  function tell(form, text) {
    form.querySelector(':scope > [data-told]')?.remove();
    const line = document.createElement('p');
    line.className = 'note';
    line.dataset['told'] = '';
    line.setAttribute('role', 'status');
    line.textContent = text;
    form.append(line);
  }

  /** @param {HTMLFormElement} form */
  function startWaiting(form) {
    clearTimeout(slow);
    slow = setTimeout(() => {
      if (document.querySelector('.waiting')) return;
      const line = document.createElement('p');
      line.className = 'waiting quiet';
      line.setAttribute('role', 'status');
      const bar = document.createElement('progress');
      bar.setAttribute('aria-label', 'Waiting for the answer');
      line.append(bar, ' Waiting for the answer …');
      form.append(line);
    }, SLOW_MS);
  }

  function stopWaiting() {
    clearTimeout(slow);
    delete document.documentElement.dataset['sending'];
    document.querySelector('.waiting')?.remove();
  }

  /**
   * Opens the dialog that contains the refused form, and shows the address of the form's page. The form's own address
   * is not a page.
   */
  function showRefused() {
    const notice = document.querySelector('[data-problem][data-page]');
    if (notice instanceof HTMLElement) {
      history.replaceState(null, '', notice.dataset['page'] ?? '');
    }
    const dialog = document.querySelector('form[data-refused]')?.closest('[popover]');
    if (dialog instanceof HTMLElement) dialog.showPopover();
  }

  /** Fills the user's time zone into empty fields. Schedules use this time zone unless the user chooses another one. */
  function fillOwnZone() {
    for (const field of document.querySelectorAll('input[data-own-zone]')) {
      if (field instanceof HTMLInputElement && field.value === '') {
        field.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
      }
    }
  }
}
