/**
 * Writes paid values that could not be written before, once the reason no longer applies. Takes the values from stored
 * profiles, so they cost no credits. Called after a run's ordinary work.
 */

import {
  type KeptOfContact,
  type LaterEnd,
  listDeliveredProfiles,
  listFreedProfiles,
  listOfferedMaps,
  listProfilesToProbe,
  noteGoneProfiles,
  recordLaterDeliveries,
  recordLostValues,
} from '../../fields/statements/kept-profiles.ts';
import {
  endRedeliveryRequest,
  hasRedeliveryRequest,
} from '../../fields/statements/later-deliveries.ts';
import {
  listWaitingValues,
  recordProbed,
  UNFIT_STATES,
} from '../../fields/statements/value-states.ts';
import { fingerprintFieldMap } from '../../fields/value-states.ts';
import { writeFields } from '../../fields/write.ts';
import type { WrittenEnd } from '../../fields/written-end.ts';
import type { Run } from '../control/context.ts';
import {
  chooseLines,
  decideRedelivery,
  isFreedBy,
  type KindToProbe,
  type RedeliveryDecision,
  requestedFields,
} from './decision.ts';
import { type Choice, type Offer, type OfferDeps, planOffers } from './offers.ts';

/** The number of contacts for which the run tests whether a CRM rule still refuses the values. */
const PROBED_AT_ONCE = 5;

/** The number of times that the run chooses other contacts for a test, if it must not write to the chosen ones. */
const PROBE_ROUNDS = 20;

/** The number of contacts that the run handles together. The CRM's own batches are smaller. */
const LOOKED_AT_ONCE = 200;

/**
 * Delivers the values that can be written now, except values that this run has found to be unwritable. If no values are
 * waiting, the function makes only three small queries.
 */
export async function redeliverProfiles(
  deps: OfferDeps,
  run: Run,
  startedAt: number,
): Promise<void> {
  const { store, clock } = deps;
  const { id } = run.integration;
  const present = fingerprintFieldMap(deps, run.mappings);
  const waiting = await listWaitingValues(store.reader, id, {
    states: UNFIT_STATES,
    before: startedAt,
  });
  const offered = await listOfferedMaps(store.reader, id);
  const isRequested = await hasRedeliveryRequest(store.reader, id);
  const decision = {
    ...decideRedelivery(deps, run, { waiting, offered, present, now: clock.now() }),
    isRequested,
  };
  if (run.only !== null) {
    // If a user names a contact, the user wants to know the result for all its values.
    const freed = [...decision.freed, ...decision.probed];
    await deliverNamed(deps, run, { ...decision, freed }, run.only);
    return;
  }
  const accepted: RedeliveryDecision['freed'][number][] = [];
  const misjudged: RedeliveryDecision['freed'][number][] = [];
  for (const kind of decision.kindsToProbe) {
    if (run.control.stopping.aborted) return;
    const { probes, ends } = await probe(deps, run, kind, { decision, startedAt });
    const others = decision.probed.filter((note) => isFreedBy(note, kind, probes, ends));
    (kind.isWeekly ? misjudged : accepted).push(...others);
  }
  await deliverFreed(deps, run, { ...decision, freed: [...decision.freed, ...accepted] });
  if (misjudged.length === 0) return;
  // The connector would leave these values out again, although the CRM has accepted similar values. Therefore, the run
  // sends all of them and lets the CRM decide.
  const last = { ...decision, freed: misjudged, maps: [], isRequested: false };
  await deliverFreed(deps, run, last, { probe: true });
}

/**
 * Sends values that the CRM refused for one reason, to find out whether the CRM still refuses them. If donor-sync must
 * not write to a chosen contact, for example because its record is hidden, the function chooses another contact.
 */
async function probe(
  deps: OfferDeps,
  run: Run,
  kind: KindToProbe,
  { decision, startedAt }: { decision: Decision; startedAt: number },
): Promise<{ probes: KeptOfContact[]; ends: Map<string, LaterEnd> }> {
  const { store, clock } = deps;
  const probes: KeptOfContact[] = [];
  const ends = new Map<string, LaterEnd>();
  const tried = { ...decision, freed: decision.probed };
  for (let round = 0; round < PROBE_ROUNDS && !run.control.stopping.aborted; round += 1) {
    const limit = PROBED_AT_ONCE - ends.size;
    if (limit <= 0) break;
    const next = await listProfilesToProbe(store.reader, run.integration.id, kind, {
      before: startedAt,
      limit,
    });
    if (next.length === 0) break;
    probes.push(...next);
    for (const [crmId, end] of await deliver(deps, run, next, tried, { probe: kind.isWeekly })) {
      ends.set(crmId, end);
    }
    const notSent = next.flatMap(({ kept }) => (ends.has(kept.crmId) ? [] : kept.crmId));
    if (notSent.length === 0) break;
    await store.checkpoint(run.lease, (trx) => recordProbed(trx, notSent, kind, clock.now()));
  }
  return { probes, ends };
}

/** The decision, and whether users have requested further deliveries. */
type Decision = RedeliveryDecision & { isRequested: boolean };

/** Delivers to each contact whose waiting values can now be written or were requested by a user. */
export async function deliverFreed(
  deps: OfferDeps,
  run: Run,
  decision: Decision,
  how: { probe?: boolean } = {},
): Promise<void> {
  const { freed: notes, maps, isRequested } = decision;
  if (notes.length === 0 && maps.length === 0 && !isRequested) return;
  const limit = pageSize(deps);
  for (let after: string | null = ''; after !== null && !run.control.stopping.aborted; ) {
    const freed = { notes, maps, isRequested };
    const page = await listFreedProfiles(deps.store.reader, run.integration.id, freed, {
      after,
      limit,
    });
    await deliver(deps, run, page.found, decision, how);
    after = page.next;
  }
}

/** Delivers only to the contacts that the run names. */
export async function deliverNamed(
  deps: OfferDeps,
  run: Run,
  decision: Decision,
  only: readonly string[],
): Promise<void> {
  if (decision.freed.length === 0 && decision.maps.length === 0 && !decision.isRequested) return;
  const limit = pageSize(deps);
  for (let after = ''; !run.control.stopping.aborted; ) {
    const next = { after, limit, only };
    const found = await listDeliveredProfiles(deps.store.reader, run.integration.id, next);
    await deliver(deps, run, found, decision);
    const last = found.at(-1);
    if (last === undefined || found.length < limit) return;
    after = last.kept.crmId;
  }
}

/** Returns the number of contacts in one page of later deliveries. */
export function pageSize({ connector }: Pick<OfferDeps, 'connector'>): number {
  return Math.min(LOOKED_AT_ONCE, connector.capabilities.writeBatch.max);
}

/** Delivers the contacts' values that can now be written. Records the result of each delivery. */
async function deliver(
  deps: OfferDeps,
  run: Run,
  found: readonly KeptOfContact[],
  decision: RedeliveryDecision,
  { probe = false }: { probe?: boolean } = {},
): Promise<Map<string, LaterEnd>> {
  const choices = found.flatMap((each): Choice[] => {
    const lines = chooseLines(deps, run.mappings, each, decision);
    if (lines.length === 0) return [];
    const requested = requestedFields(run.mappings, each.kept);
    const isWhole = !decision.isRequestOnly || requested.isAll;
    return [
      {
        each,
        lines,
        requested: requested.fields,
        mayReplaceDonor: requested.isAll,
        fieldMap: isWhole ? decision.present.fieldMap : each.kept.fieldMap,
      },
    ];
  });
  if (choices.length === 0) return new Map();
  const offers = await planOffers(deps, run, choices);
  await endExcluded(deps, run, offers);
  const planned = offers.flatMap((offer) => (offer.kind === 'fields' ? offer : []));
  const lost = planned.flatMap(({ plan, isLost }) => (isLost ? plan.crmId : []));
  if (lost.length > 0) {
    await deps.store.checkpoint(run.lease, (trx) => recordLostValues(trx, run.id, lost));
  }
  const written = await writeFields(
    deps,
    run,
    planned.map(({ plan }) => (probe ? { ...plan, probe } : plan)),
  );
  const ends = planned.flatMap(({ plan, choice, newDonor }) => {
    const end = written.get(plan.crmId);
    return end === undefined ? [] : laterEnd(choice, end, newDonor);
  });
  if (ends.length > 0) {
    await deps.store.checkpoint(run.lease, (trx) => recordLaterDeliveries(trx, run.id, ends));
  }
  return new Map(ends.map((end) => [end.crmId, end]));
}

/**
 * Ends requests for values that the guard refuses. Refused values without a request continue to wait, because the next
 * reading decides about the contact.
 */
async function endExcluded(
  { store }: Pick<OfferDeps, 'store'>,
  run: Pick<Run, 'lease'>,
  offers: readonly Offer[],
): Promise<void> {
  const excluded = offers.flatMap((offer) => (offer.kind === 'excluded' ? offer : []));
  const listIds = (some: typeof excluded) => some.map(({ choice }) => choice.each.kept.crmId);
  const gone = listIds(excluded.filter(({ why }) => why === 'no_profile'));
  if (gone.length > 0) await store.checkpoint(run.lease, (trx) => noteGoneProfiles(trx, gone));
  const requested = listIds(excluded.filter(({ choice }) => choice.each.kept.requested !== null));
  if (requested.length > 0) {
    await store.checkpoint(run.lease, (trx) => endRedeliveryRequest(trx, requested));
  }
}

const NO_CREDIT = 'From the profile that was already paid for, at no cost.';

function laterEnd(
  { each, lines, fieldMap }: Choice,
  { reason: ended, detail, words, owned, writeId, isDone, after, values }: WrittenEnd,
  newDonor: LaterEnd['newDonor'],
): LaterEnd {
  // The run has written nothing, and the contact keeps its old values, so no user has to decide.
  const reason = ended === 'values_of_two_people' ? 'crm_refused' : ended;
  const isPassing = !isDone && reason !== 'crm_refused';
  const { crmId } = each.kept;
  return {
    crmId,
    reason,
    words,
    owned,
    writeId,
    isDone,
    values,
    fieldMap,
    isPassing,
    newDonor,
    detail: detail === null ? NO_CREDIT : `${NO_CREDIT} ${detail}`,
    offered: lines.map(({ to }) => to),
    ...(after === undefined ? {} : { after }),
  };
}
