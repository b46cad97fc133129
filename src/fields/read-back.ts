/**
 * Finds values that the CRM's automation changes after a write, for example by rounding. Without this check, the
 * changed values would look like users' values and remain after a change of person.
 */
import type { Connector, Overwritten, ReadBack, WrittenFields } from '../../connectors/contract.ts';
import { normalisedEntry, type OwnedValues } from '../contacts/owned-values.ts';
import { inParallel, splitIntoBatches } from '../core/parallel.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';
import type { NormalisedFields } from '../sync/control/normalised-fields.ts';
import type { FieldPlan } from './plan.ts';
import type { FieldEnd } from './statements/field-end.ts';
import {
  listNormalisedFields,
  noteOtherTool,
  recordNormalisedFields,
} from './statements/normalised-fields.ts';
import { valueFingerprint } from './values.ts';

type ReadBackDeps = Pick<SyncDeps, 'store' | 'connector' | 'log'>;

/** The number of simultaneous requests. A user's value is restored only after its whole batch was read. */
const READS_AT_ONCE = 4;

/** Loads the fields that automation changes. Called at the start of a run. */
export async function loadNormalised(
  { store }: Pick<ReadBackDeps, 'store'>,
  integrationId: string,
): Promise<NormalisedFields> {
  const known = await listNormalisedFields(store.reader, integrationId);
  return { marked: new Set(known.map(({ field }) => field)), read: new Set() };
}

/**
 * The number of values per field that are read again in a run's first batch. A batch can contain thousands of records.
 * If automation changes one value in twenty, this number finds it in 199 of 200 cases.
 */
export const SAMPLE_OF_A_FIELD = 100;

/**
 * Reads the written fields again, for two reasons. First, it returns values that users typed before the writes, by CRM
 * ID. This requires a value history. In this case, every write is read again.
 *
 * Second, it records values that the CRM's automation has changed. In a run's first batch, it reads a sample of each
 * field. If a value in the sample has changed, it reads all other records too. Marked fields are read in every batch.
 * An unreadable batch does not count as the first batch. Does nothing if the connector cannot read fields again.
 */
export async function readWritesBack<End extends FieldEnd>(
  deps: ReadBackDeps,
  run: Pick<Run, 'id' | 'lease' | 'normalised'>,
  sentAtMs: number,
  plans: readonly FieldPlan[],
  ends: Map<string, End>,
): Promise<Map<string, Overwritten>> {
  const { connector, store, log } = deps;
  const { normalised } = run;
  const overwritten = new Map<string, Overwritten>();
  if (connector.readBack === undefined || normalised === undefined) return overwritten;
  const readsAll = connector.capabilities.tellsOverwritten === 'readBack';
  const written = plans.flatMap((plan): WrittenFields[] => {
    const end = ends.get(plan.crmId);
    if (end?.isDone !== true || end.writeId === null) return [];
    const fields = Object.keys(plan.changes).filter((field) => {
      const isTaken = end.after === undefined || Object.hasOwn(end.after, field);
      return isTaken && (readsAll || (plan.changes[field] ?? null) !== null);
    });
    if (fields.length === 0) return [];
    const compared = readsAll ? { sent: plan.changes, seen: plan.seen } : {};
    return [{ id: plan.crmId, fields, sentAtMs, ...compared }];
  });
  if (written.length === 0) return overwritten;
  const { marked, read: known } = normalised;
  const unread = new Set(
    written.flatMap(({ fields }) => fields.filter((field) => !known.has(field))),
  );
  const sample = chooseSample(written.flatMap((each) => onlyFields(each, unread)));
  const inSample = new Set([...marked, ...unread]);
  const byId = new Map(plans.map((plan) => [plan.crmId, plan]));
  const noticed = new Set<string>();
  const first = readsAll
    ? written
    : written.flatMap((each) => onlyFields(each, sample.has(each.id) ? inSample : marked));
  const readFirst = await readAll(connector, first);
  if (normalised.sharesUser !== true && readFirst.some(({ sharesUser }) => sharesUser === true)) {
    normalised.sharesUser = true;
    await store.checkpoint(run.lease, noteOtherTool);
    log.warn({ run: run.id }, 'another tool writes into the CRM as the same user');
  }
  noteChanged(readFirst);
  const rest = written.flatMap((each) => (sample.has(each.id) ? [] : onlyFields(each, noticed)));
  if (!readsAll) noteChanged(await readAll(connector, rest));
  for (const each of readFirst) {
    if (each.overwritten !== undefined) overwritten.set(each.id, each.overwritten);
  }
  if (noticed.size === 0) return overwritten;
  for (const field of noticed) marked.add(field);
  await store.checkpoint(run.lease, (trx) => recordNormalisedFields(trx, [...noticed]));
  log.info(
    { run: run.id, fields: [...noticed] },
    'automation of the CRM changes values after a write',
  );
  return overwritten;

  function noteChanged(read: readonly ReadBack[]): void {
    for (const { id, values, automated } of read) {
      const [plan, end] = [byId.get(id), ends.get(id)];
      if (plan === undefined || end === undefined || values === null) continue;
      const present = Object.entries(values).filter(([field]) =>
        Object.hasOwn(plan.changes, field),
      );
      const entries = present.flatMap(([field, value]): [string, string][] => {
        const sent = valueFingerprint(deps, id, field, plan.changes[field] ?? null);
        const standing = valueFingerprint(deps, id, field, value);
        const isAutomated = automated.includes(field);
        // A change by a user shows nothing about automation. The next batch may show whether automation changes the
        // field.
        if (isAutomated || sent === standing) known.add(field);
        if (!isAutomated || sent === standing) return [];
        return [[field, normalisedEntry(plan.write?.after[field] ?? sent, standing)]];
      });
      for (const [field] of entries) if (!marked.has(field)) noticed.add(field);
      if (entries.length > 0) ends.set(id, withEntries(plan, end, Object.fromEntries(entries)));
    }
  }
}

/** Chooses a sample of each field, up to its limit. */
function chooseSample(written: readonly WrittenFields[]): Set<string> {
  const sample = new Set<string>();
  const timesByField = new Map<string, number>();
  for (const { id, fields } of spreadOut(written)) {
    const times = fields.map((field) => timesByField.get(field) ?? 0);
    if (times.every((each) => each >= SAMPLE_OF_A_FIELD)) continue;
    sample.add(id);
    for (const field of fields) timesByField.set(field, (timesByField.get(field) ?? 0) + 1);
  }
  return sample;
}

/** Yields the records in a different order. The first records are spread over the whole list. */
function* spreadOut<T>(list: readonly T[]): Generator<T> {
  const stride = Math.ceil(list.length / SAMPLE_OF_A_FIELD);
  for (let start = 0; start < stride; start += 1) {
    for (let at = start; at < list.length; at += stride) {
      const each = list[at];
      if (each !== undefined) yield each;
    }
  }
}

/** Returns only these fields of a write. Returns an empty list if the write contains none of them. */
function onlyFields(write: WrittenFields, wanted: ReadonlySet<string>): WrittenFields[] {
  const fields = write.fields.filter((field) => wanted.has(field));
  return fields.length > 0 ? [{ ...write, fields }] : [];
}

function withEntries<End extends FieldEnd>(
  { write }: FieldPlan,
  end: End,
  entries: OwnedValues,
): End {
  const owned = end.owned === null ? null : { ...end.owned, ...entries };
  return { ...end, owned, after: { ...(end.after ?? write?.after ?? {}), ...entries } };
}

async function readAll(
  connector: Pick<Connector, 'readBack' | 'capabilities'>,
  written: readonly WrittenFields[],
): Promise<ReadBack[]> {
  const portions = splitIntoBatches(written, connector.capabilities.readBatch);
  const read = await inParallel(
    portions,
    READS_AT_ONCE,
    async (some) => (await connector.readBack?.(some)) ?? [],
  );
  return read.flat();
}
