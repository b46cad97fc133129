/**
 * The script of passkeys: the browser answers what a form was made with, and the form takes the answer along.
 * Without it people sign in another way, which the page says.
 */
'use strict';

// One block, since browsers load it beside the script of every page.
{
  /** A challenge lasts five minutes; an older page asks for another one. */
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
   * Says why the form is not there.
   *
   * @param {HTMLFormElement} form
   * @param {string} attribute
   */
  function reveal(form, attribute) {
    form.parentElement?.querySelector(`[${attribute}]`)?.removeAttribute('hidden');
  }

  /**
   * Asks the browser, and sends what it says.
   *
   * @param {HTMLFormElement} form
   */
  async function answer(form) {
    // A browser answers one question at a time.
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
   * Offers passkeys among what the browser knows for the field of the e-mail address.
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
      // Not wanted, or begun anew: the button is there.
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
   * Takes a new question from the page, once the one that is there is soon too old.
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
      // Signed out meanwhile, or it is to be shown once more who this is.
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
