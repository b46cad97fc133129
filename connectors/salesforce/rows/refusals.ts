/** What Salesforce refuses of a change: one field that it names, or the whole of it. */
import { foreignCode, foreignFields } from '../../../src/core/foreign-text.ts';
import type { ContactChange, Refusal, WriteResult } from '../../contract.ts';
import {
  afterRefused,
  afterTaken,
  beginSearch,
  type CulpritSearch,
  isOver,
  learnFrom,
  type Suspicions,
  searchFor,
} from '../../culprit-search.ts';
import { meaningOf, type SalesforceFault, sentenceFor, wordsOfFault } from '../errors.ts';

/** A change on its way. */
export interface SentChange extends ContactChange {
  /** Why fields were left out of it. */
  left?: readonly SalesforceFault[];
  /** Where a refusal named no field: which of them is to blame. */
  search?: { state: CulpritSearch; whole: ContactChange; faults: readonly SalesforceFault[] };
}

/** What follows for a change from what Salesforce said of it. */
export type Step =
  | { kind: 'done'; result: WriteResult }
  | { kind: 'locked' | 'again'; change: SentChange };

/** Decides it; no faults if the record is written. */
export function stepAfter(
  suspicions: Suspicions,
  change: SentChange,
  faults: readonly SalesforceFault[],
): Step {
  const [first] = faults;
  if (first !== undefined && meaningOf(first).sort === 'lock') {
    return { kind: 'locked', change: wholeOf(change) };
  }
  if (change.search !== undefined) return stepOfSearch(suspicions, change, change.search, faults);
  if (first === undefined) return { kind: 'done', result: written(change) };
  const rest = withoutNamed(change, faults);
  if (rest !== null) return { kind: 'again', change: rest };
  const state = faults.some(mayBeOfField)
    ? searchFor(suspicions, first, Object.keys(change.values))
    : null;
  if (state === null) return { kind: 'done', result: refused(change, faults) };
  const whole = { id: change.id, values: change.values };
  return { kind: 'again', change: probeOf({ ...change, search: { state, whole, faults } }, state) };
}

/** Codes of what may be about one value, though they name no field of the change. */
const ABOUT_VALUES: ReadonlySet<string> = new Set([
  'FIELD_CUSTOM_VALIDATION_EXCEPTION',
  'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY',
  'STRING_TOO_LONG',
  'NUMBER_OUTSIDE_VALID_RANGE',
  'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
  'INVALID_TYPE_ON_FIELD_IN_RECORD',
  'INVALID_EMAIL_ADDRESS',
  'INVALID_FIELD_FOR_INSERT_UPDATE',
  'DUPLICATE_VALUE',
]);

function mayBeOfField({ code }: SalesforceFault): boolean {
  return ABOUT_VALUES.has(code);
}

/** Tries a refused change once without the fields that were to blame for others, and no more than that. */
export function tryWithoutKnown(
  { culprits }: Suspicions,
  change: SentChange,
  faults: readonly SalesforceFault[],
): Step {
  const known = culprits.get(faults[0]?.code ?? '') ?? new Set();
  const state = beginSearch(Object.keys(change.values), known, false);
  if (isOver(state)) return { kind: 'done', result: refused(change, faults) };
  const whole = { id: change.id, values: change.values };
  return { kind: 'again', change: probeOf({ ...change, search: { state, whole, faults } }, state) };
}

function stepOfSearch(
  suspicions: Suspicions,
  change: SentChange,
  search: NonNullable<SentChange['search']>,
  faults: readonly SalesforceFault[],
): Step {
  const state = faults.length === 0 ? afterTaken(search.state) : afterRefused(search.state);
  const next = { ...change, search: { ...search, state } };
  if (!isOver(state)) return { kind: 'again', change: probeOf(next, state) };
  const [first] = search.faults;
  if (first !== undefined) learnFrom(suspicions, first, state);
  const whole = wholeOf(change);
  if (state.written.length === 0) {
    return { kind: 'done', result: refused(whole, search.faults) };
  }
  const named = search.faults.map((fault) => ({ ...fault, fields: state.culprits }));
  return { kind: 'done', result: written({ ...whole, left: [...(whole.left ?? []), ...named] }) };
}

/** The change as it was before parts of it were tried. */
function wholeOf({ id, values, left = [], search }: SentChange): SentChange {
  return { id, values: search?.whole.values ?? values, left };
}

function probeOf(change: SentChange, { probe }: CulpritSearch): SentChange {
  const values = Object.entries(change.search?.whole.values ?? change.values);
  return { ...change, values: Object.fromEntries(values.filter(([name]) => probe.includes(name))) };
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
  const { sort } = meaningOf(fault);
  return {
    retriable: PASSING_SORTS.has(sort),
    ...(sort === 'lock' ? { isLock: true } : {}),
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
