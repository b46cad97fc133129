/** Handles Salesforce's rejections of a change. A rejection names fields or concerns the change as a whole. */
import { foreignCode, foreignFields } from '../../../src/core/foreign-text.ts';
import type { ContactChange, Overwritten, Refusal, WriteResult } from '../../contract.ts';
import { getMeaning, type SalesforceFault, sentenceFor, wordsOfFault } from '../errors.ts';

/** A change in progress. */
export interface SentChange extends ContactChange {
  /** The reasons why fields of the change were omitted. */
  left?: readonly SalesforceFault[];
  /** Set if rejections named no field. These fields are left out to find out whether the change is then accepted. */
  attempt?: Attempt;
  /** Failed attempts for this change, by rule and fields. */
  tried?: readonly string[];
  /** True if the change must be sent alone, because Salesforce accepts it only in this way. */
  alone?: true;
  /** The values that other users had typed into these fields when the change was last sent. */
  overwritten?: Overwritten | undefined;
}

/**
 * Fields that are omitted because of rules that have rejected the change without naming a field.
 */
export interface Attempt {
  /** The values including these fields. */
  values: ContactChange['values'];
  blamed: readonly Blamed[];
}

/** A rejection that names no field, and the suspected fields. */
export interface Blamed {
  fault: SalesforceFault;
  fields: readonly string[];
}

/** A change that was rejected although no field was named. No part of it is written. */
export interface UnnamedRefusal {
  change: SentChange;
  faults: readonly SalesforceFault[];
}

/** Changes that have not been written yet but may still be written. */
export interface Unsettled {
  /** Another user was changing these contacts. */
  locked: SentChange[];
  /** These are to be written again, without some fields. */
  again: SentChange[];
  unnamed: UnnamedRefusal[];
}

export function createUnsettled(): Unsettled {
  return { locked: [], again: [], unnamed: [] };
}

/** The next step for a change after Salesforce's response. A `crowded` change is written again in a smaller group. */
export type Step =
  | { kind: 'done'; result: WriteResult }
  | { kind: 'locked' | 'again' | 'crowded'; change: SentChange }
  | { kind: 'unnamed'; refusal: UnnamedRefusal };

/**
 * Decides the next step. There are no faults if the record was written. `rows` is the number of records that were
 * written together.
 */
export function stepAfter(
  change: SentChange,
  faults: readonly SalesforceFault[],
  rows: number,
): Step {
  const [first] = faults;
  if (first === undefined) return { kind: 'done', result: written(settled(change)) };
  if (getMeaning(first).sort === 'lock') return { kind: 'locked', change };
  if (rows > 1 && faults.some(isCrowded)) return { kind: 'crowded', change };
  const rest = change.together ? null : withoutNamed(settled(change), faults);
  if (rest !== null) return { kind: 'again', change: rest };
  const mayBeSearched = Object.keys(change.values).length > 1 && faults.every(mayBeOfField);
  if (!mayBeSearched || faults.every((fault) => namesOwnField(change, fault))) {
    return { kind: 'done', result: refused(change, faults) };
  }
  return { kind: 'unnamed', refusal: { change, faults } };
}

/** The codes of rejections that one value can cause. The rejection may name no field of the change. */
const ABOUT_VALUES: ReadonlySet<string> = new Set([
  'FIELD_CUSTOM_VALIDATION_EXCEPTION',
  'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY',
  'CANNOT_EXECUTE_FLOW_TRIGGER',
  'STRING_TOO_LONG',
  'NUMBER_OUTSIDE_VALID_RANGE',
  'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
  'INVALID_TYPE_ON_FIELD_IN_RECORD',
  'INVALID_EMAIL_ADDRESS',
  'INVALID_FIELD_FOR_INSERT_UPDATE',
  'DUPLICATE_VALUE',
]);

/** True if the org's triggers exceeded a limit for one transaction. */
export function isCrowded(fault: SalesforceFault): boolean {
  return getMeaning(fault).sort === 'crowded';
}

/** True if one value of a change can cause the rejection. */
export function mayBeOfField(fault: SalesforceFault): boolean {
  return ABOUT_VALUES.has(fault.code) && getMeaning(fault).sort === 'record';
}

/** True if a rejection names a field that the change writes. */
export function namesOwnField({ values }: ContactChange, { fields }: SalesforceFault): boolean {
  return fields.some((name) => Object.hasOwn(values, name));
}

/** Returns the change after an attempt has shown that the omitted fields are the cause. */
function settled({ attempt, left = [], ...change }: SentChange): SentChange {
  if (attempt === undefined) return { ...change, left };
  return { ...change, left: [...left, ...attempt.blamed.map(asNamed)] };
}

/** Returns a rejection as if it had named the fields that caused it. */
export function asNamed({ fault, fields }: Blamed): SalesforceFault {
  return { ...fault, fields };
}

/** Returns the written change, excluding the omitted values. */
export function written({ id, left = [], overwritten }: SentChange): WriteResult {
  const lost = overwritten === undefined ? {} : { overwritten };
  if (left.length === 0) return { status: 'written', id, ...lost };
  return { status: 'written_in_part', id, refusals: toRefusals(left), ...lost };
}

/** Returns the result for a rejected record. */
export function refusal(id: string, fault: SalesforceFault): WriteResult {
  return { status: 'refused', id, ...about(fault) };
}

/**
 * Returns the result for a change that was not written. It contains these reasons and the reasons for fields that were
 * left out before.
 */
export function refused(
  { id, left = [] }: SentChange,
  faults: readonly SalesforceFault[],
): WriteResult {
  const refusals = toRefusals(left);
  const own = refusal(id, combined(faults));
  if (own.status !== 'refused' || refusals.length === 0) return own;
  return {
    ...own,
    message: [own.message, ...refusals.map(({ message }) => message)].join(' '),
    fields: [...new Set([...own.fields, ...refusals.flatMap(({ fields }) => fields)])],
  };
}

/**
 * Returns the change excluding the fields that these errors name, so the rest can be written. Returns null if the
 * errors name no field, if one of them is not about a value, or if nothing would be left.
 */
export function withoutNamed(
  change: SentChange,
  faults: readonly SalesforceFault[],
): SentChange | null {
  const { values, left = [] } = change;
  const own = faults.flatMap((fault): SalesforceFault[] => {
    const fields = fault.fields.filter((name) => Object.hasOwn(values, name));
    return fields.length > 0 && getMeaning(fault).sort === 'record' ? [{ ...fault, fields }] : [];
  });
  const others = faults.filter((fault) => !namesOwnField(change, fault));
  if (own.length === 0 || own.length + others.length < faults.length) return null;
  if (!others.every(mayBeOfField)) return null;
  const named = new Set(own.flatMap(({ fields }) => fields));
  const rest = Object.entries(values).filter(([name]) => !named.has(name));
  if (rest.length === 0) return null;
  return { ...change, values: Object.fromEntries(rest), left: [...left, ...own] };
}

/** Combines several errors of one record. The result has the first error's code and the fields of all errors. */
export function combined(faults: readonly SalesforceFault[]): SalesforceFault {
  const { code, message } = faults[0] ?? { code: 'UNKNOWN_EXCEPTION', message: '' };
  return { code, message, fields: [...new Set(faults.flatMap(({ fields }) => fields))] };
}

/** Rejections whose cause may be gone in a later run. */
const PASSING_SORTS: ReadonlySet<string> = new Set(['lock', 'passing', 'limit', 'session']);

function about(fault: SalesforceFault): Refusal {
  const words = wordsOfFault(fault);
  const { sort, cause } = getMeaning(fault);
  return {
    retriable: PASSING_SORTS.has(sort),
    ...(sort === 'lock' ? { isLock: true } : {}),
    code: foreignCode(fault.code),
    message: sentenceFor(fault),
    fields: foreignFields(fault.fields),
    ...(cause === undefined ? {} : { cause }),
    ...(words === null ? {} : { words }),
  };
}

function toRefusals(faults: readonly SalesforceFault[]): Refusal[] {
  const byCode = Map.groupBy(faults, ({ code }) => code);
  return [...byCode.values()].map((those) => about(combined(those)));
}
