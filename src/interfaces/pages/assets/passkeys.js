/**
 * The script of passkeys. The browser answers the request in the form, and the form sends the answer. Without the
 * script, users sign in with a different method, which the page explains.
 */
'use strict';

// The code is in one block, because browsers load this script together with the scripts of every page.
{
  /**
   * The maximum age of a challenge in the page. A challenge is valid for five minutes, so an older page requests a new
   * challenge.
   */
  const FRESH_MS = 4 * 60_000;
  let madeAt = Date.now();
  let autofill = new AbortController();

  const canAsk =
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function' &&
    typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function';

  for (const form of document.querySelectorAll('form[data-passkey]')) {
    if (form instanceof HTMLFormElement) prepare(form);
  }

  /** @param {HTMLFormElement} form */
  function prepare(form) {
    if (form.dataset['origin'] !== location.origin) return reveal(form, 'data-elsewhere');
    if (!canAsk) return reveal(form, 'data-unable');
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      answer(form);
    });
    if (form.dataset['autofill'] !== undefined) offerInFields(form);
  }

  /**
   * Explains why the form is not available.
   *
   * @param {HTMLFormElement} form
   * @param {string} attribute
   */
  function reveal(form, attribute) {
    form.parentElement?.querySelector(`[${attribute}]`)?.removeAttribute('hidden');
  }

  /**
   * Asks the browser for a passkey, and sends the answer.
   *
   * @param {HTMLFormElement} form
   */
  async function answer(form) {
    // A browser can handle only one passkey request at a time.
    autofill.abort();
    say(form, null);
    try {
      await renew(form);
      send(form, await ask(form, {}));
    } catch (error) {
      say(form, wordsFor(error));
      if (form.dataset['autofill'] !== undefined) offerInFields(form);
    }
  }

  /**
   * Lets the browser suggest passkeys in the email address field.
   *
   * @param {HTMLFormElement} form
   */
  async function offerInFields(form) {
    if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
    autofill = new AbortController();
    const { signal } = autofill;
    const timer = setTimeout(() => again(), FRESH_MS);
    signal.addEventListener('abort', () => clearTimeout(timer));
    try {
      send(form, await ask(form, { mediation: 'conditional', signal }));
    } catch (error) {
      // Someone cancelled the request or started it again. The button still works.
      if (!(error instanceof DOMException)) throw error;
    }

    async function again() {
      autofill.abort();
      await renew(form).catch(() => {});
      offerInFields(form);
    }
  }

  /**
   * @param {HTMLFormElement} form
   * @param {CredentialRequestOptions} how
   */
  function ask(form, how) {
    const options = JSON.parse(form.dataset['options'] ?? '{}');
    return form.dataset['passkey'] === 'create'
      ? navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
        })
      : navigator.credentials.get({
          ...how,
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
        });
  }

  /**
   * @param {HTMLFormElement} form
   * @param {Credential | null} credential
   */
  function send(form, credential) {
    const field = form.elements.namedItem('response');
    if (!(credential instanceof PublicKeyCredential) || !(field instanceof HTMLInputElement))
      return;
    field.value = JSON.stringify(credential.toJSON());
    form.submit();
  }

  /**
   * Fetches the page again to get a new passkey request before the current request expires.
   *
   * @param {HTMLFormElement} form
   */
  async function renew(form) {
    if (Date.now() - madeAt < FRESH_MS) return;
    const page = form.dataset['page'] ?? location.pathname;
    const response = await fetch(page);
    const next = new DOMParser().parseFromString(await response.text(), 'text/html');
    const path = form.getAttribute('action') ?? '';
    const fresh = [...next.querySelectorAll('form[data-passkey]')].find(
      (one) => (one.getAttribute('action') ?? '') === path,
    );
    const way = form.elements.namedItem('way');
    const freshWay = fresh?.querySelector('[name="way"]')?.getAttribute('value');
    if (!(fresh instanceof HTMLFormElement) || !(way instanceof HTMLInputElement) || !freshWay) {
      // The session has ended, or the user has to confirm their identity again.
      location.assign(page);
      return;
    }
    way.value = freshWay;
    form.dataset['options'] = fresh.dataset['options'] ?? '{}';
    madeAt = Date.now();
  }

  /**
   * @param {HTMLFormElement} form
   * @param {string | null} text
   */
  function say(form, text) {
    const place = form.querySelector('[data-problem]');
    if (!place) return;
    place.textContent = text ?? '';
    place.toggleAttribute('hidden', text === null);
  }

  /** @param {unknown} error */
  function wordsFor(error) {
    const name = error instanceof DOMException ? error.name : '';
    if (name === 'InvalidStateError') return 'This device has a passkey for you already.';
    if (name === 'NotAllowedError' || name === 'AbortError') {
      return 'No passkey was used: it was cancelled, or took too long, or there is none on this device.';
    }
    return 'The browser could not use a passkey here.';
  }
}
