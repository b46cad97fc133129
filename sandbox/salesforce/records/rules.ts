/**
 * Rules that an administrator has set up: validation rules, duplicate rules, and triggers. A trigger rejects writes, or
 * it exceeds Salesforce's limits for one transaction.
 */

import { z } from 'zod';
import { quoted } from '../core/database.ts';
import { type RecordError, recordError } from '../core/errors.ts';
import type { User } from '../metadata/access.ts';
import { findField, type ObjectType } from '../metadata/object-type.ts';
import { type QueryOrg, runQuery } from '../query/query.ts';

/** A rule to set up. */
export const ruleSchema = z.discriminatedUnion('kind', [
  /** Rejects records that meet a SOQL condition after the write. */
  z.strictObject({
    kind: z.literal('validation'),
    /** The name by which the rule can be removed. */
    name: z.string().optional(),
    type: z.string(),
    /** For example `MailingCountry = 'Narnia'`. */
    when: z.string().min(1),
    /** Can quote values of the record, as Apex does: `{!LastName} is worth {!Worth__c}`. */
    message: z.string().min(1),
    /** The field that the message refers to. */
    field: z.string().optional(),
    /** Another code, for example `CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY` for a trigger. */
    statusCode: z.string().default('FIELD_CUSTOM_VALIDATION_EXCEPTION'),
  }),
  /** Rejects records that have the same values in all these fields as an existing record. */
  z.strictObject({
    kind: z.literal('duplicate'),
    name: z.string().optional(),
    type: z.string(),
    fields: z.array(z.string()).min(1),
    message: z.string().default('Use one of these records?'),
  }),
  /**
   * Triggers and flows that exceed a Salesforce limit if a transaction has more than `records` records. If the limit is
   * exceeded, none of the records is written.
   */
  z.strictObject({
    kind: z.literal('limit'),
    name: z.string().optional(),
    type: z.string(),
    /** The largest number of records for which a transaction stays below the limit. */
    records: z.number().int().min(0),
    /** The limit is exceeded only if the transaction contains the record with this ID. */
    only: z.string().optional(),
    /**
     * The number of times that the limit is exceeded. If this is missing, the limit is always exceeded. In real orgs,
     * processor time varies from one transaction to the next.
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
  /** Sets up a rule. Throws a SalesforceError if it names something that does not exist. */
  add(rule: Rule): void;
  /** Returns false if there are none. */
  remove(name: string): boolean;
  clear(): void;
  list(): readonly Rule[];
  /** True if there are rules about an object. */
  concern(type: ObjectType): boolean;
  /** Returns the error for every record in a transaction, or undefined if no limit is exceeded. */
  exceed(type: ObjectType, ids: readonly string[]): RecordError | undefined;
  /** Returns the errors that the rules report for a record in its current state in the database. */
  check(type: ObjectType, id: string, options: { allowDuplicates: boolean }): RecordError[];
}

/** Starts without rules. `seer` is a user who sees every field that rules can name. */
export function createRules(org: QueryOrg, seer: User): Rules {
  let rules: Rule[] = [];
  /** The number of times that each limit has been exceeded. */
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
