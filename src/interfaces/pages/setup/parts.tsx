/** Small parts that the set-up's forms share. */
import type { Child, PropsWithChildren } from 'hono/jsx';
import { Icon } from '../frame/parts.tsx';

/** Renders a field with its label and a help text. */
export function Field(props: {
  name: string;
  label: string;
  hint?: Child;
  type?: string;
  value?: string | null | undefined;
  placeholder?: string;
  isNeeded?: boolean;
  inputmode?: 'numeric';
  list?: string;
  /** True if the script fills the browser's time zone into an empty field. */
  isOwnZone?: boolean;
  /** An ID that distinguishes fields with the same name on a page. */
  id?: string;
}) {
  const { name, label, hint, type = 'text', value, placeholder, isNeeded = false, list } = props;
  const id = props.id ?? `f-${name}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type={type}
        placeholder={placeholder}
        list={list}
        required={isNeeded}
        inputmode={props.inputmode}
        value={value ?? undefined}
        autocomplete={type === 'password' ? 'new-password' : 'off'}
        {...(hint ? { 'aria-describedby': `${id}-hint` } : {})}
        {...(props.isOwnZone ? { 'data-own-zone': true } : {})}
      />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Renders a list in which users choose one option. */
export function Choice(props: {
  name: string;
  label: string;
  hint?: string | undefined;
  value: string;
  options: readonly { value: string; label: string; hint?: string }[];
  isQuiet?: boolean;
}) {
  const { name, label, hint, value, options, isQuiet = false } = props;
  const id = `f-${name}`;
  return (
    <div class="field">
      <label for={id} class={isQuiet ? 'hidden' : ''}>
        {label}
      </label>
      <select
        id={id}
        name={name}
        data-combobox
        {...(hint ? { 'aria-describedby': `${id}-hint` } : {})}
      >
        {options.map((option) => (
          <option value={option.value} selected={option.value === value}>
            {option.hint === undefined ? option.label : `${option.label}: ${option.hint}`}
          </option>
        ))}
      </select>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Renders a list in which users choose several options. */
export function Ticks(props: {
  name: string;
  legend: string;
  hint?: string | undefined;
  chosen: readonly string[];
  options: readonly string[];
}) {
  const { name, legend, hint, chosen, options } = props;
  return (
    <fieldset class="ticks">
      <legend>{legend}</legend>
      {hint && <p class="hint">{hint}</p>}
      <div>
        {options.map((option) => (
          <label>
            <input type="checkbox" name={name} value={option} checked={chosen.includes(option)} />
            <span>{option}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Renders the problem. The problem is shown next to the field that the user has to correct. */
export function Problem({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <div class="trouble trouble-attention" role="alert" id="refused" data-problem>
      <Icon kind="attention" />
      <p class="said">{text}</p>
    </div>
  );
}

/** Renders the buttons at the end of a step: back, other actions, and continue. */
export function FormButtons(
  props: PropsWithChildren<{ back: string | null; label?: string; isQuiet?: boolean }>,
) {
  const { back, label = 'Save and continue', isQuiet = false, children } = props;
  return (
    <div class="onward row">
      {back !== null && (
        <a class="button" href={back}>
          ← Back
        </a>
      )}
      {children}
      <button type="submit" class={isQuiet ? 'button' : 'button primary'} name="do" value="save">
        {label}
      </button>
    </div>
  );
}
