/** Evaluates the `where` conditions of APIv4 with the three truth values of SQL: true, false and unknown (null). */

import { ApiError } from '../core/errors.ts';

/** Returns a field's value for comparisons, or undefined if the field does not exist. */
export type ReadField = (field: string) => unknown;

/**
 * A condition that a field evaluates in its own way. Returns undefined if the field's value must be compared normally.
 */
export type SpecialCondition = (
  field: string,
  operator: string,
  value: unknown,
) => boolean | undefined;

export function meets(
  where: readonly unknown[],
  readField: ReadField,
  special: SpecialCondition = () => undefined,
): boolean {
  return where.every((clause) => judge(clause, readField, special) === true);
}

type Truth = boolean | null;

function judge(clause: unknown, readField: ReadField, special: SpecialCondition): Truth {
  if (!Array.isArray(clause) || typeof clause[0] !== 'string') throw new ApiError('Invalid where');
  const [name, second, third] = clause;
  if (name === 'AND' || name === 'OR') {
    const truths = toList(second).map((each) => judge(each, readField, special));
    const decisive = name === 'OR';
    if (truths.includes(decisive)) return decisive;
    return truths.includes(null) ? null : !decisive;
  }
  if (name === 'NOT') {
    const inner = toList(second);
    const isLeaf = typeof inner[0] === 'string';
    const truth = judge(isLeaf ? inner : ['AND', inner], readField, special);
    return truth === null ? null : !truth;
  }
  const operator = String(second);
  const own = special(name, operator, third);
  if (own !== undefined) return own;
  const value = readField(name);
  if (value === undefined) throw new ApiError(`Invalid field '${name}'`);
  return compare(value, operator, third);
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function compare(value: unknown, operator: string, wanted: unknown): Truth {
  switch (operator) {
    case 'IS NULL':
      return value === null;
    case 'IS NOT NULL':
      return value !== null;
    case 'IS EMPTY':
      return value === null || value === '' || value === false || value === 0;
    case 'IS NOT EMPTY':
      return !(value === null || value === '' || value === false || value === 0);
  }
  if (value === null) return null;
  switch (operator) {
    case '=':
      return isEqual(value, wanted);
    case '!=':
    case '<>':
      return !isEqual(value, wanted);
    case 'IN':
      return toList(wanted).some((each) => isEqual(value, each));
    case 'NOT IN':
      return !toList(wanted).some((each) => isEqual(value, each));
    case 'LIKE':
      return isLike(value, wanted);
    case 'NOT LIKE':
      return !isLike(value, wanted);
    case 'CONTAINS':
      return Array.isArray(value)
        ? toList(Array.isArray(wanted) ? wanted : [wanted]).every((each) =>
            value.some((one) => isEqual(one, each)),
          )
        : toKey(value).includes(toKey(wanted));
    case 'BETWEEN': {
      const [from, to] = toList(wanted);
      return order(value, from) >= 0 && order(value, to) <= 0;
    }
    case '<':
      return order(value, wanted) < 0;
    case '<=':
      return order(value, wanted) <= 0;
    case '>':
      return order(value, wanted) > 0;
    case '>=':
      return order(value, wanted) >= 0;
    default:
      throw new ApiError('Illegal operator');
  }
}

function isEqual(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(value)) return value.some((each) => isEqual(each, wanted));
  return toKey(value) === toKey(wanted);
}

export function order(value: unknown, other: unknown): number {
  const [one, two] = [Number(value), Number(other)];
  if (!Number.isNaN(one) && !Number.isNaN(two)) return one - two;
  return toKey(value) < toKey(other) ? -1 : toKey(value) > toKey(other) ? 1 : 0;
}

/**
 * Returns a key for comparisons that ignores letter case and accents, as MySQL's usual collation does. The values true
 * and 1 have one key.
 */
function toKey(value: unknown): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return String(value ?? '')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .trimEnd();
}

function isLike(value: unknown, wanted: unknown): boolean {
  const pattern = toKey(wanted)
    .split('%')
    .map((part) => part.replaceAll(/[\\^$.|?+()[\]{}*]/g, '\\$&').replaceAll('_', '.'))
    .join('[^]*');
  return new RegExp(`^${pattern}$`).test(toKey(value));
}
