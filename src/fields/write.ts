/** plan ► intent ► write ► conclude: how profiles and warm paths come into the fields of a CRM. */
import type {
  ContactChange,
  Refusal,
  RefusedWrite,
  WriteResult,
} from '../../connectors/contract.ts';
import { stopwatch } from '../core/clock.ts';
import type { Run, SyncDeps } from '../run/context.ts';
import { sealWords } from '../run/seal-words.ts';
import type { OwnedValues } from '../store/contacts/owned-values.ts';
import { LEASE_MS } from '../store/engine/leases.ts';
import type { IntendedWrite } from '../store/fields/deliveries.ts';
import type { FieldEnd } from '../store/fields/field-end.ts';
import type { ValueNote } from '../store/fields/kept-profiles.ts';
import type { FieldPlan } from './plan.ts';
import { noteRefused } from './value-states.ts';

/**
 * Writes what is planned, and says how each contact's fields ended. The writes are on disk before
 * they are sent, so that what we wrote can be recognised as ours, and undone, also after a kill in
 * between. Where the CRM gave no result the intent stays open: its value may be there. Throws
 * RetriableError (`lease_lost`) if another has the lease by then, and writes nothing.
 */
export async function writeFields(
  deps: Pick<SyncDeps, 'store' | 'connector' | 'sealer' | 'newId' | 'clock'>,
  run: WritingRun,
  plans: readonly FieldPlan[],
): Promise<Map<string, WrittenEnd>> {
  const writes = plans.flatMap(({ write }) => write ?? []);
  if (writes.length > 0) {
    const tookMs = stopwatch(deps.clock);
    await deps.store.deliveries.recordIntended(run.lease, run.id, writes);
    // Who has stood still meanwhile may write what another has cleared since, because the person was erased.
    if (tookMs() > LEASE_MS / 2) await deps.store.leases.renew(run.lease);
  }
  const changes = plans.flatMap(({ crmId, write, changes: values }) =>
    write === null ? [] : [{ id: crmId, values }],
  );
  const results = await writeChanges(deps, changes);
  return new Map(
    plans.map((plan) => [plan.crmId, conclude(deps, run, plan, results.get(plan.crmId))]),
  );
}

/** How the fields of one contact ended. */
export interface WrittenEnd extends FieldEnd {
  /** Values of a profile that are not in their field, and why. */
  values: readonly ValueNote[];
}

type WritingRun = Pick<Run, 'id' | 'lease' | 'integration' | 'fields' | 'mappings'>;

/** Writes the changes; the result of each by CRM id. */
export async function writeChanges(
  { connector }: Pick<SyncDeps, 'connector'>,
  changes: readonly ContactChange[],
): Promise<Map<string, WriteResult>> {
  const results = new Map<string, WriteResult>();
  if (changes.length === 0) return results;
  for await (const result of connector.write(changes)) results.set(result.id, result);
  return results;
}

function conclude(
  deps: Pick<SyncDeps, 'store' | 'sealer' | 'newId'>,
  run: WritingRun,
  plan: FieldPlan,
  result: WriteResult | undefined,
): WrittenEnd {
  const { crmId, reason, detail, owned, values, write } = plan;
  if (write === null || result?.status === 'written') {
    return { reason, detail, owned, values, words: null, writeId: write?.id ?? null, isDone: true };
  }
  if (result?.status === 'written_in_part') {
    const words = result.refusals.find((refusal) => refusal.words != null)?.words;
    return {
      ...withoutRefused(plan, write, result.refusals),
      values: [...values, ...noteRefused(deps, run, Object.keys(plan.changes), result.refusals)],
      words: sealWords(deps, run, crmId, words),
      writeId: write.id,
      isDone: true,
    };
  }
  return {
    reason: reasonOf(result),
    detail: result
      ? `${result.code}: ${result.message}`
      : 'The CRM gave no result for this record.',
    words: sealWords(deps, run, crmId, result?.words),
    owned: null,
    values:
      result?.retriable === false
        ? [...values, ...noteRefused(deps, run, Object.keys(plan.changes), [result])]
        : values,
    writeId: result ? write.id : null,
    isDone: false,
  };
}

/** Only a lock is another user's doing. */
function reasonOf(result: RefusedWrite | undefined): FieldEnd['reason'] {
  if (result?.retriable === false) return 'crm_refused';
  return result?.isLock === true ? 'crm_busy' : 'crm_passing';
}

/** What holds where the CRM took all but the refused fields: in those it stays as it was before. */
function withoutRefused(
  { detail, owned }: FieldPlan,
  { after, ownedBefore }: IntendedWrite,
  refusals: readonly Refusal[],
): Pick<FieldEnd, 'reason' | 'detail' | 'owned' | 'after'> {
  const refused = refusals.flatMap(({ fields }) => fields).filter((name) => name in after);
  const texts = refusals.map(({ code, message }) => `${code}: ${message}`);
  const isByRule = detail === null && refusals.every(({ cause }) => cause === 'rule');
  return {
    reason: isByRule ? 'fields_written_some_refused' : 'fields_written_some_unfit',
    detail: [...(detail === null ? [] : [detail]), ...new Set(texts)].join(' '),
    owned: { ...without(owned, refused), ...only(ownedBefore, refused) },
    after: without(after, refused),
  };
}

function without(values: OwnedValues, fields: readonly string[]): OwnedValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !fields.includes(name)));
}

function only(values: OwnedValues, fields: readonly string[]): OwnedValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => fields.includes(name)));
}
