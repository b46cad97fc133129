/** Rules by which the account refuses writes. */
import { z } from 'zod';
import type { RuleBook } from '../../crm/control.ts';
import { BloomerangError, invalid } from '../core/errors.ts';

const name = z.string().optional();

export const ruleSchema = z.discriminatedUnion('kind', [
  /** Refuses each change to the listed constituents. */
  z.strictObject({
    kind: z.literal('refuse'),
    name,
    ids: z.array(z.number().int()),
    status: z.literal([400, 403, 409, 423, 500]).default(400),
    message: z.string().default('The constituent cannot be changed.'),
    /** The number of refusals. If the number is omitted, the rule always applies. */
    times: z.number().int().min(1).optional(),
  }),
  /** Refuses values of a custom field. The response can name the field. */
  z.strictObject({
    kind: z.literal('refuseField'),
    name,
    fieldId: z.number().int(),
    ids: z.array(z.number().int()).optional(),
    names: z.boolean().default(false),
  }),
  /** Accepts values of a custom field without an error, but does not store the values. */
  z.strictObject({
    kind: z.literal('ignoreField'),
    name,
    fieldId: z.number().int(),
  }),
]);

export type Rule = z.output<typeof ruleSchema>;

export interface Rules extends RuleBook<Rule> {
  /** Throws an error if a rule refuses the change. */
  check(id: number, fieldIds: readonly number[]): void;
  ignores(fieldId: number): boolean;
}

export function createRules(): Rules {
  let rules: Rule[] = [];
  const struck = new Map<Rule, number>();
  return {
    add: (rule) => void rules.push(rule),
    remove(named) {
      const kept = rules.filter((rule) => rule.name !== named);
      const isFound = kept.length < rules.length;
      rules = kept;
      return isFound;
    },
    clear() {
      rules = [];
      struck.clear();
    },
    list: () => rules,
    check(id, fieldIds) {
      for (const rule of rules) {
        if (rule.kind === 'refuse' && rule.ids.includes(id)) {
          const times = (struck.get(rule) ?? 0) + 1;
          struck.set(rule, times);
          if (rule.times !== undefined && times > rule.times) continue;
          throw new BloomerangError(rule.status, rule.message);
        }
        if (rule.kind !== 'refuseField' || !fieldIds.includes(rule.fieldId)) continue;
        if (rule.ids !== undefined && !rule.ids.includes(id)) continue;
        throw rule.names
          ? invalid(`The value of custom field ${rule.fieldId} is not allowed.`)
          : invalid('A value is not allowed.');
      }
    },
    ignores: (fieldId) =>
      rules.some((rule) => rule.kind === 'ignoreField' && rule.fieldId === fieldId),
  };
}
