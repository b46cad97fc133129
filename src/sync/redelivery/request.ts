/**
 * Delivers stored profiles again at a user's request (`--redeliver`). The user can get a preview with numbers, and can
 * start a run that delivers. The preview and the run cost no credits.
 */
import type { FieldMapping } from '../../core/field-map.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { getOutcome, isOutcomeReason } from '../../core/outcome.ts';
import { NEVER_OFFERED, type ValueState } from '../../database/tables/fields.ts';
import { readFields } from '../../fields/describe.ts';
import { encryptProfile, NOT_KEPT } from '../../fields/kept-profile.ts';
import type { RedeliveryExclusion } from '../../fields/redelivery-view.ts';
import {
  type FetchedAgain,
  type KeptOfContact,
  keepProfilesAgain,
  listDeliveredProfiles,
  listUnkeptProfiles,
  noteFieldMap,
} from '../../fields/statements/kept-profiles.ts';
import {
  countNotDeliverable,
  type NotDeliverable,
  requestRedelivery,
} from '../../fields/statements/later-deliveries.ts';
import { fingerprintFieldMap, isProfileLine } from '../../fields/value-states.ts';
import { toContactId } from '../control/contact-id.ts';
import type { RedeliveryRequest, Run, SyncDeps } from '../control/context.ts';
import { accountFingerprint } from '../control/crm-account.ts';
import { loadErased } from '../control/erased.ts';
import { fetchDelivered } from '../delivery/paid-profiles.ts';
import { previewIdentities } from '../identities.ts';
import { requireContact } from '../require-contact.ts';
import { type Choice, type Offer, type OfferRun, planOffers } from './offers.ts';
import { deliverFreed, deliverNamed, pageSize } from './redeliver.ts';

/** The effects that a requested delivery would have. */
export interface RedeliveryPreview {
  integration: string;
  /** The chosen fields, or null for all mapped fields. */
  fields: readonly string[] | null;
  /** The number of contacts that would get at least one value. */
  contacts: number;
  /** The number of contacts whose fields already contain all the values. */
  unchanged: number;
  values: { field: string; contacts: number }[];
  /** The values that the delivery would not write to a contact although it writes other values to this contact. */
  kept: { field: string; state: ValueState; contacts: number }[];
  /** The contacts to which the delivery would write no values. */
  excluded: { reason: RedeliveryExclusion; contacts: number }[];
}

/** A delivery that a user has requested or wants to preview. */
export interface PreviewedRequest extends RedeliveryRequest {
  integration: Integration;
  mappings: readonly FieldMapping[];
  /** The CRM ID of the contact, or null for all contacts. */
  only: string | null;
}

/** Computes the effects of a requested delivery. Writes nothing, and sends only free requests. */
export async function previewRedelivery(
  deps: SyncDeps,
  request: PreviewedRequest,
): Promise<RedeliveryPreview> {
  const { store, canonicalId } = deps;
  const { integration, mappings, fields: wanted } = request;
  const one = request.only === null ? null : toContactId(canonicalId, integration.id, request.only);
  if (one !== null) await requireContact(deps, integration, one);
  const only = one === null ? null : [one];
  const run = await toOfferRun(deps, request);
  const counts = createCounts();
  for (const outside of await countNotDeliverable(store.reader, integration.id, only)) {
    counts.exclude(getExclusion(outside), outside.contacts);
  }
  for await (const page of readPages(deps, integration.id, only)) {
    const choices = page.map((each) => requestedChoice(mappings, each, wanted));
    for (const offer of await planOffers(deps, run, choices)) counts.add(offer);
  }
  return { integration: integration.id, fields: wanted, ...counts.sum() };
}

/**
 * Reads the state of the CRM and the data about erased people. Planning a delivery outside a run requires this data.
 */
export async function toOfferRun(
  deps: SyncDeps,
  { integration, mappings }: Pick<PreviewedRequest, 'integration' | 'mappings'>,
): Promise<OfferRun> {
  const { fields, described } = await readFields(deps.connector, mappings);
  const account = accountFingerprint(deps.store, deps.connector);
  return {
    integration,
    mappings,
    fields,
    described,
    ...(await loadErased(deps, integration.id, account)),
    identities: await previewIdentities(deps, { integration }),
  };
}

/**
 * Delivers the stored profiles that a user has requested. If the delivery is interrupted, the next run completes it.
 */
export async function redeliverRequested(
  deps: SyncDeps,
  run: Run,
  { fields }: RedeliveryRequest,
): Promise<void> {
  const present = fingerprintFieldMap(deps, run.mappings);
  await deps.store.checkpoint(run.lease, (trx) => noteFieldMap(trx, present));
  await keepAgain(deps, run);
  await deps.store.checkpoint(run.lease, (trx) => requestRedelivery(trx, fields, run.only));
  const decision = {
    present,
    freed: [],
    probed: [],
    kindsToProbe: [],
    maps: [],
    linesByFieldMap: new Map(),
    isRequested: true,
    isRequestOnly: true,
  };
  if (run.only === null) await deliverFreed(deps, run, decision);
  else await deliverNamed(deps, run, decision, run.only);
}

/** Stores delivered profiles that are not stored yet, if the service still has them. */
async function keepAgain(deps: SyncDeps, run: Run): Promise<void> {
  const { id } = run.integration;
  const { store, retention } = deps;
  for await (const page of unkeptPages(deps, id, run.only)) {
    if (run.control.stopping.aborted) return;
    const jobs = page.map(({ kept, job }) => ({
      ...job,
      crmId: kept.crmId,
      jobId: job.jobId ?? '',
    }));
    const { profiles } = await fetchDelivered(deps, jobs, run.control.ending);
    const fetched = page.flatMap(({ kept, job }): FetchedAgain[] => {
      const profile = profiles.get(kept.crmId);
      if (profile === undefined) return [];
      const sealed =
        retention.profiles === 0 ? NOT_KEPT : encryptProfile(deps, id, kept.crmId, profile);
      const { submittedAt } = job;
      const donor = store.fingerprint('donor', profile.donorId);
      return [{ ...sealed, crmId: kept.crmId, trackingId: kept.trackingId, donor, submittedAt }];
    });
    await store.checkpoint(run.lease, (trx) => keepProfilesAgain(trx, fetched));
  }
}

/** Yields all contacts to which the run may deliver values, one page at a time. */
async function* readPages(
  deps: SyncDeps,
  integrationId: string,
  only: readonly string[] | null,
): AsyncGenerator<readonly KeptOfContact[]> {
  const limit = pageSize(deps);
  for (let after: string | null = ''; after !== null; ) {
    const page: KeptOfContact[] = await listDeliveredProfiles(deps.store.reader, integrationId, {
      after,
      limit,
      only,
    });
    yield page;
    after = page.length < limit ? null : (page.at(-1)?.kept.crmId ?? null);
  }
  yield* unkeptPages(deps, integrationId, only);
}

/** Yields contacts that have no stored profile. The rows look like stored profiles, but contain no profile text. */
async function* unkeptPages(
  deps: Pick<SyncDeps, 'store' | 'connector'>,
  integrationId: string,
  only: readonly string[] | null,
): AsyncGenerator<readonly KeptOfContact[]> {
  const { store } = deps;
  const limit = pageSize(deps);
  for (let after: string | null = ''; after !== null; ) {
    const page = await listUnkeptProfiles(store.reader, integrationId, { after, limit, only });
    yield page.map(
      ({ contact, job }): KeptOfContact => ({
        contact,
        job,
        values: [],
        kept: {
          integrationId,
          crmId: contact.crmId,
          trackingId: job.trackingId,
          isDelivered: 1,
          fieldMap: NEVER_OFFERED,
          keptAt: job.submittedAt,
          optedOutAt: null,
          requested: null,
          goneAt: null,
          ...NOT_KEPT,
          donor: store.fingerprint('donor', contact.donorId ?? ''),
        },
      }),
    );
    after = page.length < limit ? null : (page.at(-1)?.contact.crmId ?? null);
  }
}

/**
 * Returns the field map lines of these fields, as if a user had requested them. Null selects all fields of the field
 * map.
 */
export function requestedChoice(
  mappings: readonly FieldMapping[],
  each: KeptOfContact,
  fields: readonly string[] | null,
): Choice {
  const lines = mappings.filter(
    (line) => isProfileLine(line) && (fields === null || fields.includes(line.to)),
  );
  const requested = new Set(lines.map(({ to }) => to));
  return { each, lines, requested, fieldMap: NEVER_OFFERED, mayReplaceDonor: fields === null };
}

/** Returns the reason why the run delivers nothing to a contact: the contact is busy, or no profile is available. */
export function getExclusion({
  state,
  isEligible,
  isOutside,
  isGone,
  reason,
}: NotDeliverable): RedeliveryExclusion {
  if (state === 'held') return 'decision_pending';
  if (state !== 'settled') return 'profile_coming';
  if (!isEligible) {
    const isSkipped = isOutcomeReason(reason) && getOutcome(reason) === 'skipped';
    return isSkipped ? reason : 'never_delivered';
  }
  if (isOutside) return 'outside_filter';
  return isGone ? 'no_profile' : 'never_delivered';
}

function createCounts() {
  const excluded = new Map<RedeliveryExclusion, number>();
  const values = new Map<string, number>();
  const kept = new Map<string, RedeliveryPreview['kept'][number]>();
  let contacts = 0;
  let unchanged = 0;

  function exclude(reason: RedeliveryExclusion, count: number): void {
    excluded.set(reason, (excluded.get(reason) ?? 0) + count);
  }

  return {
    exclude,
    add(offer: Offer): void {
      if (offer.kind === 'excluded') {
        exclude(offer.why, 1);
        return;
      }
      const { changes, values: notes } = offer.plan;
      const changed = Object.keys(changes);
      if (changed.length > 0) contacts += 1;
      else if (notes.length === 0) unchanged += 1;
      for (const field of changed) values.set(field, (values.get(field) ?? 0) + 1);
      for (const { field, state } of notes) {
        const key = JSON.stringify([field, state]);
        const known = kept.get(key) ?? { field, state, contacts: 0 };
        kept.set(key, { ...known, contacts: known.contacts + 1 });
      }
    },
    sum: (): Omit<RedeliveryPreview, 'integration' | 'fields'> => ({
      contacts,
      unchanged,
      values: [...values].map(([field, count]) => ({ field, contacts: count })),
      kept: [...kept.values()],
      excluded: [...excluded].map(([reason, count]) => ({ reason, contacts: count })),
    }),
  };
}
