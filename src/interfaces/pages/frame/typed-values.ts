/** Puts the user's typed values into the HTML of donor-sync's pages. Secrets are never filled in. */

import { html } from 'hono/html';

export type Typed = ReadonlyMap<string, readonly string[]>;

export interface Refilling {
  /** The path to which the form is sent. Defaults to the page's path. */
  action: string;
  typed: Typed;
  /** The name of the invalid field, or null if the problem is not about one field. */
  field: string | null;
  /** The refusal and its reason. Null if the page already shows the refusal. */
  problem: string | null;
  /** The page's path. Null if the page is shown at its own address. */
  page: string | null;
  /** True if someone has changed the stored values since the user opened the page. */
  isConflict: boolean;
}

/** Puts the typed values into the page. In a conflict, also shows the stored value next to each different value. */
export function refill(page: string, refilling: Refilling): string {
  const { action, typed, problem, field } = refilling;
  const form = chooseForm(findForms(page), action, typed);
  const refilled = form === null ? null : refillForm(form.text, refilling);
  const whole =
    form === null || refilled === null
      ? page
      : page.slice(0, form.start) + refilled.text + page.slice(form.start + form.text.length);
  const isMarked = field !== null && refilled?.isMarked === true;
  if (problem !== null) return withProblem(whole, problem, refilling.page, isMarked);
  return isMarked ? whole : withFocus(whole);
}

/**
 * Sets the focus to the field that the page marks as invalid. If no field is marked, sets the focus to the message
 * about the problem.
 */
function withFocus(page: string): string {
  const wrong = findControls(page).find(({ attributes }) => attributes.has('aria-invalid'));
  if (wrong === undefined) return page.replace('role="alert"', `role="alert" ${FOCUS}`);
  const { text, start } = wrong;
  const focused = withAttribute(text, 'autofocus', '');
  return page.slice(0, start) + focused + page.slice(start + text.length);
}

interface FormText {
  start: number;
  text: string;
  attributes: string;
}

/** Finds the forms in a page. Forms are never nested. */
function findForms(page: string): FormText[] {
  const forms: FormText[] = [];
  for (let start = page.indexOf('<form'); start >= 0; start = page.indexOf('<form', start + 1)) {
    const head = page.indexOf('>', start);
    const end = page.indexOf('</form>', start);
    if (head < 0 || end < 0) break;
    forms.push({
      start,
      text: page.slice(start, end),
      attributes: page.slice(start + '<form'.length, head),
    });
  }
  return forms;
}

/**
 * Returns the form that the user has sent. Several forms can have the same path. Hidden values and field names
 * distinguish the forms.
 */
function chooseForm(forms: readonly FormText[], action: string, typed: Typed): FormText | null {
  const scored = forms
    .filter(({ attributes }) => {
      const own = readAttributes(attributes).get('action');
      return own === undefined || toPath(own) === action;
    })
    .map((form) => ({ form, score: scoreForm(form, typed) }));
  const [best] = scored.toSorted((one, other) => other.score - one.score);
  return best?.form ?? null;
}

function scoreForm(form: FormText, typed: Typed): number {
  let score = readAttributes(form.attributes).has('action') ? 1 : 0;
  for (const { attributes } of findControls(form.text)) {
    const name = attributes.get('name');
    if (name === undefined) continue;
    const values = typed.get(name);
    if (values === undefined) continue;
    const isFixed = attributes.get('type') === 'hidden' && !CHANGING.has(name);
    score += isFixed && !values.includes(attributes.get('value') ?? '') ? -100 : 1;
  }
  return score;
}

/** Hidden fields whose values change each time the page is shown. */
const CHANGING: ReadonlySet<string> = new Set(['version', 'digest', 'idempotencyKey', 'to', 'way']);

interface Control {
  tag: string;
  /** The tag's text in the page. */
  text: string;
  start: number;
  attributes: ReadonlyMap<string, string>;
}

/** Returns the fields of a form. donor-sync's pages escape `<` and `>` in attributes, so the next `>` ends the tag. */
function findControls(text: string): Control[] {
  return [...text.matchAll(/<(input|select|option|textarea)\b([^<>]*)>/g)].map((match) => ({
    tag: match[1] ?? '',
    text: match[0],
    start: match.index,
    attributes: readAttributes(match[2] ?? ''),
  }));
}

function readAttributes(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
      name,
      decode(value),
    ]),
  );
}

/** Types of fields that are never filled in: secrets, files, and values that the page itself sets. */
const LEFT_ALONE: ReadonlySet<string> = new Set(['password', 'file', 'hidden', 'submit', 'button']);

function refillForm(form: string, refilling: Refilling): { text: string; isMarked: boolean } {
  const parts: string[] = [];
  let done = 0;
  let isMarked = false;
  for (const control of findControls(form)) {
    const { tag, text, start, attributes } = control;
    // A list's options are handled together with the list.
    if (start < done || tag === 'option') continue;
    const name = attributes.get('name') ?? '';
    const isWrong: boolean = name !== '' && name === refilling.field && !isMarked;
    isMarked ||= isWrong;
    const marked = isWrong ? markWrong(text, attributes) : text;
    const next = { ...control, text: marked, end: start + text.length };
    const refilled = refillControl(form, next, refilling);
    parts.push(form.slice(done, start), refilled.text);
    done = refilled.end;
  }
  // The page's script opens the dialog that contains this form.
  const text = `<form data-refused=""${(parts.join('') + form.slice(done)).slice('<form'.length)}`;
  return { text, isMarked };
}

interface Part {
  text: string;
  /** The position at which the replaced text ends. */
  end: number;
}

function refillControl(form: string, control: Control & Part, refilling: Refilling): Part {
  const { typed, isConflict } = refilling;
  const values = typed.get(control.attributes.get('name') ?? '') ?? null;
  switch (control.tag) {
    case 'input':
      return { text: refillInput(control, values, isConflict), end: control.end };
    case 'textarea':
      return refillTextArea(form, control, values);
    default:
      return refillList(form, control, { values, isConflict });
  }
}

function refillInput(
  { text, attributes }: Control,
  values: readonly string[] | null,
  isConflict: boolean,
): string {
  const type = attributes.get('type') ?? 'text';
  if (!attributes.has('name') || LEFT_ALONE.has(type)) return text;
  if (type === 'checkbox' || type === 'radio') {
    const isOn = values?.includes(attributes.get('value') ?? 'on') ?? false;
    const wasOn = attributes.has('checked');
    const ticked = withAttribute(text, 'checked', isOn ? '' : null);
    if (!isConflict || isOn === wasOn) return ticked;
    return ticked + storedHint(wasOn ? 'selected' : 'not selected');
  }
  const value = values?.at(-1);
  if (value === undefined) return text;
  const stored = attributes.get('value') ?? '';
  const filled = withAttribute(text, 'value', value);
  return isConflict && stored !== value ? filled + storedHint(stored) : filled;
}

function refillTextArea(
  form: string,
  { text, start, end }: Control & Part,
  values: readonly string[] | null,
): Part {
  const close = form.indexOf('</textarea>', start);
  const value = values?.at(-1);
  if (value === undefined || close < 0) return { text, end };
  // Browsers remove the first line feed of a text area, so another line feed is added.
  return { text: `${text}\n${encode(value)}`, end: close };
}

/** Selects the user's value in a list. A value that the list no longer contains cannot be shown. */
function refillList(
  form: string,
  { text, start, end }: Control & Part,
  { values, isConflict }: { values: readonly string[] | null; isConflict: boolean },
): Part {
  const close = form.indexOf('</select>', start);
  const inner = form.slice(end, Math.max(end, close));
  const options = findControls(inner);
  const isChosen = ({ attributes }: Control) =>
    values?.includes(attributes.get('value') ?? '') ?? false;
  if (!options.some(isChosen)) return { text, end };
  let list = text;
  let done = 0;
  for (const option of options) {
    const written = withAttribute(option.text, 'selected', isChosen(option) ? '' : null);
    list += inner.slice(done, option.start) + written;
    done = option.start + option.text.length;
  }
  list += inner.slice(done);
  const stored = options.find(({ attributes }) => attributes.has('selected')) ?? options[0];
  if (!isConflict || stored === undefined || isChosen(stored)) return { text: list, end: close };
  const [label = ''] = inner.slice(stored.start + stored.text.length).split('<', 1);
  return { text: `${list}</select>${storedHint(decode(label))}`, end: close + '</select>'.length };
}

const FOCUS = 'tabindex="-1" autofocus=""';

function markWrong(tag: string, attributes: ReadonlyMap<string, string>): string {
  const described = [attributes.get('aria-describedby'), 'refused'].filter(Boolean).join(' ');
  return [
    ['aria-invalid', 'true'],
    ['aria-describedby', described],
    ['autofocus', ''],
  ].reduce((text, [name = '', value = '']) => withAttribute(text, name, value), tag);
}

/** Returns the tag with this attribute added or removed. */
function withAttribute(tag: string, name: string, value: string | null): string {
  const rest = tag
    .slice(0, -1)
    .replace(/\/$/, '')
    .replaceAll(/ ([\w-]+)(?:="[^"]*")?/g, (attribute, own: string) =>
      own === name ? '' : attribute,
    );
  return value === null ? `${rest}>` : `${rest} ${name}="${encode(value)}">`;
}

function storedHint(value: string): string {
  const text = value === '' ? 'empty' : value;
  return `<span class="hint stored-value">Saved in the other window: <strong>${encode(text)}</strong></span>`;
}

const MAIN = '<main id="main" tabindex="-1">';

/**
 * Adds the problem to the page. The page's script replaces the form's address with `page`, because a reload of the
 * form's address would show nothing.
 */
function withProblem(
  text: string,
  problem: string,
  page: string | null,
  isMarked: boolean,
): string {
  const focus = isMarked ? '' : ` ${FOCUS}`;
  const at = page === null ? '' : ` data-page="${encode(page)}"`;
  const notice = `<div class="trouble trouble-attention" role="alert" id="refused" data-problem=""${at}${focus}><p class="said">${encode(problem)}</p></div>`;
  return text.replace(MAIN, () => MAIN + notice);
}

function toPath(action: string): string {
  return action.split(/[?#]/, 1)[0] ?? '';
}

function encode(text: string): string {
  return String(html`${text}`);
}

/** Decodes the five characters that `hono` escapes. */
function decode(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
