/** Writes the values of one contact. If the CRM refuses values without naming them, finds these values. */
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

/**
 * Sends values of one contact. Returns null if the CRM has stored all values. Returns the CRM's refusal if it has not.
 */
export type SendValues = (values: FieldValues) => Promise<Refusal | null>;

/**
 * The values that the CRM has stored, and the reasons for the other values. If no value was written, the last reason
 * comes from the CRM.
 */
export interface SentInParts {
  written: readonly string[];
  refusals: readonly Refusal[];
}

type RefusesContact = () => Promise<boolean>;

/**
 * Writes the values. If the CRM refuses the change and names a field, writes the other values. If the CRM names no
 * field, writes halves of the change until it finds the refused value. All changes of a connector share the limits in
 * `suspicions`. If the change has `together`, refuses the whole change. Also refuses the whole change if the refusal is
 * temporary or if the CRM user must not write the contact.
 */
export async function writeInParts(
  change: ContactChange,
  suspicions: Suspicions,
  send: SendValues,
): Promise<WriteResult> {
  const { id } = change;
  const { written, refusals } = await sendInParts(change, suspicions, send);
  const last = refusals.at(-1);
  if (last === undefined) return { status: 'written', id };
  if (written.length > 0) return { status: 'written_in_part', id, refusals };
  const fields = refusals.flatMap((each) => each.fields);
  return { status: 'refused', id, ...last, fields: [...new Set(fields)] };
}

/**
 * Writes the values like `writeInParts`, but returns the stored values and the reasons. Searches for a refused value
 * only if `refusesContact` returns false. `refusesContact` is omitted if the CRM offers no such test.
 */
export async function sendInParts(
  { id, values, together = false }: ContactChange,
  suspicions: Suspicions,
  send: SendValues,
  refusesContact?: RefusesContact,
): Promise<SentInParts> {
  suspicions.usual += 1;
  const refusals: Refusal[] = [];
  let rest = Object.keys(values);
  for (;;) {
    const refusal = await send(pickValues(values, rest));
    if (refusal === null) return { written: rest, refusals };
    const refused = { written: [], refusals: [...refusals, refusal] };
    if (isAboutContact(refusal)) return refused;
    if (together) return { written: [], refusals: [...refusals, blame(refusal, rest, suspicions)] };
    const blamed = rest.filter((name) => refusal.fields.includes(name));
    if (blamed.length === rest.length) return refused;
    if (blamed.length === 0) {
      const change = { id, values, fields: rest };
      const found = await search(change, refusal, suspicions, send, refusesContact);
      if (found === null) return refused;
      return { written: found.written, refusals: [...refusals, ...found.refusals] };
    }
    refusals.push({ ...refusal, fields: blamed });
    rest = rest.filter((name) => !blamed.includes(name));
  }
}

function isAboutContact({ retriable, cause, fields }: Refusal): boolean {
  return retriable || (cause === 'no_permission' && fields.length === 0);
}

/** If the CRM names no field, adds the fields that have caused the same refusal for other contacts. */
function blame(refusal: Refusal, names: readonly string[], { culprits }: Suspicions): Refusal {
  const known = culprits.get(refusal.code) ?? new Set();
  const fields = names.filter((name) => known.has(name));
  return refusal.fields.length > 0 || fields.length === 0 ? refusal : toRule(refusal, fields);
}

/** Returns the CRM's reason for a refused value that a search has found. */
function toRule(refusal: Refusal, fields: readonly string[]): Refusal {
  return { ...refusal, cause: refusal.cause ?? 'rule', fields };
}

/**
 * Returns the refused fields after all other fields have been written. Returns null if the search cannot determine the
 * refused fields.
 */
async function search(
  { id, values, fields }: { id: string; values: FieldValues; fields: readonly string[] },
  refusal: Refusal,
  suspicions: Suspicions,
  send: SendValues,
  refusesContact: RefusesContact | undefined,
): Promise<SentInParts | null> {
  // If the CRM blames a field that is not in the change, it would do so for every part of the change.
  if (refusal.fields.length > 0) return null;
  // If `refusesContact` has shown that the CRM accepts changes to the contact, an unsuccessful search says something
  // only about this contact.
  const message = refusesContact === undefined ? (refusal.words?.reveal() ?? '') : id;
  const rule: RefusedBy = { code: refusal.code, message };
  let state: CulpritSearch | null = searchFor(suspicions, rule, fields);
  if (state === null && (fields.length > 1 || refusesContact === undefined)) return null;
  if (await refusesContact?.()) return null;
  if (state === null) return { written: [], refusals: [toRule(refusal, fields)] };
  while (!isOver(state)) {
    suspicions.extra += 1;
    const next = await send(pickValues(values, state.probe));
    state = next === null ? afterTaken(state) : afterRefused(state);
  }
  learnFrom(suspicions, rule, state);
  if (state.written.length === 0) return null;
  return {
    written: state.written,
    refusals: state.culprits.map((name) => toRule(refusal, [name])),
  };
}

export function pickValues(values: FieldValues, names: readonly string[]): FieldValues {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}
