/**
 * Automation that an administrator can set up. The automation changes a record in the same transaction as the write.
 */

import { z } from 'zod';
import { quoted } from '../core/database.ts';
import type { User } from '../metadata/access.ts';
import { isNumeric, isStored, isText, type StoredValue } from '../metadata/field.ts';
import { findField, type ObjectType } from '../metadata/object-type.ts';
import { readValue } from '../metadata/value.ts';
import { type QueryOrg, runQuery } from '../query/query.ts';

/** The schema of an automation. An automation works like a record-triggered flow that runs before the save. */
export const automationSchema = z.strictObject({
  /** The name with which the automation can be removed. */
  name: z.string().optional(),
  type: z.string().default('Contact'),
  field: z.string(),
  change: z.discriminatedUnion('kind', [
    /** Rounds a number to a multiple. */
    z.strictObject({ kind: z.literal('round'), to: z.number().positive().default(1) }),
    /** Converts a string to capitals. */
    z.strictObject({ kind: z.literal('upperCase') }),
    z.strictObject({ kind: z.literal('clear') }),
    z.strictObject({ kind: z.literal('set'), value: z.union([z.string(), z.number()]) }),
  ]),
  /**
   * Defines when the automation runs. The value `field` means that the automation runs when its field is written. The
   * value `record` means that the automation runs on every write to the record.
   */
  runsOn: z.enum(['field', 'record']).default('field'),
  /**
   * A SOQL condition that the record must meet after the write. If the condition is omitted, the automation runs for
   * every record.
   */
  when: z.string().min(1).optional(),
});

export type AutomationStep = z.output<typeof automationSchema>;

/** The automation of an org. */
export interface Automation {
  /**
   * Adds an automation. Throws an error if the automation names a field that does not exist or that it cannot change.
   */
  add(step: AutomationStep): void;
  /** Removes an automation. Returns false if no automation has the name. */
  remove(name: string): boolean;
  clear(): void;
  list(): readonly AutomationStep[];
  /** Returns true if there are automations for the object. */
  concerns(type: ObjectType): boolean;
  /** Changes a record that has just been written. `written` contains the fields that the write contained. */
  run(type: ObjectType, id: string, written: Iterable<string>): void;
}

/** Creates an empty set of automations. `seer` is a user who can see all fields that conditions may name. */
export function createAutomation(org: QueryOrg, seer: User): Automation {
  let steps: AutomationStep[] = [];

  function meets(type: ObjectType, id: string, when: string | undefined): boolean {
    if (when === undefined) return true;
    const soql = `SELECT Id FROM ${type.name} WHERE Id = '${id}' AND (${when})`;
    return runQuery(org, soql, seer, { basePath: '' }).total > 0;
  }

  function stepsOf({ name }: ObjectType): AutomationStep[] {
    return steps.filter((step) => step.type.toLowerCase() === name.toLowerCase());
  }

  return {
    add(step) {
      const type = org.catalogue.get(step.type);
      const field = findField(type, step.field);
      if (field === undefined || !isStored(field)) {
        throw new RangeError(`${type.name} has no stored field ${step.field}.`);
      }
      if (step.change.kind === 'round' && !isNumeric(field)) {
        throw new RangeError(`${field.name} is not a number.`);
      }
      if (step.change.kind === 'upperCase' && !isText(field)) {
        throw new RangeError(`${field.name} is not a text.`);
      }
      meets(type, '000000000000000AAA', step.when);
      steps.push(step);
    },
    remove(name) {
      const kept = steps.filter((step) => step.name !== name);
      const isFound = kept.length < steps.length;
      steps = kept;
      return isFound;
    },
    clear() {
      steps = [];
    },
    list: () => steps,
    concerns: (type) => stepsOf(type).length > 0,
    run(type, id, written) {
      const names = new Set([...written].map((name) => name.toLowerCase()));
      for (const step of stepsOf(type)) {
        const field = findField(type, step.field);
        if (field === undefined) continue;
        if (step.runsOn === 'field' && !names.has(field.name.toLowerCase())) continue;
        if (!meets(type, id, step.when)) continue;
        const column = quoted(field.name);
        const table = quoted(type.name);
        const row = storedSchema.parse(
          org.db.prepare(`select ${column} as value from ${table} where "Id" = ?`).get(id),
        );
        const next = changeValue(step.change, row.value, (value) => readValue(field, value));
        org.db.prepare(`update ${table} set ${column} = ? where "Id" = ?`).run(next, id);
      }
    },
  };
}

const storedSchema = z.object({ value: z.union([z.string(), z.number(), z.null()]) });

function changeValue(
  change: AutomationStep['change'],
  value: StoredValue,
  read: (value: unknown) => ReturnType<typeof readValue>,
): StoredValue {
  const stored = (wanted: unknown) => {
    const next = read(wanted);
    return typeof next === 'symbol' ? value : next;
  };
  if (change.kind === 'set') return stored(change.value);
  if (change.kind === 'clear') return stored(null);
  if (value === null) return null;
  return change.kind === 'upperCase'
    ? String(value).toUpperCase()
    : Math.round(Number(value) / change.to) * change.to;
}
