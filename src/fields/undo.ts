/** Undoes a run's writes, if the CRM still contains the written values. */

import type {
  ContactChange,
  RecordLookup,
  Refusal,
  WriteResult,
} from '../../connectors/contract.ts';
import { erasuresUnknownText, findRestoreHold } from '../backup/restores.ts';
import type { ContactRecord } from '../contacts/contacts.ts';
import { findContacts } from '../contacts/contacts.ts';
import { type OwnedValues, parseOwned } from '../contacts/owned-values.ts';
import { collect } from '../core/collect.ts';
import type { FieldValue, FieldValues } from '../core/crm-field.ts';
import { ConfigurationError, type FatalError, isFatalError } from '../core/errors.ts';
import { splitIntoBatches } from '../core/parallel.ts';
import type { Act } from '../database/actor-transaction.ts';
import {
  undoAuthorSealContext,
  valuesBeforeSealContext,
} from '../database/encryption/seal-contexts.ts';
import type { Sealer } from '../database/encryption/sealed.ts';
import type { Lease } from '../database/leases.ts';
import type { Reader } from '../database/reader.ts';
import { sameValue } from '../mapping/same-value.ts';
import { recordEntry } from '../privacy/audit/record.ts';
import { VALUES_PURGED } from '../privacy/statements/retention.ts';
import type { SyncDeps } from '../sync/control/context.ts';
import { forgottenFingerprint, keepErasedAway } from '../sync/control/erased.ts';
import { lookUp } from '../sync/control/look-up.ts';
import { recordRunUndone } from '../sync/statements/runs.ts';
import { dropErasedMentions } from './erasing/erased-mentions.ts';
import { findLateAutomation } from './late-automation.ts';
import {
  countUndoneContacts,
  findWritesOfOthers,
  listWrites,
  recordUndoneWrite,
  type WriteOfOther,
  type WriteRecord,
} from './statements/deliveries.ts';
import { putBack } from './typed-values.ts';
import { createOwnershipCheck, openValues } from './values.ts';

type UndoDeps = Pick<SyncDeps, 'store' | 'connector' | 'sealer' | 'otherForms' | 'clock'>;

type DecideDeps = Pick<UndoDeps, 'store' | 'connector' | 'sealer'>;

/** The result of an undo. Each contact counts once. */
export interface UndoReport {
  run: string;
  contacts: { restored: number; gone: number; refused: number };
  fields: { restored: number; editedSince: number };
  /** The reasons why records refused the change, by CRM ID. */
  refusals: { crmId: string; message: string }[];
}

/** Returns the audit entry for the result. */
function undoneEntry(integrationId: string, { run, contacts, fields }: UndoReport) {
  const details = {
    run,
    restored: contacts.restored,
    gone: contacts.gone,
    refused: contacts.refused,
    kept: fields.editedSince,
  };
  return { action: 'undo.done' as const, integrationId, details };
}

/** Records the result of an undo in the run and in the audit. */
export async function recordUndo(
  { act, sealer }: { act: Act; sealer: Pick<Sealer, 'seal'> },
  integrationId: string,
  report: UndoReport,
): Promise<void> {
  const { run, contacts, fields } = report;
  const isMarked =
    contacts.restored + contacts.gone + contacts.refused > 0 || fields.editedSince > 0;
  await act(async (trx) => {
    if (isMarked) {
      const { name } = trx.actor;
      await recordRunUndone(trx, run, {
        author: name === null ? null : sealer.seal(name, undoAuthorSealContext(run)),
        contacts: await countUndoneContacts(trx, run),
        kept: fields.editedSince,
      });
    }
    await recordEntry(trx, undoneEntry(integrationId, report));
  });
}

/** The contacts that have been undone so far, with their numbers of fields. */
interface UndoCounts {
  restored: Set<string>;
  gone: Set<string>;
  refused: Set<string>;
  fields: UndoReport['fields'];
  refusals: UndoReport['refusals'];
}

/**
 * The number of contacts that are undone together. Few requests are then needed, and little time passes between reading
 * and writing.
 */
const CONTACTS_AT_ONCE = 600;

/** Restores the values from before a run, newest write first. Can be repeated. */
export async function undoRun(deps: UndoDeps, lease: Lease, runId: string): Promise<UndoReport> {
  const { store, connector } = deps;
  await requireKnownErasures(store.reader, lease);
  const counts: UndoCounts = {
    restored: new Set(),
    gone: new Set(),
    refused: new Set(),
    fields: { restored: 0, editedSince: 0 },
    refusals: [],
  };
  await dropErasedMentions(deps, lease);
  const writes = await withoutErased(deps, lease, await listWrites(store.reader, runId), counts);
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

/**
 * Throws a ConfigurationError if a restored database may lack erasures, because the previous values may then belong to
 * erased people.
 */
async function requireKnownErasures(reader: Reader, { integrationId: id }: Lease): Promise<void> {
  const after = (await findRestoreHold(reader, id))?.erasuresUnknownAfter ?? null;
  if (after === null) return;
  throw new ConfigurationError(
    `The database was restored, and ${erasuresUnknownText(after)}. Nothing was undone. Agree first with \`donor-sync restore --agree ${id}\`.`,
    { code: 'erasures_unknown', details: { integration: id } },
  );
}

/** Leaves out erased people. The stored changes of erased people are not written either. */
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

export function* batchesOfContacts(
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
  present: FieldValues;
  owned: OwnedValues;
  /** The values that donor-sync owned before the undo. */
  ownedNow: OwnedValues;
  fields: number;
  /** The values from donor-sync that were replaced since. */
  left: OwnedValues;
}

/** The result of an undo for one write of the run. */
export type UndoDecision =
  | { kind: 'gone'; write: WriteRecord }
  /** No value of the write is restored. `message` contains a code if the reason has a code. */
  | { kind: 'kept'; write: WriteRecord; why: UndoObstacle; message: string }
  | {
      kind: 'restored';
      write: WriteRecord;
      restoration: Restoration;
      /** Fields that someone has changed since the run, so the undo leaves them unchanged. */
      edited: readonly string[];
      unseen: readonly string[];
    };

/** The reason why a write cannot be undone. */
export type UndoObstacle = 'purged' | 'damaged' | 'unseen' | 'newer';

async function undoBatch(
  deps: UndoDeps,
  lease: Lease,
  writes: WriteRecord[],
  counts: UndoCounts,
): Promise<void> {
  const restorations: Restoration[] = [];
  for (const decision of await decideBatch(deps, lease.integrationId, writes)) {
    const { write } = decision;
    if (decision.kind === 'gone') counts.gone.add(write.crmId);
    else if (decision.kind === 'kept') refuse(counts, write, decision.message);
    else {
      const { unseen, edited, restoration } = decision;
      if (unseen.length > 0) refuse(counts, write, `${unseen.join(', ')}: ${NOT_SEEN}`);
      counts.fields.editedSince += edited.length;
      restorations.push(restoration);
    }
  }
  await writeBack(deps, lease, restorations, counts);
}

/** Reads contacts and decides which values to restore. Each contact may occur only once in the batch. */
export async function decideBatch(
  deps: DecideDeps,
  integrationId: string,
  writes: readonly WriteRecord[],
): Promise<UndoDecision[]> {
  const { store, connector } = deps;
  const ids = writes.map((write) => write.crmId);
  const fields = [...new Set(writes.flatMap((write) => Object.keys(parseOwned(write.after))))];
  const lookups = new Map((await lookUp(connector, ids, fields)).map((l) => [l.id, l]));
  const rows = await findContacts(store.reader, integrationId, ids);
  const allOthers = await writesOfOthers(deps, integrationId, writes);
  const hidden = await findHidden(connector, fields, lookups.values());
  const automated = await findLateAutomation(
    deps,
    writes.flatMap(({ crmId, after }) => {
      const lookup = lookups.get(crmId);
      if (lookup?.state !== 'found') return [];
      return [{ crmId, values: lookup.values, owned: [parseOwned(after)] }];
    }),
  );
  return writes.map((write): UndoDecision => {
    const lookup = lookups.get(write.crmId);
    const row = rows.get(write.crmId);
    const others = allOthers.get(write.crmId) ?? [];
    if (lookup?.state !== 'found' || !row) return { kind: 'gone', write };
    if (write.before === VALUES_PURGED) {
      return { kind: 'kept', write, why: 'purged', message: NOT_KEPT };
    }
    const before = valuesBefore(deps, integrationId, write);
    if (isFatalError(before)) {
      const message = `${before.code}: ${NOT_ITS_OWN}`;
      return { kind: 'kept', write, why: 'damaged', message };
    }
    const inTheWay = findInTheWay(write, row, { others, hidden });
    if (inTheWay !== null) return { kind: 'kept', write, ...inTheWay };
    const restoration = restore(deps, write, {
      before,
      present: lookup.values,
      automated: automated.get(write.crmId) ?? {},
      ownedNow: parseOwned(row.ownedValues),
      others,
      hidden,
    });
    const left = Object.keys(restoration.left);
    const unseen = left.filter((field) => hidden.has(field));
    const edited = left.filter((field) => !hidden.has(field));
    return { kind: 'restored', write, restoration, edited, unseen };
  });
}

/**
 * Returns the reason why not all values of the previous person can be restored. Returns null if all can be restored.
 * Restoring only some values would mix two people's values. A pure function.
 */
function findInTheWay(
  { after, donorBefore, writtenAt }: WriteRecord,
  { valuesDonor }: Pick<ContactRecord, 'valuesDonor'>,
  { others, hidden }: Pick<ContactNow, 'others' | 'hidden'>,
): { why: UndoObstacle; message: string } | null {
  if (donorBefore === null) return null;
  const fields = Object.keys(parseOwned(after));
  const unseen = fields.filter((field) => hidden.has(field));
  if (unseen.length > 0) return { why: 'unseen', message: `${unseen.join(', ')}: ${NOT_SEEN}` };
  const isNewer = others.some(
    (other) =>
      other.writtenAt > writtenAt &&
      other.donor !== null &&
      other.donor === valuesDonor &&
      Object.keys(other.after).length > 0,
  );
  return isNewer ? { why: 'newer', message: NEWER_VALUES } : null;
}

/**
 * Finds hidden fields, which look empty. The content of a hidden field is unknown, so it still counts as donor-sync's
 * value.
 */
async function findHidden(
  connector: UndoDeps['connector'],
  fields: readonly string[],
  lookups: Iterable<RecordLookup>,
): Promise<ReadonlySet<string>> {
  const empty = new Set(
    [...lookups].flatMap((lookup) =>
      lookup.state === 'found'
        ? fields.filter((field) => (lookup.values[field] ?? null) === null)
        : [],
    ),
  );
  if (!connector.capabilities.remote || empty.size === 0) return new Set();
  for (const { name } of await connector.describeFields()) empty.delete(name);
  return empty;
}

const NOT_SEEN =
  "the integration's user cannot see the field, so nothing was restored in the field. Give the user access and undo the run again";

const NEWER_VALUES =
  "newer_values: the run replaced another person's values, and a newer run has written values since then. Nothing was restored, because the contact would contain the values of two people. Undo the newer run first";

const NOT_KEPT = 'values_purged: the previous value is no longer kept (retention.previousValues)';

const NOT_ITS_OWN =
  'the previous values were changed in the database, or belong to another contact; nothing was written';

/**
 * Returns the previous values, or the reason why they are not reliable. If someone has changed a row, none of its
 * values is restored. A missing key stops the undo.
 */
function valuesBefore(
  { sealer }: DecideDeps,
  integrationId: string,
  { id, crmId, before }: WriteRecord,
): FieldValues | FatalError {
  try {
    return openValues(sealer, before, valuesBeforeSealContext({ id, integrationId, crmId }));
  } catch (error) {
    if (isFatalError(error)) return error;
    throw error;
  }
}

function refuse(counts: UndoCounts, { crmId }: WriteRecord, message: string): void {
  counts.refused.add(crmId);
  counts.refusals.push({ crmId, message });
}

/** Returns the writes of other runs to these contacts. The given writes belong to one run. */
async function writesOfOthers(
  { store }: DecideDeps,
  integrationId: string,
  writes: readonly WriteRecord[],
): Promise<Map<string, WriteOfOther[]>> {
  const [first] = writes;
  if (first === undefined) return new Map();
  const ids = writes.map(({ crmId }) => crmId);
  return findWritesOfOthers(store.reader, { integrationId, runId: first.runId }, ids);
}

/** The current data about a contact whose values will be restored. */
interface ContactNow {
  /** The values from before the write. */
  before: FieldValues;
  /** The values that the CRM now contains. */
  present: Readonly<Record<string, FieldValue>>;
  automated: OwnedValues;
  ownedNow: OwnedValues;
  /** The writes of other runs. */
  others: readonly WriteOfOther[];
  /** Fields that the CRM does not show. */
  hidden: ReadonlySet<string>;
}

/**
 * Decides which values to restore, and which values donor-sync owns afterwards. Apart from fingerprints, the function
 * is pure.
 */
function restore(
  deps: Pick<UndoDeps, 'store'>,
  write: WriteRecord,
  { before, present, automated, ownedNow, others, hidden }: ContactNow,
): Restoration {
  const ownedBefore = parseOwned(write.ownedBefore);
  const after = parseOwned(write.after);
  const isOurs = createOwnershipCheck(deps, write.crmId, [after, automated]);
  const values: Record<string, FieldValue> = {};
  const owned: Record<string, string> = { ...ownedNow };
  const left: Record<string, string> = {};
  let fields = 0;
  for (const [field, fingerprint] of Object.entries(after)) {
    const value = present[field] ?? null;
    const previousValue = before[field] ?? null;
    if (hidden.has(field)) {
      left[field] = fingerprint;
      continue;
    }
    if (isOurs(field, value)) {
      values[field] = previousValue;
    } else if (!sameValue(value, previousValue) || isWrittenSince(write, field, others)) {
      left[field] = fingerprint;
      continue;
    }
    // An interrupted undo has restored this value without recording it.
    fields += 1;
    const previous = ownedBefore[field];
    if (previous === undefined) delete owned[field];
    else owned[field] = previous;
  }
  const seen = Object.fromEntries(
    Object.keys(values).map((field) => [field, present[field] ?? null]),
  );
  return { write, values, present: seen, owned, ownedNow, left, fields };
}

/**
 * True if a later run has written or cleared the field. The value then belongs to the later run, and must not prevent
 * the undo of this run's other values.
 */
function isWrittenSince(
  { writtenAt }: WriteRecord,
  field: string,
  others: readonly WriteOfOther[],
): boolean {
  return others.some((other) => other.writtenAt > writtenAt && Object.hasOwn(other.after, field));
}

/** Writes the restored values and yields the results. If the CRM reports typed values only later, the results wait. */
async function* writeAndLook(
  { connector, clock }: Pick<UndoDeps, 'connector' | 'clock'>,
  changes: readonly ContactChange[],
): AsyncGenerator<WriteResult> {
  if (connector.readBack === undefined || connector.capabilities.tellsOverwritten !== 'readBack') {
    yield* connector.write(changes);
    return;
  }
  const sentAtMs = clock.now();
  const results = await collect(connector.write(changes));
  const byId = new Map(changes.map((change) => [change.id, change]));
  for (const some of splitIntoBatches(results, connector.capabilities.readBatch)) {
    const written = some.flatMap(({ id, status }) => {
      const { values, seen } = byId.get(id) ?? {};
      if (status === 'refused' || values === undefined || seen === undefined) return [];
      return [{ id, fields: Object.keys(values), sentAtMs, sent: values, seen }];
    });
    const read = new Map((await connector.readBack(written)).map((each) => [each.id, each]));
    for (const result of some) {
      const overwritten = read.get(result.id)?.overwritten;
      yield result.status === 'refused' || overwritten === undefined
        ? result
        : { ...result, overwritten };
    }
  }
}

async function writeBack(
  { store, connector, clock }: UndoDeps,
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
    .map(({ write, values, present }) => ({
      id: write.crmId,
      values,
      seen: present,
      // The run replaced another person's values, so the undo restores either all of them or none.
      ...(write.donorBefore === null ? {} : { together: true }),
    }));
  for await (const result of writeAndLook({ connector, clock }, changes)) {
    const undone = byId.get(result.id);
    if (!undone) continue;
    const restoration = await withoutTyped(undone, result);
    if (result.status === 'written') await note(restoration);
    else if (result.status === 'refused') tell(restoration, result);
    else {
      for (const refusal of result.refusals) tell(restoration, refusal);
      await note(withoutRefused(restoration, result.refusals), counts.refused);
    }
  }

  /** Leaves out fields in which users have typed values since. The fields with typed values get these values back. */
  async function withoutTyped(undone: Restoration, result: WriteResult): Promise<Restoration> {
    if (result.status === 'refused' || result.overwritten === undefined) return undone;
    const { crmId: id, after } = undone.write;
    const isOurs = createOwnershipCheck({ store }, id, [parseOwned(after)]);
    const typed = Object.entries(result.overwritten.values).filter(
      ([field, value]) => !isOurs(field, value),
    );
    if (typed.length === 0) return undone;
    const back = await putBack({ connector }, [{ id, values: Object.fromEntries(typed) }]);
    const fields = [...(back.get(id) ?? [])];
    counts.fields.editedSince += fields.length;
    return withoutFields(undone, fields);
  }

  function tell({ write }: Restoration, { code, message }: Refusal): void {
    refuse(counts, write, `${code}: ${message}`);
  }

  async function note(restoration: Restoration, contacts = counts.restored): Promise<void> {
    contacts.add(restoration.write.crmId);
    counts.fields.restored += restoration.fields;
    await store.checkpoint(lease, (trx) => recordUndoneWrite(trx, restoration.write, restoration));
  }
}

/** Leaves out refused fields. donor-sync still owns their values, so a later undo can restore them. */
function withoutRefused(restoration: Restoration, refusals: readonly Refusal[]): Restoration {
  return withoutFields(
    restoration,
    refusals.flatMap((refusal) => refusal.fields),
  );
}

function withoutFields(restoration: Restoration, names: readonly string[]): Restoration {
  const { write, values, ownedNow } = restoration;
  const after = parseOwned(write.after);
  const owned: Record<string, string> = { ...restoration.owned };
  const left: Record<string, string> = { ...restoration.left };
  let { fields } = restoration;
  for (const field of new Set(names)) {
    const [put, was] = [after[field], ownedNow[field]];
    if (!Object.hasOwn(values, field) || put === undefined) continue;
    left[field] = put;
    if (was === undefined) delete owned[field];
    else owned[field] = was;
    fields -= 1;
  }
  return { ...restoration, owned, left, fields };
}
