/**
 * Values that the CRM's own automation changes after a write, for example by rounding: they stay ours, or each
 * would count as typed by a user and outlive the person whose value it is. A value that cannot be told from a
 * user's belongs to the user.
 */
import type { Connector, ReadBack, WrittenFields } from '../../connectors/contract.ts';
import { portionsOf } from '../core/parallel.ts';
import type { Run, SyncDeps } from '../run/context.ts';
import type { NormalisedFields } from '../run/normalised-fields.ts';
import { normalisedEntry, type OwnedValues } from '../store/contacts/owned-values.ts';
import type { FieldEnd } from '../store/fields/field-end.ts';
import type { FieldPlan } from './plan.ts';
import { valueFingerprint } from './values.ts';

type ReadBackDeps = Pick<SyncDeps, 'store' | 'connector' | 'log'>;

/** What is known at the start of a run. */
export async function loadNormalised(
  { store }: Pick<ReadBackDeps, 'store'>,
  integrationId: string,
): Promise<NormalisedFields> {
  const known = await store.normalisedFields.list(integrationId);
  return { marked: new Set(known.map(({ field }) => field)), isFirstRead: false };
}

/**
 * The ends of writes with what the CRM's automation has made of the values. The first batch of a run is read
 * back whole, others where a marked field was written. A CRM that cannot tell changes nothing here.
 */
export async function recogniseNormalised(
  deps: ReadBackDeps,
  run: Pick<Run, 'id' | 'lease' | 'normalised'>,
  sentAtMs: number,
  plans: readonly FieldPlan[],
  ends: Map<string, FieldEnd>,
): Promise<void> {
  const { connector, store, log } = deps;
  const { normalised } = run;
  if (connector.readBack === undefined || normalised === undefined) return;
  const written = plans.flatMap((plan): WrittenFields[] => {
    const end = ends.get(plan.crmId);
    if (end?.isDone !== true || end.writeId === null) return [];
    const all = Object.keys(plan.changes).filter((field) => (plan.changes[field] ?? null) !== null);
    const fields = normalised.isFirstRead
      ? all.filter((field) => normalised.marked.has(field))
      : all;
    return fields.length > 0 ? [{ id: plan.crmId, fields, sentAtMs }] : [];
  });
  if (written.length === 0) return;
  normalised.isFirstRead = true;
  const read = await readAll(connector, written);
  const noticed = new Set<string>();
  const byId = new Map(plans.map((plan) => [plan.crmId, plan]));
  for (const { id, values, automated } of read) {
    const [plan, end] = [byId.get(id), ends.get(id)];
    if (plan === undefined || end === undefined || values === null) continue;
    const changed = automated.filter((field) => Object.hasOwn(plan.changes, field));
    const entries = changed.flatMap((field): [string, string][] => {
      const sent = valueFingerprint(deps, id, field, plan.changes[field] ?? null);
      const standing = valueFingerprint(deps, id, field, values[field] ?? null);
      return sent === standing ? [] : [[field, normalisedEntry(sent, standing)]];
    });
    for (const [field] of entries) if (!normalised.marked.has(field)) noticed.add(field);
    if (entries.length > 0) ends.set(id, withEntries(plan, end, Object.fromEntries(entries)));
  }
  if (noticed.size === 0) return;
  for (const field of noticed) normalised.marked.add(field);
  await store.normalisedFields.record(run.lease, [...noticed]);
  log.info(
    { run: run.id, fields: [...noticed] },
    'automation of the CRM changes values after a write',
  );
}

/** What we own, and what undo recognises, is also the value that the automation has made. */
function withEntries({ write }: FieldPlan, end: FieldEnd, entries: OwnedValues): FieldEnd {
  const owned = end.owned === null ? null : { ...end.owned, ...entries };
  return { ...end, owned, after: { ...(end.after ?? write?.after ?? {}), ...entries } };
}

async function readAll(
  connector: Pick<Connector, 'readBack' | 'capabilities'>,
  written: readonly WrittenFields[],
): Promise<ReadBack[]> {
  const read: ReadBack[] = [];
  for (const some of portionsOf(written, connector.capabilities.readBatch)) {
    read.push(...((await connector.readBack?.(some)) ?? []));
  }
  return read;
}
