/**
 * Defines conditions and changes of contacts as data. This file evaluates the data for one row, and `apply-events.ts`
 * turns the same data into SQL for many rows. A test checks that both give the same result.
 */
import type { Selectable } from 'kysely';
import type { Tables } from '../../database/tables/tables.ts';

export type ContactRow = Selectable<Tables['contacts']>;

/** The columns that events set or read. */
export const COLUMNS = [
  'identity',
  'eligible',
  'due_reason',
  'priority',
  'asked_identity',
  'asked_at',
  'last_credit',
  'tracking_id',
  'donor_id',
  'enhanced_at',
  'owned_values',
  'values_donor',
  'values_identity',
  'outcome_reason',
  'outcome_run',
  'outcome_at',
  'outcome_detail',
  'seen_run',
  'departure_read',
  'merged_into',
  'has_opted_out',
  'missing_since',
] as const satisfies readonly (keyof ContactRow)[];

export type Column = (typeof COLUMNS)[number];

/** The values that an event provides. Each contact can have its own values. */
export type Given = Partial<Pick<ContactRow, Column>>;

export type Scalar = string | number | null;

/** The source of a value. */
export type Value =
  | Scalar
  /** The value that the contact had before the event. */
  | { own: Column }
  /** A value that the event provides. */
  | { given: Column }
  /** The ID of the run that acts, or the current time (epoch ms). */
  | { moment: 'id' | 'now' }
  | { if: Condition; then: Value; else: Value };

export type Condition =
  | { equal: readonly [Value, Value] }
  | { isNull: Value }
  | { oneOf: readonly [Value, readonly string[]] }
  | { not: Condition }
  | { all: readonly Condition[] }
  | { any: readonly Condition[] };

export type Changes = { readonly [C in Column]?: Value };

/** The run that acts, and the current time. A user's decision does not belong to a run. */
export interface ChangeContext {
  id?: string;
  now: number;
}

export const RUN: Value = { moment: 'id' };
export const NOW: Value = { moment: 'now' };
export const own = (column: Column): Value => ({ own: column });
export const given = (column: Column): Value => ({ given: column });
export const choice = (condition: Condition, then: Value, otherwise: Value): Value => ({
  if: condition,
  then,
  else: otherwise,
});
export const equal = (one: Value, other: Value): Condition => ({ equal: [one, other] });
export const isNull = (value: Value): Condition => ({ isNull: value });
export const oneOf = (value: Value, words: readonly string[]): Condition => ({
  oneOf: [value, words],
});
export const not = (condition: Condition): Condition => ({ not: condition });
export const all = (...conditions: Condition[]): Condition => ({ all: conditions });
export const any = (...conditions: Condition[]): Condition => ({ any: conditions });

export interface Known {
  row: ContactRow;
  given: Given;
  moment: ChangeContext;
}

/** Reads a value for one contact. A pure function. */
export function read(value: Value, known: Known): Scalar {
  if (value === null || typeof value !== 'object') return value;
  if ('own' in value) return known.row[value.own];
  if ('given' in value) return required(known.given[value.given], value.given);
  if ('moment' in value) return required(known.moment[value.moment], value.moment);
  return read(holds(value.if, known) ? value.then : value.else, known);
}

/** True if the condition is met for one contact. As in SQL, no value equals null. */
export function holds(condition: Condition, known: Known): boolean {
  if ('equal' in condition) {
    const one = read(condition.equal[0], known);
    return one !== null && one === read(condition.equal[1], known);
  }
  if ('isNull' in condition) return read(condition.isNull, known) === null;
  if ('oneOf' in condition) {
    const value = read(condition.oneOf[0], known);
    return typeof value === 'string' && condition.oneOf[1].includes(value);
  }
  if ('not' in condition) return !holds(condition.not, known);
  if ('all' in condition) return condition.all.every((each) => holds(each, known));
  return condition.any.some((each) => holds(each, known));
}

export function givenIn(part: Value | Condition | undefined): Set<Column> {
  if (part === null || typeof part !== 'object') return new Set();
  if ('given' in part) return new Set([part.given]);
  if ('own' in part || 'moment' in part) return new Set();
  return new Set(listParts(part).flatMap((inner) => [...givenIn(inner)]));
}

function listParts(
  part: Extract<Value, { if: Condition }> | Condition,
): readonly (Value | Condition)[] {
  if ('if' in part) return [part.if, part.then, part.else];
  if ('equal' in part) return part.equal;
  if ('isNull' in part) return [part.isNull];
  if ('oneOf' in part) return [part.oneOf[0]];
  if ('not' in part) return [part.not];
  return 'all' in part ? part.all : part.any;
}

export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`the event brings no ${name}`);
  return value;
}
