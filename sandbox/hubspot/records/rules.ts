/** Rules and automations of administrators that reject writes. */

import { z } from 'zod';
import { type ErrorDetail, HubspotError } from '../core/errors.ts';
import { findObjectType, type ObjectType } from '../core/object-type.ts';
import type { ValueError, Values } from '../properties/property-values.ts';

/** The name with which the rule can be removed. */
const name = z.string().optional();
const type = z.string().default('contacts');
const when = z.strictObject({ property: z.string(), equals: z.string() });

/** The schema of a rule. */
export const ruleSchema = z.discriminatedUnion('kind', [
  /** Rejects a whole request if the value of a property does not match the pattern. */
  z.strictObject({
    kind: z.literal('validation'),
    name,
    type,
    property: z.string(),
    /** A regular expression, for example `^[A-Za-z]+$`. */
    pattern: z.string(),
    /** The message, which can quote the value: `{value} is not allowed here`. */
    message: z.string().default('Enter only letters'),
    error: z.string().default('INVALID_ALPHA'),
    /** If false, the response contains only the message, without a property or a value. */
    named: z.boolean().default(true),
  }),
  /**
   * Makes a property required, either always or if another property has a given value. Only API version 2026-09
   * enforces this rule.
   */
  z.strictObject({
    kind: z.literal('required'),
    name,
    type,
    property: z.string(),
    when: when.optional(),
  }),
  /** Rejects single records by their ID, or by a value that they have after the write. */
  z.strictObject({
    kind: z.literal('refuse'),
    name,
    type,
    ids: z.array(z.string()).default([]),
    when: when.optional(),
    category: z.string().default('VALIDATION_ERROR'),
    /** The message, which can quote values of the record: `{!lastname} is not to be edited.` */
    message: z.string().default('The record cannot be edited.'),
    /** The property that the error names. If a property is set, the rule rejects only writes to this property. */
    property: z.string().optional(),
    /** The number of rejections. If the number is omitted, the rule always applies. */
    times: z.number().int().min(1).optional(),
  }),
  /** Makes reading single records in a batch fail. Each failure is a separate error in a 207 response. */
  z.strictObject({
    kind: z.literal('unreadable'),
    name,
    type,
    ids: z.array(z.string()),
    category: z.string().default('INTERNAL_ERROR'),
    message: z.string().default('The record could not be read.'),
    /** The number of failures. If the number is omitted, the rule always applies. */
    times: z.number().int().min(1).optional(),
  }),
]);

export type Rule = z.output<typeof ruleSchema>;

/** The rules of an account. */
export interface Rules {
  /** Adds a rule. Throws an error if its object type is unknown or its pattern is invalid. */
  add(rule: Rule): void;
  /** Removes a rule. Returns false if no rule has the name. */
  remove(name: string): boolean;
  clear(): void;
  list(): readonly Rule[];
  /** Returns the errors of validation rules for values that a client wants to write. */
  checkValues(type: ObjectType, values: Values): ValueError[];
  /** Returns the required properties that would have no value after a write. */
  findMissing(type: ObjectType, after: ValueOf): ErrorDetail[];
  /** Returns the reason why a rule rejects this record, or undefined if no rule rejects it. */
  refusal(
    type: ObjectType,
    id: string | null,
    after: ValueOf,
    written: Values,
  ): HubspotError | undefined;
  /** Returns the reason why a batch cannot read this record, or undefined if it can read the record. */
  unreadable(type: ObjectType, id: string): HubspotError | undefined;
}

/** Returns a property's value after the write. Returns an empty string if the property has no value. */
export type ValueOf = (property: string) => string;

/** Creates an empty set of rules. */
export function createRules(): Rules {
  let rules: Rule[] = [];
  const struck = new Map<Rule, number>();
  const rulesOf = (of: ObjectType) => rules.filter((rule) => findObjectType(rule.type) === of);

  return {
    add(rule) {
      findObjectType(rule.type);
      if (rule.kind === 'validation') new RegExp(rule.pattern);
      rules.push(rule);
    },
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
    checkValues: (of, values) =>
      rulesOf(of).flatMap((rule): ValueError[] => {
        if (rule.kind !== 'validation') return [];
        const { property: valueName, message, error, pattern, named } = rule;
        const value = values[valueName] ?? '';
        if (value === '' || new RegExp(pattern).test(value)) return [];
        if (!named) throw new HubspotError(400, 'VALIDATION_ERROR', message);
        return [
          { isValid: false, message: message.replaceAll('{value}', value), error, name: valueName },
        ];
      }),
    findMissing: (of, after) =>
      rulesOf(of).flatMap((rule): ErrorDetail[] => {
        if (rule.kind !== 'required' || after(rule.property) !== '') return [];
        if (rule.when !== undefined && !holds(rule.when, after)) return [];
        return [missingDetail(rule)];
      }),
    refusal(of, id, after, written) {
      const rule = rulesOf(of).find(
        (one) =>
          one.kind === 'refuse' &&
          (one.property === undefined || one.property in written) &&
          concerns(one, id, after) &&
          mayStrikeAgain(one, struck),
      );
      return rule?.kind === 'refuse' ? strike(rule, after) : undefined;
    },
    unreadable(of, id) {
      const rule = rulesOf(of).find(
        (one) => one.kind === 'unreadable' && one.ids.includes(id) && mayStrikeAgain(one, struck),
      );
      return rule?.kind === 'unreadable' ? strike(rule) : undefined;
    },
  };

  function strike(rule: Striking, after: ValueOf = () => ''): HubspotError {
    struck.set(rule, (struck.get(rule) ?? 0) + 1);
    const message = rule.message.replaceAll(/\{!(\w+)\}/g, (_, name: string) => after(name));
    const { property } = { property: undefined, ...rule };
    const context = { propertyName: [property ?? ''] };
    const errors = [{ message, code: rule.category, context }];
    return new HubspotError(400, rule.category, message, property === undefined ? {} : { errors });
  }
}

type Refusal = Extract<Rule, { kind: 'refuse' }>;
type Striking = Refusal | Extract<Rule, { kind: 'unreadable' }>;

function concerns(rule: Refusal, id: string | null, after: ValueOf): boolean {
  const isNamed = id !== null && rule.ids.includes(id);
  return isNamed || (rule.when !== undefined && holds(rule.when, after));
}

function mayStrikeAgain(rule: Striking, struck: ReadonlyMap<Rule, number>): boolean {
  return rule.times === undefined || (struck.get(rule) ?? 0) < rule.times;
}

function holds({ property, equals }: z.output<typeof when>, after: ValueOf): boolean {
  return after(property) === equals;
}

function missingDetail({ property, when: condition }: Extract<Rule, { kind: 'required' }>) {
  const context = { propertyName: [property] };
  return condition === undefined
    ? { message: `Property "${property}" is required`, code: 'MISSING_REQUIRED_PROPERTY', context }
    : {
        message: `Property "${property}" is required when "${condition.property}" is "${condition.equals}"`,
        code: 'MISSING_CONDITIONAL_REQUIRED_PROPERTY',
        context,
      };
}
