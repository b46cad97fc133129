/** Writes the values of one contact, and finds the values that the CRM refuses although it does not name them. */
import type { FieldValues } from '../../src/core/crm-field.ts';
import type { ContactChange, Refusal, WriteResult } from '../contract.ts';
import {
  afterRefused,
  afterTaken,
  type CulpritSearch,
  isOver,
  learnFrom,
  type RefusedBy,
  type Suspicions,
  searchFor,
} from './culprit-search.ts';

export { createSuspicions, type Suspicions } from './culprit-search.ts';

/** Sends values of one contact. Returns null once the CRM has stored all of them, and its refusal otherwise. */
export type SendValues = (values: FieldValues) => Promise<Refusal | null>;

/**
 * Writes a change. If the CRM refuses it and names a field of it, the other values are written. If it names none, halves
 * are written until the refused value is found, within the limits of `suspicions`, which all changes of a connector share.
 * With `together`, and after a refusal that may pass, everything is refused.
 */
export async function writeInParts(
  { id, values, together = false }: ContactChange,
  suspicions: Suspicions,
  send: SendValues,
): Promise<WriteResult> {
  suspicions.usual += 1;
  const refusals: Refusal[] = [];
  let rest = Object.keys(values);
  for (;;) {
    const refusal = await send(pick(values, rest));
    if (refusal === null) return toResult(id, refusals);
    if (together || refusal.retriable) return refuse(id, refusal, refusals);
    const blamed = rest.filter((name) => refusal.fields.includes(name));
    if (blamed.length === rest.length) return refuse(id, refusal, refusals);
    if (blamed.length === 0) {
      const found = await search(values, rest, refusal, suspicions, send);
      if (found === null) return refuse(id, refusal, refusals);
      return toResult(id, [...refusals, ...found]);
    }
    refusals.push({ ...refusal, fields: blamed });
    rest = rest.filter((name) => !blamed.includes(name));
  }
}

/** Returns the refused fields once all others are written; null if nothing could be written. */
async function search(
  values: FieldValues,
  fields: readonly string[],
  refusal: Refusal,
  suspicions: Suspicions,
  send: SendValues,
): Promise<Refusal[] | null> {
  // A CRM that blames a field of another change would blame it for every part of this one.
  if (refusal.fields.length > 0) return null;
  const rule: RefusedBy = { code: refusal.code, message: refusal.words?.reveal() ?? '' };
  let state: CulpritSearch | null = searchFor(suspicions, rule, fields);
  if (state === null) return null;
  while (!isOver(state)) {
    suspicions.extra += 1;
    const next = await send(pick(values, state.probe));
    state = next === null ? afterTaken(state) : afterRefused(state);
  }
  learnFrom(suspicions, rule, state);
  if (state.written.length === 0) return null;
  return state.culprits.map((name) => ({ ...refusal, fields: [name] }));
}

function pick(values: FieldValues, names: readonly string[]): FieldValues {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}

function toResult(id: string, refusals: readonly Refusal[]): WriteResult {
  return refusals.length === 0
    ? { status: 'written', id }
    : { status: 'written_in_part', id, refusals };
}

function refuse(id: string, refusal: Refusal, before: readonly Refusal[]): WriteResult {
  const fields = [...before, refusal].flatMap((each) => each.fields);
  return { status: 'refused', id, ...refusal, fields: [...new Set(fields)] };
}
