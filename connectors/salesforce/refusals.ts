/** What Salesforce refuses of a change: one field that it names, or the whole of it. */
import { foreignCode, foreignFields } from '../../src/core/foreign-text.ts';
import type { ContactChange, Refusal, WriteResult } from '../contract.ts';
import { meaningOf, type SalesforceFault, sentenceFor, wordsOfFault } from './errors.ts';

/** A change on its way. */
export interface SentChange extends ContactChange {
  /** Why fields were left out of it. */
  left?: readonly SalesforceFault[];
}

/** The change as written, but for what was left out of it. */
export function written({ id, left = [] }: SentChange): WriteResult {
  if (left.length === 0) return { status: 'written', id };
  return { status: 'written_in_part', id, refusals: refusalsOf(left) };
}

/** A refused record in words. */
export function refusal(id: string, fault: SalesforceFault): WriteResult {
  return { status: 'refused', id, ...about(fault) };
}

/** Nothing of the change is written, for these reasons and those that left fields out before. */
export function refused(
  { id, left = [] }: SentChange,
  faults: readonly SalesforceFault[],
): WriteResult {
  const refusals = refusalsOf(left);
  const own = refusal(id, combined(faults));
  if (own.status !== 'refused' || refusals.length === 0) return own;
  return {
    ...own,
    message: [own.message, ...refusals.map(({ message }) => message)].join(' '),
    fields: [...new Set([...own.fields, ...refusals.flatMap(({ fields }) => fields)])],
  };
}

/**
 * The change without the fields that these errors name, so that the rest of it can be written; null if
 * one of them is not about a field of the change, or if nothing would be left.
 */
export function withoutNamed(
  { id, values, left = [] }: SentChange,
  faults: readonly SalesforceFault[],
): SentChange | null {
  const own = faults.map((fault) => ({
    ...fault,
    fields: fault.fields.filter((name) => Object.hasOwn(values, name)),
  }));
  const isAboutFields = (fault: SalesforceFault) =>
    fault.fields.length > 0 && meaningOf(fault).sort === 'record';
  if (own.length === 0 || !own.every(isAboutFields)) return null;
  const named = new Set(own.flatMap(({ fields }) => fields));
  const rest = Object.entries(values).filter(([name]) => !named.has(name));
  if (rest.length === 0) return null;
  return { id, values: Object.fromEntries(rest), left: [...left, ...own] };
}

/** Several errors of one record, named by the first of them, with the fields of all. */
export function combined(faults: readonly SalesforceFault[]): SalesforceFault {
  const { code, message } = faults[0] ?? { code: 'UNKNOWN_EXCEPTION', message: '' };
  return { code, message, fields: [...new Set(faults.flatMap(({ fields }) => fields))] };
}

/** Which refusals a later run may get past. */
const PASSING_SORTS: ReadonlySet<string> = new Set(['lock', 'passing', 'limit', 'session']);

function about(fault: SalesforceFault): Refusal {
  const words = wordsOfFault(fault);
  return {
    retriable: PASSING_SORTS.has(meaningOf(fault).sort),
    code: foreignCode(fault.code),
    message: sentenceFor(fault),
    fields: foreignFields(fault.fields),
    ...(words === null ? {} : { words }),
  };
}

/** One for each code, with all its fields. */
function refusalsOf(faults: readonly SalesforceFault[]): Refusal[] {
  const byCode = Map.groupBy(faults, ({ code }) => code);
  return [...byCode.values()].map((those) => about(combined(those)));
}
