/**
 * Finds values that the CRM's automation changed some time after a write. For example, HubSpot workflows run seconds to
 * hours after a write. Without this check, the value that automation changed would look like a user's value. A value
 * that looks like a user's value would survive a change of person, an undo and an erasure.
 */
import type { Connector } from '../../connectors/contract.ts';
import { isOwned, normalisedEntry, type OwnedValues } from '../contacts/owned-values.ts';
import type { FieldValue, FieldValues } from '../core/crm-field.ts';
import { inParallel, splitIntoBatches } from '../core/parallel.ts';
import { isBlank } from '../mapping/same-value.ts';
import type { SyncDeps } from '../sync/control/context.ts';
import { valueFingerprint } from './values.ts';

type LateDeps = Pick<SyncDeps, 'store'> & {
  connector: Pick<Connector, 'findAutomated' | 'capabilities'>;
};

/** A contact from the last reading. */
export interface PresentRecord {
  crmId: string;
  values: FieldValues;
  /** All values that donor-sync may have written. */
  owned: readonly OwnedValues[];
}

const READS_AT_ONCE = 4;

/**
 * Returns the changed fields, by CRM ID. Each entry contains donor-sync's value and the value that automation made of
 * it. Queries the CRM only about foreign values in fields to which donor-sync wrote. If the CRM does not report the
 * authors of changes, these values count as users' values.
 */
export async function findLateAutomation(
  deps: LateDeps,
  records: readonly PresentRecord[],
): Promise<Map<string, OwnedValues>> {
  const { connector } = deps;
  const found = new Map<string, OwnedValues>();
  if (connector.findAutomated === undefined) return found;
  const suspects = records.flatMap((record) => {
    const fields = listUnrecognised(deps, record);
    return fields.length === 0 ? [] : [{ id: record.crmId, fields }];
  });
  const batches = splitIntoBatches(suspects, connector.capabilities.readBatch);
  const answers = await inParallel(
    batches,
    READS_AT_ONCE,
    async (some) => (await connector.findAutomated?.(some)) ?? [],
  );
  const byId = new Map(records.map((record) => [record.crmId, record]));
  for (const { id, madeFrom } of answers.flat()) {
    const record = byId.get(id);
    if (record === undefined) continue;
    const entries = Object.entries(madeFrom).flatMap(([field, value]) =>
      toEntry(deps, record, field, value),
    );
    if (entries.length > 0) found.set(id, Object.fromEntries(entries));
  }
  return found;
}

function listUnrecognised(deps: LateDeps, { crmId, values, owned }: PresentRecord): string[] {
  const fields = new Set(owned.flatMap((entries) => Object.keys(entries)));
  return [...fields].filter((field) => {
    const value = values[field] ?? null;
    if (isBlank(value)) return false;
    const fingerprint = valueFingerprint(deps, crmId, field, value);
    return !owned.some((entries) => isOwned(entries, field, fingerprint));
  });
}

/** Returns the entry for a change. Returns null if automation changed a value that was not from donor-sync. */
function toEntry(
  deps: LateDeps,
  { crmId, values, owned }: PresentRecord,
  field: string,
  madeFrom: FieldValue,
): [string, string][] {
  const original = valueFingerprint(deps, crmId, field, madeFrom);
  const entry = owned.find((entries) => isOwned(entries, field, original))?.[field];
  if (entry === undefined) return [];
  return [
    [field, normalisedEntry(entry, valueFingerprint(deps, crmId, field, values[field] ?? null))],
  ];
}
