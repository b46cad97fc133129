/**
 * Finds values that the CRM's own automation made from ours after the run had read them back. For example, HubSpot's
 * workflows run seconds to hours after a write. Otherwise such a value would count as typed by a user. It would stay
 * when the contact becomes another person, and undo and erasure would not touch it.
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

/** A contact as it was just read. */
export interface PresentRecord {
  crmId: string;
  values: FieldValues;
  /** Everything that donor-sync may have written into the contact. */
  owned: readonly OwnedValues[];
}

const READS_AT_ONCE = 4;

/**
 * Returns entries for fields whose value automation has changed, by CRM ID. An entry contains the value that we wrote
 * and the value that automation made of it. The CRM is queried only about values that are not blank and not ours, in
 * fields that we have written. If the connector cannot tell, such values stay the users' values.
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

/** Returns the entry, or null if automation changed a value that was not ours. */
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
