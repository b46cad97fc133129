/**
 * After ordinary work: values that were paid for and could not be written are written now, without a
 * credit, if the reason is gone. They come from the kept profiles.
 */
import { isFatalError } from '../../core/errors.ts';
import type { FieldMapping } from '../../core/field-map.ts';
import type { Profile } from '../../core/profile.ts';
import { decryptProfile } from '../../fields/kept-profile.ts';
import { readRecords } from '../../fields/records.ts';
import { fieldMapOf } from '../../fields/value-states.ts';
import { type WrittenEnd, writeFields } from '../../fields/write.ts';
import type { Run, SyncDeps } from '../../run/context.ts';
import { refreshIfAlike } from '../../run/erased.ts';
import type { KeptOfContact, LaterEnd } from '../../store/fields/kept-profiles.ts';
import { fetchResults } from '../deliver.ts';
import { planDelivery } from '../profile-delivery.ts';
import { chooseLines, decideRedelivery, isFreedBy, type RedeliveryDecision } from './decision.ts';

type RedeliverDeps = Pick<
  SyncDeps,
  | 'store'
  | 'connector'
  | 'partner'
  | 'sealer'
  | 'clock'
  | 'log'
  | 'newId'
  | 'otherForms'
  | 'retention'
>;

/** Contacts that are written to learn whether a rule of the CRM still refuses them. */
const PROBED_AT_ONCE = 5;

/** Contacts that are looked at together; the CRM's own batches are smaller. */
const LOOKED_AT_ONCE = 200;

/** Delivers again what can be written now, without what this run has found out itself. A run with nothing waiting makes two small queries. */
export async function redeliverProfiles(
  deps: RedeliverDeps,
  run: Run,
  startedAt: number,
): Promise<void> {
  const { store, clock } = deps;
  const { id } = run.integration;
  const present = fieldMapOf(deps, run.mappings);
  const waiting = await store.keptProfiles.listWaiting(id, { before: startedAt });
  const offered = await store.keptProfiles.listOfferedMaps(id);
  const decision = decideRedelivery(deps, run, { waiting, offered, present, now: clock.now() });
  if (run.only !== null) {
    // Whoever names a contact wants to know about all of its values.
    await deliverAll(deps, run, { ...decision, freed: [...decision.freed, ...decision.probed] });
    return;
  }
  const accepted: RedeliveryDecision['freed'][number][] = [];
  for (const kind of decision.kindsToProbe) {
    if (run.control.stopping.aborted) return;
    const probes = await store.keptProfiles.listToProbe(id, kind, {
      before: startedAt,
      limit: PROBED_AT_ONCE,
    });
    const ends = await deliver(deps, run, probes, { ...decision, freed: decision.probed });
    accepted.push(...decision.probed.filter((note) => isFreedBy(note, kind, probes, ends)));
  }
  await deliverAll(deps, run, { ...decision, freed: [...decision.freed, ...accepted] });
}

async function deliverAll(
  deps: RedeliverDeps,
  run: Run,
  decision: RedeliveryDecision,
): Promise<void> {
  const { freed, maps } = decision;
  if (freed.length === 0 && maps.length === 0) return;
  const { keptProfiles } = deps.store;
  const { only } = run;
  const limit = Math.min(LOOKED_AT_ONCE, deps.connector.capabilities.writeBatch.max);
  for (let after = ''; !run.control.stopping.aborted; ) {
    const next = { after, limit };
    const found =
      only === null
        ? await keptProfiles.listFreed(run.integration.id, { notes: freed, maps }, next)
        : await keptProfiles.listDelivered(run.integration.id, { ...next, only });
    await deliver(deps, run, found, decision);
    const last = found.at(-1);
    if (last === undefined || found.length < limit) return;
    after = last.kept.crmId;
  }
}

/** Delivers the values of these contacts that are free, through the guard of every delivery. */
async function deliver(
  deps: RedeliverDeps,
  run: Run,
  found: readonly KeptOfContact[],
  decision: RedeliveryDecision,
): Promise<Map<string, LaterEnd>> {
  const chosen = found.flatMap((each) => {
    // A profile of another donor than the contact's belongs to a decision.
    if (each.contact.donorId === null) return [];
    if (each.kept.donor !== deps.store.fingerprint('donor', each.contact.donorId)) return [];
    // Values of another donor are replaced whole or not at all, which is for a delivery of its own.
    if (each.contact.valuesDonor !== null && each.contact.valuesDonor !== each.contact.donorId)
      return [];
    const lines = chooseLines(deps, run.mappings, each, decision);
    return lines.length === 0 ? [] : [{ each, lines }];
  });
  const profiles = await openProfiles(
    deps,
    run,
    chosen.map(({ each }) => each),
  );
  const ready = chosen.flatMap(({ each, lines }) => {
    const profile = profiles.get(each.kept.crmId);
    return profile === undefined ? [] : [{ each, lines, profile }];
  });
  if (ready.length === 0) return new Map();
  const crmIds = ready.map(({ each }) => each.kept.crmId);
  const recordOf = await readRecords(deps, run, crmIds);
  await refreshIfAlike(
    deps,
    run,
    crmIds.map((id) => recordOf(id).lookup),
  );
  const approvals = await deps.store.holds.listApprovals(
    ready.map(({ each }) => each.kept.trackingId),
  );
  const mappingsOf = sharedLists();
  const plans = ready.flatMap(({ each: { kept, contact, job }, lines, profile }) => {
    const planned = planDelivery(
      deps,
      { ...run, mappings: mappingsOf(lines) },
      { ready: { jobId: job.jobId ?? '', job, contact }, profile },
      {
        ...recordOf(kept.crmId),
        approval: approvals.get(kept.trackingId) ?? null,
        isAgain: kept.fieldMap !== '',
      },
    );
    // What the guard keeps out goes on waiting: reading decides about the contact itself.
    return planned.kind === 'fields' ? [{ plan: planned.plan, lines }] : [];
  });
  const written = await writeFields(
    deps,
    run,
    plans.map(({ plan }) => plan),
  );
  const { fieldMap } = decision.present;
  const ends = plans.flatMap(({ plan, lines }) => {
    const end = written.get(plan.crmId);
    return end === undefined ? [] : laterEnd(plan.crmId, lines, end, fieldMap);
  });
  await deps.store.keptProfiles.recordLater(run.lease, run.id, ends);
  return new Map(ends.map((end) => [end.crmId, end]));
}

/** Equal lists of lines are one object: what is computed of a list is remembered by it. */
function sharedLists(): (lines: readonly FieldMapping[]) => readonly FieldMapping[] {
  const known = new Map<string, readonly FieldMapping[]>();
  return (lines) => {
    const key = JSON.stringify(lines);
    const list = known.get(key) ?? lines;
    known.set(key, list);
    return list;
  };
}

const NO_CREDIT = 'From the profile that was paid for before, no credit.';

function laterEnd(
  crmId: string,
  lines: readonly FieldMapping[],
  { reason, detail, words, owned, writeId, isDone, after, values }: WrittenEnd,
  fieldMap: string,
): LaterEnd {
  const isPassing = !isDone && reason !== 'crm_refused';
  return {
    ...{ crmId, reason, words, owned, writeId, isDone, values, fieldMap, isPassing },
    detail: detail === null ? NO_CREDIT : `${NO_CREDIT} ${detail}`,
    offered: lines.map(({ to }) => to),
    ...(after === undefined ? {} : { after }),
  };
}

/** The kept profiles; where none is kept, the results that the service still has, which is free. */
async function openProfiles(
  deps: RedeliverDeps,
  run: Run,
  found: readonly KeptOfContact[],
): Promise<Map<string, Profile>> {
  const profiles = new Map<string, Profile>();
  const missing: { crmId: string; jobId: string }[] = [];
  for (const { kept, job } of found) {
    if (kept.profile === '') {
      if (job.jobId !== null) missing.push({ crmId: kept.crmId, jobId: job.jobId });
      continue;
    }
    try {
      profiles.set(kept.crmId, decryptProfile(deps, kept));
    } catch (error) {
      // One row that was changed keeps only its own contact from its values.
      if (!isFatalError(error)) throw error;
      deps.log.warn({ run: run.id, code: error.code }, 'a kept profile cannot be opened');
    }
  }
  if (missing.length === 0) return profiles;
  const results = await fetchResults(deps, missing, run.control.ending);
  for (const { crmId, jobId } of missing) {
    const result = results.get(jobId);
    if (result?.state === 'completed') profiles.set(crmId, result.profile);
  }
  return profiles;
}
