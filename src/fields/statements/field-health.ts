/** Reads the time of the last write to each field, and the number of contacts with a value. */
import { z } from 'zod';
import type { Reader } from '../../database/reader.ts';

/** The data about the fields, by the CRM's field name. */
export interface FieldHealth {
  /** The number of checked contacts that have a delivered profile. */
  looked: number;
  filled: ReadonlyMap<string, number>;
  /** The time of the last write to each field (epoch ms). Only recent writes are taken into account. */
  writtenAt: ReadonlyMap<string, number>;
}

/** The number of recent runs to read, which limits the work for any number of contacts. */
const RUNS = 20;
const WRITES = 500;
const CONTACTS = 2_000;

const valuesSchema = z.record(z.string(), z.unknown()).catch({});

export async function readFieldHealth(reader: Reader, integrationId: string): Promise<FieldHealth> {
  const filled = new Map<string, number>();
  const contacts = await reader
    .selectFrom('contacts')
    .select(['owned_values', 'enhanced_at'])
    .where('integration_id', '=', integrationId)
    .orderBy('crm_id')
    .limit(CONTACTS)
    .execute();
  const enhanced = contacts.filter(({ enhanced_at }) => enhanced_at !== null);
  for (const { owned_values } of enhanced) {
    for (const field of fieldsIn(owned_values)) {
      filled.set(field, (filled.get(field) ?? 0) + 1);
    }
  }
  const writtenAt = new Map<string, number>();
  for (const { after, written_at } of await listLastWrites(reader, integrationId)) {
    for (const field of fieldsIn(after)) {
      writtenAt.set(field, Math.max(writtenAt.get(field) ?? 0, written_at));
    }
  }
  return { looked: enhanced.length, filled, writtenAt };
}

async function listLastWrites(reader: Reader, integrationId: string) {
  const runs = await reader
    .selectFrom('runs')
    .select('id')
    .where('integration_id', '=', integrationId)
    .orderBy('started_at', 'desc')
    .limit(RUNS)
    .execute();
  if (runs.length === 0) return [];
  return reader
    .selectFrom('writes')
    .select(['after', 'written_at'])
    .where(
      'run_id',
      'in',
      runs.map(({ id }) => id),
    )
    .where('state', '=', 'written')
    .limit(WRITES)
    .execute();
}

function fieldsIn(json: string): string[] {
  return Object.keys(valuesSchema.parse(JSON.parse(json)));
}
