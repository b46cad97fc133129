/**
 * The field map, line by line: the CRM's description of each field, and what was written to it so
 * far.
 */

import type { LiveDeps } from '../clients/live-crm.ts';
import { isoTime } from '../core/clock.ts';
import type { FieldMapping } from '../core/field-map.ts';
import type { Integration } from '../core/integration-settings.ts';
import { readFields } from './describe.ts';
import { type FieldHealth, readFieldHealth } from './statements/field-health.ts';

/** A line of the field map. */
export interface FieldLine {
  /** The source value, and the CRM's name for the field. */
  from: string;
  to: string;
  when: FieldMapping['when'];
  /** The field's label in the CRM; null if the CRM has no such field. */
  label: string | null;
  type: string | null;
  writable: boolean | null;
  /** The problem, and how to fix it. */
  problem: { kind: string; message: string; fix: string; optional: boolean } | null;
  /** True if the next run adds the column automatically. */
  createdBySync: boolean;
  /** ISO 8601; null if none of the last writes included it. */
  writtenAt: string | null;
  /**
   * How many of the checked contacts have a value of ours in the field; null if no contact was
   * checked.
   */
  filled: { of: number; count: number } | null;
}

/** Reads the CRM's description of the fields; changes nothing. */
export async function readFieldLines(
  { application, signal }: LiveDeps,
  integration: Integration,
): Promise<FieldLine[]> {
  const health = await readFieldHealth(application.store.reader, integration.id);
  const open = await application.open(integration, signal);
  try {
    const connector = await open.deps.openConnector(null);
    const { fields, findings, optional, toCreate } = await readFields(connector, open.mappings);
    const described = new Map(fields.map((field) => [field.name, field]));
    const created = new Set(toCreate.map(({ name }) => name));
    const faults = [
      ...findings.map((one) => ({ ...one, optional: false })),
      ...optional.map((one) => ({ ...one, optional: true })),
    ];
    return open.mappings.map(({ from, to, when }) => {
      const field = created.has(to) ? undefined : described.get(to);
      const fault = faults.find((one) => one.field === to && one.from === from);
      return {
        from,
        to,
        when,
        label: field?.label ?? null,
        type: field?.type ?? null,
        writable: field?.writable ?? null,
        problem: fault
          ? {
              kind: fault.problem,
              message: fault.message,
              fix: fault.fix,
              optional: fault.optional,
            }
          : null,
        createdBySync: created.has(to),
        ...getFieldUsage(health, to),
      };
    });
  } finally {
    await open.close();
  }
}

function getFieldUsage({ looked, filled, writtenAt }: FieldHealth, field: string) {
  const at = writtenAt.get(field);
  return {
    writtenAt: at === undefined ? null : isoTime(at),
    filled: looked === 0 ? null : { of: looked, count: filled.get(field) ?? 0 },
  };
}
