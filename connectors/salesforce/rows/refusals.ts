/** Handles changes that Salesforce rejects. An error names fields or concerns the whole change. */
import { foreignCode, foreignFields } from '../../../src/core/foreign-text.ts';
import type { ContactChange, Overwritten, Refusal, WriteResult } from '../../contract.ts';
import { getMeaning, type SalesforceFault, sentenceFor, wordsOfFault } from '../errors.ts';

/** A change that has been sent to Salesforce but has no final result yet. */
export interface SentChange extends ContactChange {
  /** The fields of the change that donor-sync omitted, with the errors that caused the omission. */
  left?: readonly SalesforceFault[];
  /**
   * Set if Salesforce's errors named no field. donor-sync omits these fields to find out whether Salesforce then
   * accepts the change.
   */
  attempt?: Attempt;
  /** The rules and fields of earlier unsuccessful attempts with this change. */
  tried?: readonly string[];
  /** True if donor-sync must send the change alone, because Salesforce rejects it in a group. */
  alone?: true;
  /** The values that other users had typed into these fields before the change was last sent. */
  overwritten?: Overwritten | undefined;
}

/** Fields that are omitted because a rule has rejected the change without naming a field. */
export interface Attempt {
  /** The complete values, with the omitted fields. */
  values: ContactChange['values'];
  blamed: readonly Blamed[];
}

/** An error that names no field, and the fields that probably cause it. */
export interface Blamed {
  fault: SalesforceFault;
  fields: readonly string[];
}

/** A change that Salesforce rejected without naming a field. Salesforce has not written any value of the change. */
export interface UnnamedRefusal {
  change: SentChange;
  faults: readonly SalesforceFault[];
}

/** Changes that have no final result yet. */
export interface Unsettled {
  /** Changes to contacts that another user was changing at the same time. */
  locked: SentChange[];
  /** Changes that donor-sync must write again without some of their fields. */
  again: SentChange[];
  unnamed: UnnamedRefusal[];
}

export function createUnsettled(): Unsettled {
  return { locked: [], again: [], unnamed: [] };
}

/**
 * The next step for a change after Salesforce's response. If the step is `crowded`, donor-sync writes the change again
 * in a smaller group.
 */
export type Step =
  | { kind: 'done'; result: WriteResult }
  | { kind: 'locked' | 'again' | 'crowded'; change: SentChange }
  | { kind: 'unnamed'; refusal: UnnamedRefusal };

/**
 * Decides the next step for a change after Salesforce's response. The list of faults is empty if the record was
 * written. The argument `rows` is the number of records that were written together.
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

/** The codes of errors that a single value can cause, although the error may name no field of the change. */
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

/** Returns true if the org's triggers exceeded a transaction limit. */
export function isCrowded(fault: SalesforceFault): boolean {
  return getMeaning(fault).sort === 'crowded';
}

/** Returns true if a single value of the change can cause the error. */
export function mayBeOfField(fault: SalesforceFault): boolean {
  return ABOUT_VALUES.has(fault.code) && getMeaning(fault).sort === 'record';
}

/** Returns true if the error names a field that the change writes. */
export function namesOwnField({ values }: ContactChange, { fields }: SalesforceFault): boolean {
  return fields.some((name) => Object.hasOwn(values, name));
}

/** Returns the change after an attempt has shown that the omitted fields cause the rejection. */
function settled({ attempt, left = [], ...change }: SentChange): SentChange {
  if (attempt === undefined) return { ...change, left };
  return { ...change, left: [...left, ...attempt.blamed.map(asNamed)] };
}

/** Adds the names of the fields that caused the error to the error. */
export function asNamed({ fault, fields }: Blamed): SalesforceFault {
  return { ...fault, fields };
}

/** Returns the result for a written change, without the values that donor-sync omitted. */
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
 * Returns the result for a change that was not written. The result contains these errors, and the errors because of
 * which fields were omitted before.
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
 * Returns the change without the fields that these errors name, so that the remaining fields can be written. Returns
 * null if the errors name no field, if an error is not about a value, or if no field would remain.
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

/**
 * Combines the errors of one record. The combined error has the code of the first error and the fields of all errors.
 */
export function combined(faults: readonly SalesforceFault[]): SalesforceFault {
  const { code, message } = faults[0] ?? { code: 'UNKNOWN_EXCEPTION', message: '' };
  return { code, message, fields: [...new Set(faults.flatMap(({ fields }) => fields))] };
}

/** The kinds of errors that may not occur again in a later run. */
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
