/**
 * Rules that an administrator can set up. The rules are validation rules, duplicate rules and triggers. A trigger
 * rejects writes, or it exceeds a Salesforce transaction limit.
 */

import { z } from 'zod';
import { quoted } from '../core/database.ts';
import { type RecordError, recordError } from '../core/errors.ts';
import type { User } from '../metadata/access.ts';
import { findField, type ObjectType } from '../metadata/object-type.ts';
import { type QueryOrg, runQuery } from '../query/query.ts';

/** The schema of a rule. */
export const ruleSchema = z.discriminatedUnion('kind', [
  /** Rejects records that meet a SOQL condition after the write. */
  z.strictObject({
    kind: z.literal('validation'),
    /** The name with which the rule can be removed. */
    name: z.string().optional(),
    type: z.string(),
    /** The condition, for example `MailingCountry = 'Narnia'`. */
    when: z.string().min(1),
    /** The message, which can quote values of the record as in Apex: `{!LastName} is worth {!Worth__c}`. */
    message: z.string().min(1),
    /** The field that the error names. */
    field: z.string().optional(),
    /** The error code, for example `CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY` for a trigger. */
    statusCode: z.string().default('FIELD_CUSTOM_VALIDATION_EXCEPTION'),
  }),
  /** Rejects a record if another record has the same values in all of these fields. */
  z.strictObject({
    kind: z.literal('duplicate'),
    name: z.string().optional(),
    type: z.string(),
    fields: z.array(z.string()).min(1),
    message: z.string().default('Use one of these records?'),
  }),
  /**
   * Exceeds a Salesforce limit if a transaction contains more than `records` records. If the limit is exceeded,
   * Salesforce writes none of the records.
   */
  z.strictObject({
    kind: z.literal('limit'),
    name: z.string().optional(),
    type: z.string(),
    /** The maximum number of records that stay below the limit. */
    records: z.number().int().min(0),
    /** The limit is exceeded only if the transaction contains the record with this ID. */
    only: z.string().optional(),
    /**
     * The number of times that the rule exceeds the limit. If the number is omitted, the rule always exceeds the limit.
     * In a real org, the processor time differs from one transaction to the next.
     */
    times: z.number().int().min(1).optional(),
    statusCode: z.string().default('CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY'),
    message: z
      .string()
      .default(
        'npsp.TDTM_Contact: System.LimitException: npsp:Apex CPU time limit exceeded: (System Code)',
      ),
  }),
]);

export type Rule = z.output<typeof ruleSchema>;

/** The rules of an org. */
export interface Rules {
  /** Adds a rule. Throws a SalesforceError if the rule names something that does not exist. */
  add(rule: Rule): void;
  /** Removes a rule. Returns false if no rule has the name. */
  remove(name: string): boolean;
  clear(): void;
  list(): readonly Rule[];
  /** Returns true if there are rules for the object. */
  concern(type: ObjectType): boolean;
  /** Returns an error that applies to every record of the transaction. Returns undefined if no limit is exceeded. */
  exceed(type: ObjectType, ids: readonly string[]): RecordError | undefined;
  /** Returns the errors of rules for a record in its current state. */
  check(type: ObjectType, id: string, options: { allowDuplicates: boolean }): RecordError[];
}

/** Creates an empty set of rules. `seer` is a user who can see all fields that rules may name. */
export function createRules(org: QueryOrg, seer: User): Rules {
  let rules: Rule[] = [];
  /** For each limit, the number of times that it has been exceeded. */
  const exceeded = new Map<Rule, number>();

  function meets(type: ObjectType, id: string, when: string): boolean {
    const soql = `SELECT Id FROM ${type.name} WHERE Id = '${id}' AND (${when})`;
    return runQuery(org, soql, seer, { basePath: '' }).total > 0;
  }

  function hasTwin(type: ObjectType, id: string, fields: readonly string[]): boolean {
    const same = fields.map((field) => `o.${quoted(field)} = r.${quoted(field)}`).join(' and ');
    const table = quoted(type.name);
    const sql = `select 1 from ${table} r join ${table} o on ${same}
      where r."Id" = ? and o."Id" <> r."Id" and o."IsDeleted" = 0`;
    return org.db.prepare(sql).get(id) !== undefined;
  }

  function quoteValues(type: ObjectType, id: string, message: string): string {
    return message.replaceAll(/\{!(\w+)\}/g, (_, name: string) => {
      const field = findField(type, name);
      if (field === undefined) return '';
      const sql = `select ${quoted(field.name)} as value from ${quoted(type.name)} where "Id" = ?`;
      const row = z.object({ value: z.unknown() }).parse(org.db.prepare(sql).get(id));
      return String(row.value ?? '');
    });
  }

  function rulesOf({ name }: ObjectType): Rule[] {
    return rules.filter((rule) => rule.type.toLowerCase() === name.toLowerCase());
  }

  return {
    add(rule) {
      const type = org.catalogue.get(rule.type);
      if (rule.kind === 'validation') meets(type, '000000000000000AAA', rule.when);
      const unknown =
        rule.kind === 'duplicate' &&
        rule.fields.find((name) => findField(type, name) === undefined);
      if (typeof unknown === 'string')
        throw new RangeError(`${type.name} has no field ${unknown}.`);
      rules.push(rule);
    },
    remove(name) {
      const kept = rules.filter((rule) => rule.name !== name);
      const isFound = kept.length < rules.length;
      rules = kept;
      return isFound;
    },
    clear() {
      rules = [];
    },
    list: () => rules,
    concern: (type) => rulesOf(type).some(({ kind }) => kind !== 'limit'),
    exceed(type, ids) {
      for (const rule of rulesOf(type)) {
        if (rule.kind !== 'limit' || ids.length <= rule.records) continue;
        if (rule.only !== undefined && !ids.includes(rule.only)) continue;
        const times = exceeded.get(rule) ?? 0;
        if (rule.times !== undefined && times >= rule.times) continue;
        exceeded.set(rule, times + 1);
        return recordError(rule.statusCode, rule.message);
      }
      return undefined;
    },
    check(type, id, { allowDuplicates }) {
      return rulesOf(type).flatMap((rule): RecordError[] => {
        if (rule.kind === 'limit') return [];
        if (rule.kind === 'duplicate') {
          const isTwin = !allowDuplicates && hasTwin(type, id, rule.fields);
          return isTwin ? [recordError('DUPLICATES_DETECTED', rule.message)] : [];
        }
        if (!meets(type, id, rule.when)) return [];
        const fields = rule.field === undefined ? [] : [rule.field];
        return [recordError(rule.statusCode, quoteValues(type, id, rule.message), fields)];
      });
    },
  };
}
