/**
 * The script of the set-up. It previews a file before the upload and an answer before it is saved. It also shows when a
 * trial ends. Without the script, users press a button or reload the page instead.
 */
'use strict';

// The code is in one block, because browsers load this script together with the scripts of every page.
{
  const LARGEST_FILE = 20 * 1024 * 1024;
  const PREVIEW_BYTES = 256 * 1024;
  const TYPING_PAUSE_MS = 500;
  const LOOK_AGAIN_MS = 1_000;

  for (const form of document.querySelectorAll('form[data-look]')) {
    if (form instanceof HTMLFormElement) lookWhileTyping(form);
  }
  const fileForm = document.querySelector('[data-file-form]');
  if (fileForm instanceof HTMLFormElement) previewFile(fileForm);
  const waiting = document.querySelector('[data-wait-run]');
  if (waiting instanceof HTMLElement) waitForRun(waiting);

  /**
   * Previews the result of the answers while the user types, like the preview button.
   *
   * @param {HTMLFormElement} form
   */
  function lookWhileTyping(form) {
    let timer = 0;
    let looking = new AbortController();
    form.addEventListener('change', () => {
      clearTimeout(timer);
      timer = setTimeout(look, TYPING_PAUSE_MS);
    });
    // After the answers are saved, the server would refuse a late preview request. The next page shows the answers
    // anyway.
    form.addEventListener('submit', () => {
      clearTimeout(timer);
      looking.abort();
    });

    async function look() {
      looking.abort();
      looking = new AbortController();
      const { signal } = looking;
      const body = new URLSearchParams();
      for (const [name, value] of new FormData(form)) {
        if (typeof value === 'string') body.append(name, value);
      }
      body.set('do', 'look');
      const page = await fetchPage(form.action, body, signal);
      // The user has changed the answers since the request, so this response is outdated.
      if (!page || signal.aborted) return;
      for (const part of form.querySelectorAll('[data-part]')) {
        const next = page.getElementById(part.id);
        if (next && !part.contains(document.activeElement))
          part.replaceChildren(...next.childNodes);
      }
    }
  }

  /**
   * @param {string} address
   * @param {URLSearchParams | Blob} body
   * @param {AbortSignal | null} signal
   */
  async function fetchPage(address, body, signal = null) {
    try {
      const response = await fetch(address, { method: 'POST', body, redirect: 'manual', signal });
      if (!response.ok) return null;
      return new DOMParser().parseFromString(await response.text(), 'text/html');
    } catch {
      return null;
    }
  }

  /**
   * Shows the first rows of a file as donor-sync reads them, before the file is stored.
   *
   * @param {HTMLFormElement} form
   */
  function previewFile(form) {
    const input = form.querySelector('input[type="file"]');
    const drop = form.querySelector('[data-drop]');
    const place = form.querySelector('[data-preview]');
    if (!(input instanceof HTMLInputElement) || !drop || !(place instanceof HTMLElement)) return;
    const chosen = input;
    const shown = place;
    let latest = 0;
    input.addEventListener('change', () => show(input.files?.[0]));
    drop.addEventListener('dragover', (event) => {
      event.preventDefault();
      drop.classList.add('over');
    });
    drop.addEventListener('dragleave', () => drop.classList.remove('over'));
    drop.addEventListener('drop', (event) => {
      event.preventDefault();
      drop.classList.remove('over');
      if (!(event instanceof DragEvent) || !event.dataTransfer?.files.length) return;
      input.files = event.dataTransfer.files;
      show(input.files?.[0]);
    });

    /** @param {File | undefined} file */
    async function show(file) {
      latest += 1;
      const asked = latest;
      shown.replaceChildren();
      chosen.setCustomValidity('');
      if (!file) return;
      if (file.size > LARGEST_FILE) {
        const line = document.createElement('p');
        line.className = 'hint bad';
        line.textContent =
          'This file is larger than 20 MB. Ask the administrator of this machine to put it there, and to name it in donor-sync.yaml.';
        shown.replaceChildren(line);
        chosen.setCustomValidity('This file is larger than 20 MB.');
        return;
      }
      const page = await fetchPage(shown.dataset['preview'] ?? '', file.slice(0, PREVIEW_BYTES));
      // The user has chosen a different file since the request, so this response is outdated.
      if (page && asked === latest) shown.replaceChildren(...page.body.childNodes);
    }
  }

  /**
   * Shows the progress of the trial, and its end.
   *
   * @param {HTMLElement} place
   */
  async function waitForRun(place) {
    const address = `/v1/runs/${encodeURIComponent(place.dataset['waitRun'] ?? '')}`;
    const words = place.querySelector('[data-wait-words]');
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      const run = await fetch(address).then(
        (response) => (response.ok ? response.json() : null),
        () => null,
      );
      if (run === null) continue;
      if (run.status !== 'running') {
        location.reload();
        return;
      }
      const { submitted, written } = run.contacts;
      const text = `${submitted} sent, ${written} written.`;
      if (words && words.textContent !== text) words.textContent = text;
    }
  }
}
