/** Writes profiles and warm paths to CRM fields, in four steps: plan ► intent ► write ► conclude. */
import type {
  ContactChange,
  Overwritten,
  Refusal,
  RefusedWrite,
  WriteResult,
} from '../../connectors/contract.ts';
import { type OwnedValues, withoutFields } from '../contacts/owned-values.ts';
import { stopwatch } from '../core/clock.ts';
import type { FieldMapping } from '../core/field-map.ts';
import { LEASE_MS } from '../database/transact.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';
import { sealWords } from '../sync/control/seal-words.ts';
import type { FieldPlan } from './plan.ts';
import { readWritesBack } from './read-back.ts';
import { type IntendedWrite, recordIntendedWrites } from './statements/deliveries.ts';
import type { FieldEnd } from './statements/field-end.ts';
import { putTypedBack } from './typed-values.ts';
import { recordRefused, withRefused } from './value-states.ts';
import { valueFingerprints } from './values.ts';
import type { WrittenEnd } from './written-end.ts';

/**
 * Writes fields. Each write is recorded before it is sent, so that donor-sync can recognise and undo its values even
 * after a crash. If the CRM's response is not clear, the intent remains open, because the CRM may contain the value. If
 * another process has the lease, throws a RetriableError (`lease_lost`) and writes nothing.
 */
export async function writeFields(
  deps: Pick<SyncDeps, 'store' | 'connector' | 'sealer' | 'newId' | 'clock' | 'log'>,
  run: WritingRun & Pick<Run, 'normalised'>,
  plans: readonly FieldPlan[],
): Promise<Map<string, WrittenEnd>> {
  const writes = plans.flatMap(({ write }) => write ?? []);
  if (writes.length > 0) {
    const tookMs = stopwatch(deps.clock);
    await recordIntendedWrites(deps.store, run.lease, run.id, writes);
    // After a long pause, a different process may already have cleared an erased person's values, and this process
    // could write them again.
    if (tookMs() > LEASE_MS / 2) await deps.store.leases.renew(run.lease);
  }
  const sentAtMs = deps.clock.now();
  const sentMs = stopwatch(deps.clock);
  const sent = plans.filter(({ write }) => write !== null);
  const groups = listRangeGroups(run.mappings);
  const results = await writeChanges(
    deps,
    sent.map((plan) => ({ ...toChange(plan), ...(groups.length > 0 ? { groups } : {}) })),
  );
  const blanked = await blankRefused(deps, sent, results, sentMs);
  const ends = new Map(
    plans.map((plan) => [
      plan.crmId,
      conclude(deps, run, plan, results.get(plan.crmId), blanked.get(plan.crmId)),
    ]),
  );
  await putTypedBack(deps, run, overwrittenIn(results), sent, ends);
  const overwritten = await readWritesBack(deps, run, sentAtMs, sent, ends);
  await putTypedBack(deps, run, overwritten, sent, ends);
  return ends;
}

/** Returns the users' values that the write has replaced, if the CRM reports them. */
function overwrittenIn(results: ReadonlyMap<string, WriteResult>): Map<string, Overwritten> {
  const found = new Map<string, Overwritten>();
  for (const [id, result] of results) {
    if (result.status !== 'refused' && result.overwritten !== undefined) {
      found.set(id, result.overwritten);
    }
  }
  return found;
}

function toChange({ crmId, changes, together, probe, seen }: FieldPlan): ContactChange {
  return {
    id: crmId,
    values: changes,
    seen,
    ...(together ? { together } : {}),
    ...(probe ? { probe } : {}),
  };
}

/** Returns fields that must be changed together. For example, a range's label needs both ends of the range. */
function listRangeGroups(mappings: readonly FieldMapping[]): string[][] {
  const range = mappings.flatMap(({ from, to }) => (from.startsWith('netWorth.') ? to : []));
  return range.length > 1 ? [range] : [];
}

/** The maximum number of attempts to replace a person's values. */
const MOST_BLANKINGS = 8;

/**
 * The maximum age of a contact's data for further attempts, which use the values from before the first attempt. After
 * this time, the contact may be another person, so the next run reads it again.
 */
const MAX_READ_AGE_MS = 2 * 60_000;

/** The cleared fields and the CRM's refusals, by CRM ID. */
type Blanked = ReadonlyMap<string, { fields: readonly string[]; refusals: readonly Refusal[] }>;

/**
 * Replaces another person's values again after a refusal. Refused fields are cleared, because the former person's
 * values must not remain. The previous values are already stored. `results` gets the last result of each contact.
 */
async function blankRefused(
  deps: Pick<SyncDeps, 'connector'>,
  plans: readonly FieldPlan[],
  results: Map<string, WriteResult>,
  sentMs: () => number,
): Promise<Blanked> {
  const blanked = new Map<string, { fields: string[]; refusals: Refusal[] }>();
  let open = plans.filter(({ together }) => together);
  for (let times = 0; times < MOST_BLANKINGS && open.length > 0; times += 1) {
    open = open.filter((plan) => recordBlanked(plan, results.get(plan.crmId), blanked));
    if (sentMs() > MAX_READ_AGE_MS) {
      for (const { crmId } of open) results.set(crmId, { ...READ_LONG_AGO, id: crmId });
      break;
    }
    const changes = open.map((plan) => {
      const fields = blanked.get(plan.crmId)?.fields ?? [];
      const nulls = Object.fromEntries(fields.map((field) => [field, null]));
      return { ...toChange(plan), values: { ...plan.changes, ...nulls } };
    });
    for (const [id, result] of await writeChanges(deps, changes)) results.set(id, result);
  }
  return blanked;
}

const READ_LONG_AGO: Omit<RefusedWrite, 'id'> = {
  status: 'refused',
  retriable: true,
  code: 'record_read_long_ago',
  message: 'The CRM took minutes to refuse a value, so the next run reads the contact again first.',
  fields: [],
};

/** Records fields that refused a new person's values. Returns false if no field is left to clear. */
function recordBlanked(
  { crmId, changes }: FieldPlan,
  result: WriteResult | undefined,
  blanked: Map<string, { fields: string[]; refusals: Refusal[] }>,
): boolean {
  if (result?.status !== 'refused' || result.retriable) return false;
  const known = blanked.get(crmId) ?? { fields: [], refusals: [] };
  const fields = result.fields.filter(
    (field) => (changes[field] ?? null) !== null && !known.fields.includes(field),
  );
  if (fields.length === 0) return false;
  blanked.set(crmId, {
    fields: [...known.fields, ...fields],
    refusals: [...known.refusals, { ...result, fields }],
  });
  return true;
}

type WritingRun = Pick<Run, 'id' | 'lease' | 'integration' | 'fields' | 'mappings'>;

/** Writes changes to the CRM. Returns the results by CRM ID. */
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
  blanked: { fields: readonly string[]; refusals: readonly Refusal[] } | undefined,
): WrittenEnd {
  const { crmId, reason, detail, owned, values, write } = plan;
  if (write !== null && result?.status === 'written' && blanked !== undefined) {
    const words = blanked.refusals.find((refusal) => refusal.words != null)?.words;
    return {
      ...withBlanked(deps, plan, write, blanked),
      values: withRefused(values, recordRefused(deps, run, blanked.fields, blanked.refusals)),
      words: sealWords(deps, run, crmId, words),
      writeId: write.id,
      isDone: true,
    };
  }
  if (write === null || result?.status === 'written') {
    return { reason, detail, owned, values, words: null, writeId: write?.id ?? null, isDone: true };
  }
  if (result?.status === 'written_in_part') {
    const words = result.refusals.find((refusal) => refusal.words != null)?.words;
    return {
      ...withoutRefused(plan, write, result.refusals),
      values: withRefused(
        values,
        recordRefused(deps, run, Object.keys(plan.changes), result.refusals),
      ),
      words: sealWords(deps, run, crmId, words),
      writeId: write.id,
      isDone: true,
    };
  }
  return {
    reason:
      plan.together && result?.retriable === false ? 'values_of_two_people' : getReason(result),
    detail: result
      ? `${result.code}: ${result.message}`
      : 'The CRM did not return a result for this record.',
    words: sealWords(deps, run, crmId, result?.words),
    owned: null,
    values:
      result?.retriable === false
        ? withRefused(values, recordRefused(deps, run, Object.keys(plan.changes), [result]))
        : values,
    writeId: result && result.isPartlyStored !== true ? write.id : null,
    isDone: false,
  };
}

/** Returns the outcome of a write. A lock is the only failure that another user causes. */
function getReason(result: RefusedWrite | undefined): FieldEnd['reason'] {
  if (result?.retriable === false) return 'crm_refused';
  return result?.isLock === true ? 'crm_busy' : 'crm_passing';
}

/** Leaves out refused fields, because they do not change. */
function withoutRefused(
  { detail, owned, standing }: FieldPlan,
  { after }: IntendedWrite,
  refusals: readonly Refusal[],
): Pick<FieldEnd, 'reason' | 'detail' | 'owned' | 'after'> {
  const refused = refusals.flatMap(({ fields }) => fields).filter((name) => name in after);
  const texts = refusals.map(({ code, message }) => `${code}: ${message}`);
  const isByRule = detail === null && refusals.every(({ cause }) => cause === 'rule');
  return {
    reason: isByRule ? 'fields_written_some_refused' : 'fields_written_some_unfit',
    detail: [...(detail === null ? [] : [detail]), ...new Set(texts)].join(' '),
    owned: { ...withoutFields(owned, refused), ...only(standing, refused) },
    after: withoutFields(after, refused),
  };
}

/** Adds the cleared fields. The former person's values were cleared, because the CRM refused the new values. */
function withBlanked(
  deps: Pick<SyncDeps, 'store'>,
  { crmId, detail, owned }: FieldPlan,
  { after }: IntendedWrite,
  { fields, refusals }: { fields: readonly string[]; refusals: readonly Refusal[] },
): Pick<FieldEnd, 'reason' | 'detail' | 'owned' | 'after'> {
  const nulls = Object.fromEntries(fields.map((field) => [field, null]));
  const fingerprints = valueFingerprints(deps, crmId, nulls);
  const texts = refusals.map(({ code, message }) => `${code}: ${message}`);
  return {
    reason: 'fields_written_some_unfit',
    detail: [...(detail === null ? [] : [detail]), ...new Set(texts)].join(' '),
    // The field is blank because the CRM refused the value, and not because of a user. Therefore, the value still
    // waits.
    owned: withoutFields(owned, fields),
    after: { ...after, ...fingerprints },
  };
}

function only(values: OwnedValues, fields: readonly string[]): OwnedValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => fields.includes(name)));
}
