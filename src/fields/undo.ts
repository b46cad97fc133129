/** Takes back what a run wrote, only where the CRM's value is still ours. */
import type { Refusal } from '../../connectors/contract.ts';
import type { FieldValue, FieldValues } from '../core/crm-field.ts';
import { ConfigurationError, type FatalError, isFatalError } from '../core/errors.ts';
import { sameValue } from '../mapping/same-value.ts';
import type { SyncDeps } from '../run/context.ts';
import { forgottenFingerprint, keepErasedAway } from '../run/erased.ts';
import { lookUp } from '../run/look-up.ts';
import { type OwnedValues, parseOwned } from '../store/contacts/owned-values.ts';
import type { Lease } from '../store/engine/leases.ts';
import type { WriteRecord } from '../store/fields/deliveries.ts';
import { valuesBeforePlace } from '../store/secrets/seal-places.ts';
import { openValues, ownershipOf } from './values.ts';

type UndoDeps = Pick<SyncDeps, 'store' | 'connector' | 'sealer' | 'otherForms'>;

/** What undoing a run did. A contact that the run wrote more than once counts once. */
export interface UndoReport {
  run: string;
  contacts: { restored: number; gone: number; refused: number };
  fields: { restored: number; editedSince: number };
  /** Why records refused, by CRM id. */
  refusals: { crmId: string; message: string }[];
}

/** What has been undone so far: CRM ids, and numbers of fields. */
interface UndoCounts {
  restored: Set<string>;
  gone: Set<string>;
  refused: Set<string>;
  fields: UndoReport['fields'];
  refusals: UndoReport['refusals'];
}

/**
 * Contacts of a CRM behind a network that are read together, and then written: a few requests at a time of
 * each, so that no value is long looked at when it is written over.
 */
const CONTACTS_AT_ONCE = 600;

/** Restores the values before a run, the newest write first; repeatable. */
export async function undoRun(deps: UndoDeps, lease: Lease, runId: string): Promise<UndoReport> {
  const { store, connector } = deps;
  const counts: UndoCounts = {
    restored: new Set(),
    gone: new Set(),
    refused: new Set(),
    fields: { restored: 0, editedSince: 0 },
    refusals: [],
  };
  const writes = await withoutErased(deps, lease, await store.deliveries.listWrites(runId), counts);
  const { remote, readBatch, writeBatch } = connector.capabilities;
  const size = Math.min(remote ? CONTACTS_AT_ONCE : readBatch, writeBatch.max);
  for (const batch of batchesOfContacts(writes, size)) {
    await undoBatch(deps, lease, batch, counts);
  }
  await connector.finish();
  const { restored, gone, refused, fields, refusals } = counts;
  const contacts = { restored: restored.size, gone: gone.size, refused: refused.size };
  return { run: runId, contacts, fields, refusals };
}

/** Nothing is written for contacts whose erasure has begun, also not what the connector has kept. */
async function withoutErased(
  deps: UndoDeps,
  { integrationId }: Lease,
  writes: readonly WriteRecord[],
  counts: UndoCounts,
): Promise<WriteRecord[]> {
  const erased = await keepErasedAway(deps, integrationId);
  return writes.filter(({ crmId }) => {
    const isErased = forgottenFingerprint(deps, erased, crmId) !== null;
    if (isErased) counts.gone.add(crmId);
    return !isErased;
  });
}

/** Portions in which no contact comes twice, so that its writes are taken back in their order. */
function* batchesOfContacts(
  writes: readonly WriteRecord[],
  size: number,
): Generator<WriteRecord[]> {
  let batch = new Map<string, WriteRecord>();
  for (const write of writes) {
    if (batch.has(write.crmId) || batch.size === size) {
      yield [...batch.values()];
      batch = new Map();
    }
    batch.set(write.crmId, write);
  }
  if (batch.size > 0) yield [...batch.values()];
}

interface Restoration {
  write: WriteRecord;
  values: Record<string, FieldValue>;
  owned: OwnedValues;
  /** What was ours before it. */
  ownedNow: OwnedValues;
  /** How many fields hold the value from before afterwards. */
  fields: number;
  /** What the write put into the fields that hold something else now. */
  left: OwnedValues;
}

async function undoBatch(
  deps: UndoDeps,
  lease: Lease,
  writes: WriteRecord[],
  counts: UndoCounts,
): Promise<void> {
  const { store, connector } = deps;
  const ids = writes.map((write) => write.crmId);
  const fields = [...new Set(writes.flatMap((write) => Object.keys(parseOwned(write.after))))];
  const lookups = new Map((await lookUp(connector, ids, fields)).map((l) => [l.id, l]));
  const rows = await store.contacts.find(lease.integrationId, ids);
  const restorations: Restoration[] = [];
  for (const write of writes) {
    const lookup = lookups.get(write.crmId);
    const row = rows.get(write.crmId);
    if (lookup?.state !== 'found' || !row) {
      counts.gone.add(write.crmId);
      continue;
    }
    const before = valuesBefore(deps, lease, write);
    if (isFatalError(before)) {
      refuse(counts, write, `${before.code}: ${NOT_ITS_OWN}`);
      continue;
    }
    const restoration = restore(deps, write, before, lookup.values, parseOwned(row.ownedValues));
    counts.fields.editedSince += Object.keys(restoration.left).length;
    restorations.push(restoration);
  }
  await writeBack(deps, lease, restorations, counts);
}

const NOT_ITS_OWN =
  'the values before the run were changed in the database, or are those of another contact or of an older version; nothing was written';

/**
 * The values that a write found, or why they are not believed: one contact whose row was changed
 * keeps what it has, and the others are restored. A key that is missing stops all of it.
 */
function valuesBefore(
  { sealer }: UndoDeps,
  { integrationId }: Lease,
  { id, crmId, before }: WriteRecord,
): FieldValues | FatalError {
  try {
    return openValues(sealer, before, valuesBeforePlace({ id, integrationId, crmId }));
  } catch (error) {
    if (isFatalError(error)) return error;
    throw error;
  }
}

function refuse(counts: UndoCounts, { crmId }: WriteRecord, message: string): void {
  counts.refused.add(crmId);
  counts.refusals.push({ crmId, message });
}

/** Pure but for fingerprints: which values go back, and what is ours afterwards. */
function restore(
  deps: UndoDeps,
  write: WriteRecord,
  before: FieldValues,
  present: Readonly<Record<string, FieldValue>>,
  ownedNow: OwnedValues,
): Restoration {
  const ownedBefore = parseOwned(write.ownedBefore);
  const after = parseOwned(write.after);
  const isOurs = ownershipOf(deps, write.crmId, [after]);
  const values: Record<string, FieldValue> = {};
  const owned: Record<string, string> = { ...ownedNow };
  const left: Record<string, string> = {};
  let fields = 0;
  for (const [field, fingerprint] of Object.entries(after)) {
    const value = present[field] ?? null;
    const previousValue = before[field] ?? null;
    if (isOurs(field, value)) {
      values[field] = previousValue;
    } else if (!sameValue(value, previousValue)) {
      left[field] = fingerprint;
      continue;
    }
    // Otherwise it was restored already, by an undo that was cut off before it was on record.
    fields += 1;
    const previous = ownedBefore[field];
    if (previous === undefined) delete owned[field];
    else owned[field] = previous;
  }
  return { write, values, owned, ownedNow, left, fields };
}

async function writeBack(
  { store, connector }: UndoDeps,
  lease: Lease,
  restorations: readonly Restoration[],
  counts: UndoCounts,
): Promise<void> {
  const byId = new Map(restorations.map((each) => [each.write.crmId, each]));
  for (const restoration of restorations) {
    const isThere = Object.keys(restoration.values).length === 0 && restoration.fields > 0;
    if (isThere) await note(restoration);
  }
  const changes = restorations
    .filter(({ values }) => Object.keys(values).length > 0)
    .map(({ write, values }) => ({ id: write.crmId, values }));
  for await (const result of connector.write(changes)) {
    const restoration = byId.get(result.id);
    if (!restoration) continue;
    if (result.status === 'written') await note(restoration);
    else if (result.status === 'refused') tell(restoration, result);
    else {
      for (const refusal of result.refusals) tell(restoration, refusal);
      await note(withoutRefused(restoration, result.refusals), counts.refused);
    }
  }

  function tell({ write }: Restoration, { code, message }: Refusal): void {
    refuse(counts, write, `${code}: ${message}`);
  }

  async function note(restoration: Restoration, contacts = counts.restored): Promise<void> {
    contacts.add(restoration.write.crmId);
    counts.fields.restored += restoration.fields;
    await store.deliveries.recordUndone(lease, restoration.write, restoration);
  }
}

/** What is taken back where the CRM refuses some fields: those stay ours, for another try. */
function withoutRefused(restoration: Restoration, refusals: readonly Refusal[]): Restoration {
  const { write, values, ownedNow } = restoration;
  const after = parseOwned(write.after);
  const owned: Record<string, string> = { ...restoration.owned };
  const left: Record<string, string> = { ...restoration.left };
  let { fields } = restoration;
  for (const field of new Set(refusals.flatMap((refusal) => refusal.fields))) {
    const [put, was] = [after[field], ownedNow[field]];
    if (!Object.hasOwn(values, field) || put === undefined) continue;
    left[field] = put;
    if (was === undefined) delete owned[field];
    else owned[field] = was;
    fields -= 1;
  }
  return { ...restoration, owned, left, fields };
}

/** The error for a run that cannot be undone because it is unknown. */
export function unknownRun(runId: string): ConfigurationError {
  return new ConfigurationError(
    `There is no run "${runId}". \`donor-sync runs\` lists the runs with their ids.`,
    { code: 'run_unknown' },
  );
}
