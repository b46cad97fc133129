/** Simulates extensions and users that refuse, lock or change values during a write. */

import { z } from 'zod';
import { ApiError, PhpFatalError } from '../core/errors.ts';

const ids = z.array(z.number().int());

export const ruleSchema = z.discriminatedUnion('kind', [
  /** Simulates a hook that refuses every change to the listed contacts. */
  z.strictObject({ kind: z.literal('refuse'), name: z.string().default('refuse'), ids }),
  /**
   * Simulates a hook that refuses values in the given field if the values match the pattern. The rule applies to the
   * listed contacts, or to all contacts.
   */
  z.strictObject({
    kind: z.literal('refuseField'),
    name: z.string().default('refuseField'),
    field: z.string(),
    ids: ids.nullable().default(null),
    pattern: z.string().default('[^]'),
  }),
  /** Simulates a MySQL lock on the listed contacts. MySQL reports the lock for the given number of attempts. */
  z.strictObject({
    kind: z.literal('lock'),
    name: z.string().default('lock'),
    ids,
    times: z.number().int().min(1),
  }),
  /** Simulates a hook that makes PHP stop when someone changes one of the listed contacts. */
  z.strictObject({ kind: z.literal('fatal'), name: z.string().default('fatal'), ids }),
  /** A hook changes every text that is written into this field. */
  z.strictObject({
    kind: z.literal('upperCase'),
    name: z.string().default('upperCase'),
    field: z.string(),
  }),
]);

export type Rule = z.output<typeof ruleSchema>;

export interface Rules {
  add(rule: Rule): void;
  remove(name: string): boolean;
  clear(): void;
  list(): readonly Rule[];
  /** Throws the error of the first rule that refuses the change. */
  check(id: number, values: Readonly<Record<string, unknown>>): void;
  /** Returns the value that a hook stores in the place of the written value. */
  change(field: string, value: unknown): unknown;
}

export function createRules(): Rules {
  let rules: Rule[] = [];
  return {
    add: (rule) => void rules.push(rule),
    remove(name) {
      const before = rules.length;
      rules = rules.filter((rule) => rule.name !== name);
      return rules.length < before;
    },
    clear() {
      rules = [];
    },
    list: () => rules,
    check(id, values) {
      for (const rule of rules) {
        if (rule.kind === 'refuse' && rule.ids.includes(id)) {
          throw new ApiError('This contact is protected by an extension.');
        }
        if (rule.kind === 'fatal' && rule.ids.includes(id)) {
          throw new PhpFatalError('Allowed memory size exhausted');
        }
        if (rule.kind === 'refuseField' && isRefused(rule, id, values)) {
          throw new ApiError(`The value of ${rule.field} is not allowed by an extension.`);
        }
        if (rule.kind === 'lock' && rule.ids.includes(id) && rule.times > 0) {
          rule.times -= 1;
          throw new ApiError('DB Error: Deadlock found when trying to get lock');
        }
      }
    },
    change: (field, value) =>
      typeof value === 'string' &&
      rules.some((rule) => rule.kind === 'upperCase' && rule.field === field)
        ? value.toUpperCase()
        : value,
  };
}

function isRefused(
  rule: Extract<Rule, { kind: 'refuseField' }>,
  id: number,
  values: Readonly<Record<string, unknown>>,
): boolean {
  if (rule.ids !== null && !rule.ids.includes(id)) return false;
  const value = values[rule.field];
  return value != null && value !== '' && new RegExp(rule.pattern).test(String(value));
}
