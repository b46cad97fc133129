/**
 * The script of the set-up: the preview of a file before it is sent, what an answer would show before it
 * is kept, and the end of a trial. Without it each is a button or a reload away.
 */
'use strict';

// One block, since browsers load it beside the script of every page.
{
  const LARGEST_FILE = 20 * 1024 * 1024;
  const PREVIEW_ROWS = 5;
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
   * Shows what the answers would make, as the button for it does.
   *
   * @param {HTMLFormElement} form
   */
  function lookWhileTyping(form) {
    let timer = 0;
    let latest = 0;
    form.addEventListener('change', () => {
      clearTimeout(timer);
      timer = setTimeout(look, TYPING_PAUSE_MS);
    });

    async function look() {
      latest += 1;
      const asked = latest;
      const body = new URLSearchParams();
      for (const [name, value] of new FormData(form)) {
        if (typeof value === 'string') body.append(name, value);
      }
      body.set('do', 'look');
      const page = await fetchPage(form.action, body);
      // A later question has its own answer.
      if (!page || asked !== latest) return;
      for (const part of form.querySelectorAll('[data-part]')) {
        const next = page.getElementById(part.id);
        if (next && !part.contains(document.activeElement))
          part.replaceChildren(...next.childNodes);
      }
    }
  }

  /**
   * @param {string} address
   * @param {URLSearchParams} body
   */
  async function fetchPage(address, body) {
    try {
      const response = await fetch(address, { method: 'POST', body, redirect: 'manual' });
      if (!response.ok) return null;
      return new DOMParser().parseFromString(await response.text(), 'text/html');
    } catch {
      return null;
    }
  }

  /**
   * The first rows of a file, before anything of it is sent.
   *
   * @param {HTMLFormElement} form
   */
  function previewFile(form) {
    const input = form.querySelector('input[type="file"]');
    const drop = form.querySelector('[data-drop]');
    const place = form.querySelector('[data-preview]');
    if (!(input instanceof HTMLInputElement) || !drop || !place) return;
    const chosen = input;
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
      place?.replaceChildren();
      chosen.setCustomValidity('');
      if (!file) return;
      if (file.size > LARGEST_FILE) {
        say(
          'This file is larger than 20 MB. Who looks after this machine puts it there, and names it in donor-sync.yaml.',
        );
        chosen.setCustomValidity('This file is larger than 20 MB.');
        return;
      }
      // Of the beginning: a whole file would hold the page up.
      const bytes = new Uint8Array(await file.slice(0, 256 * 1024).arrayBuffer());
      if (isWorkbook(bytes)) {
        say('This is a workbook. Its first rows are shown once you use it.', 'hint');
        return;
      }
      const text = decode(bytes);
      const { data } = Papa.parse(text, { preview: PREVIEW_ROWS + 1, skipEmptyLines: true });
      const [head, ...rows] = data;
      if (!head || head.length < 2)
        say('This does not look like a list: its first line should name the columns.');
      else place?.replaceChildren(tableOf(head, rows));
    }

    /**
     * @param {string} text
     * @param {string} look
     */
    function say(text, look = 'hint bad') {
      const line = document.createElement('p');
      line.className = look;
      line.textContent = text;
      place?.replaceChildren(line);
    }
  }

  /** @param {Uint8Array} bytes */
  function isWorkbook(bytes) {
    return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
  }

  /** @param {Uint8Array} bytes */
  function decode(bytes) {
    const isWide =
      (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    if (isWide) return new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes);
    return new TextDecoder().decode(bytes);
  }

  /**
   * @param {readonly string[]} head
   * @param {readonly (readonly string[])[]} rows
   */
  function tableOf(head, rows) {
    const wrap = document.createElement('div');
    wrap.className = 'preview';
    wrap.tabIndex = 0;
    wrap.setAttribute('role', 'region');
    wrap.setAttribute('aria-label', 'The first rows of the file');
    const table = document.createElement('table');
    const names = table.createTHead().insertRow();
    for (const name of head) {
      const cell = document.createElement('th');
      cell.scope = 'col';
      cell.textContent = name;
      names.append(cell);
    }
    const body = table.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      for (const [at] of head.entries()) line.insertCell().textContent = row[at] ?? '';
    }
    wrap.append(table);
    return wrap;
  }

  /**
   * Says how far the trial is, and shows its end.
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
