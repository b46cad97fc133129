import type { LiveDeps } from '../clients/live-crm.ts';
import type { OpenIntegration } from '../clients/open-integration.ts';
import { isoTime } from '../core/clock.ts';
import type { FieldMapping } from '../core/field-map.ts';
import type { Integration } from '../core/integration-settings.ts';
import type { ValuesWaiting } from '../core/waiting-values.ts';
import { readFields } from './describe.ts';
import { type FieldHealth, readFieldHealth } from './statements/field-health.ts';
import { readValuesWaiting } from './waiting-values-view.ts';

/** A line of the field map. */
export interface FieldLine {
  from: string;
  to: string;
  when: FieldMapping['when'];
  label: string | null;
  type: string | null;
  writable: boolean | null;
  problem: { kind: string; message: string; fix: string; optional: boolean } | null;
  /** True if the next run will add the column automatically. */
  createdBySync: boolean;
  /** The time of the last write to the field. Null if none of the last writes included the field. */
  writtenAt: string | null;
  /** The number of checked contacts whose field contains a value from donor-sync. Null if no contacts were checked. */
  filled: { of: number; count: number } | null;
}

export interface FieldCheck {
  fields: FieldLine[];
  valuesWaiting: ValuesWaiting;
}

/** Reads the CRM's description of the fields. Changes nothing. */
export async function readFieldCheck(
  { application, signal }: LiveDeps,
  integration: Integration,
): Promise<FieldCheck> {
  const { reader } = application.store;
  const open = await application.open(integration, signal);
  try {
    return {
      fields: await readLines(open, await readFieldHealth(reader, integration.id)),
      valuesWaiting: await readValuesWaiting(reader, integration.id, open.mappings),
    };
  } finally {
    await open.close();
  }
}

async function readLines(
  { deps, mappings }: Pick<OpenIntegration, 'deps' | 'mappings'>,
  health: FieldHealth,
): Promise<FieldLine[]> {
  const connector = await deps.openConnector(null);
  const { fields, findings, optional, toCreate } = await readFields(connector, mappings);
  const described = new Map(fields.map((field) => [field.name, field]));
  const created = new Set(toCreate.map(({ name }) => name));
  const faults = [
    ...findings.map((one) => ({ ...one, optional: false })),
    ...optional.map((one) => ({ ...one, optional: true })),
  ];
  return mappings.map(({ from, to, when }) => {
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
}

function getFieldUsage({ looked, filled, writtenAt }: FieldHealth, field: string) {
  const at = writtenAt.get(field);
  return {
    writtenAt: at === undefined ? null : isoTime(at),
    filled: looked === 0 ? null : { of: looked, count: filled.get(field) ?? 0 },
  };
}
