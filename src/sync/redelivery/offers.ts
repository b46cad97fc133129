/** Plans which values a later delivery of a stored profile writes. The same guard applies as for every delivery. */

import { parseOwned } from '../../contacts/owned-values.ts';
import type { FieldMapping } from '../../core/field-map.ts';
import type { FieldPlan } from '../../fields/plan.ts';
import type { KnownRecord } from '../../fields/records.ts';
import type { RedeliveryExclusion } from '../../fields/redelivery-view.ts';
import type { KeptOfContact } from '../../fields/statements/kept-profiles.ts';
import { isProfileLine } from '../../fields/value-states.ts';
import { isBlank } from '../../mapping/same-value.ts';
import type { Run, SyncDeps } from '../control/context.ts';
import { readCircumstances } from '../delivery/circumstances.ts';
import { openProfiles } from '../delivery/paid-profiles.ts';
import { planDelivery } from '../profile-delivery.ts';

export type OfferDeps = Pick<
  SyncDeps,
  'store' | 'connector' | 'partner' | 'sealer' | 'clock' | 'log' | 'newId'
>;

/** The parts of a run that a later delivery needs. */
export type OfferRun = Pick<
  Run,
  'integration' | 'mappings' | 'fields' | 'described' | 'forgotten' | 'erased' | 'identities'
> & { created?: Run['created']; control?: Pick<Run['control'], 'ending'> };

/** A stored profile, with the field map lines that the run offers to its contact. */
export interface Choice {
  each: KeptOfContact;
  lines: readonly FieldMapping[];
  /** The fields that a user wants delivered even if they are empty in the CRM. */
  requested: ReadonlySet<string>;
  /** The field map that donor-sync stores as last offered to the contact once the delivery is complete. */
  fieldMap: string;
  /**
   * True if the values of a different donor may be replaced. For a replacement, all lines of the field map must be
   * offered, and a user must have requested it.
   */
  mayReplaceDonor: boolean;
}

/** The values that the delivery would write, or the reason why it writes nothing. */
export type Offer = { choice: Choice } & (
  | {
      kind: 'fields';
      plan: FieldPlan;
      newDonor: { donorId: string; identity: string } | null;
      /**
       * True if someone restored the record in the CRM without any of donor-sync's values. All values in a restored
       * record then belong to users.
       */
      isLost: boolean;
    }
  | { kind: 'excluded'; why: RedeliveryExclusion }
);

/** Plans the deliveries for these contacts. Reads their profiles and records, and writes nothing. */
export async function planOffers(
  deps: OfferDeps,
  run: OfferRun,
  choices: readonly Choice[],
): Promise<Offer[]> {
  const own = choices.filter((choice) => donorProblem(deps, choice) === null);
  const { profiles, gone } = await openProfiles(
    deps,
    own.map(({ each }) => each),
    run.control?.ending,
  );
  const fetched = own.flatMap((choice) => {
    const profile = profiles.get(choice.each.kept.crmId);
    if (profile === undefined) return [];
    const { contact, job } = choice.each;
    return [{ choice, fetched: { ready: { jobId: job.jobId ?? '', job, contact }, profile } }];
  });
  const known = await readCircumstances(
    deps,
    run,
    fetched.map((each) => each.fetched),
  );
  const shareMappings = sharedLists();
  const planned = new Map(
    fetched.map(({ choice, fetched: item }) => {
      const circumstances = known.of(item);
      const isLost = isBackWithoutOurs(run, choice.each, circumstances);
      const { contact } = item.ready;
      const ownedValues = isLost ? '{}' : stillOwned(run, contact);
      const ready = { ...item.ready, contact: { ...contact, ownedValues } };
      const offer = planDelivery(
        deps,
        { ...run, mappings: shareMappings(choice.lines) },
        { ...item, ready },
        { ...circumstances, ...(isLost ? {} : { offeredBefore: offeredBefore(choice) }) },
      );
      return [choice, { offer, isLost }] as const;
    }),
  );
  const isGone = new Set(gone);
  return choices.map((choice): Offer => {
    const { crmId } = choice.each.kept;
    const excluded = (why: RedeliveryExclusion): Offer => ({ choice, kind: 'excluded', why });
    const one = planned.get(choice);
    const problem = donorProblem(deps, choice);
    if (problem !== null) return excluded(problem);
    if (one === undefined) return excluded(isGone.has(crmId) ? 'no_profile' : 'profile_unopened');
    const { offer, isLost } = one;
    if (offer.kind === 'ended') return excluded(offer.delivery.reason);
    const { plan, identity, fetched: item } = offer;
    if (!plan.together) return { choice, kind: 'fields', plan, newDonor: null, isLost };
    if (!choice.mayReplaceDonor) return excluded('donor_change');
    const newDonor = { donorId: item.profile.donorId, identity };
    return { choice, kind: 'fields', plan, newDonor, isLost };
  });
}

/**
 * Returns the problem if a profile's donor differs from the contact's donor. A user then has to decide, because
 * donor-sync must replace either all values or none of them.
 */
export function donorProblem(
  { store }: { store: Pick<OfferDeps['store'], 'fingerprint'> },
  { each: { contact, kept }, mayReplaceDonor }: Pick<Choice, 'each' | 'mayReplaceDonor'>,
): 'another_donor' | 'donor_change' | null {
  const { donorId, valuesDonor } = contact;
  if (donorId === null || kept.donor !== store.fingerprint('donor', donorId))
    return 'another_donor';
  const isOther = valuesDonor !== null && valuesDonor !== donorId;
  return isOther && !mayReplaceDonor ? 'donor_change' : null;
}

/**
 * Returns the fields for which donor-sync offered the profile's value before. If a user has emptied such a field,
 * donor-sync fills it again only at a user's request.
 */
function offeredBefore({ lines, requested }: Choice): Set<string> {
  return new Set(lines.flatMap(({ to }) => (requested.has(to) ? [] : to)));
}

/**
 * True if someone restored a record without any of the values that donor-sync wrote. If the record contains some of
 * these values, a user has left the record in this state, including its empty fields. A pure function.
 */
function isBackWithoutOurs(
  { mappings }: Pick<OfferRun, 'mappings'>,
  { kept, contact }: KeptOfContact,
  { lookup, intended }: KnownRecord,
): boolean {
  if (kept.fieldMap !== '' || lookup?.state !== 'found') return false;
  const owned = [parseOwned(contact.ownedValues), ...intended];
  const { values } = lookup;
  return mappings
    .filter(isProfileLine)
    .filter(({ to }) => owned.some((known) => Object.hasOwn(known, to)))
    .every(({ to }) => isBlank(Object.hasOwn(values, to) ? (values[to] ?? null) : null));
}

/**
 * Returns donor-sync's values in a record. Leaves out fields that someone has deleted since, because no user has
 * emptied these fields.
 */
function stillOwned(
  { created }: Pick<OfferRun, 'created'>,
  { ownedValues }: KeptOfContact['contact'],
): string {
  if (created === undefined) return ownedValues;
  const left = Object.entries(parseOwned(ownedValues)).filter(([field]) => !created.has(field));
  return JSON.stringify(Object.fromEntries(left));
}

/**
 * Returns a function that returns the same object for equal lists of lines, because computed results are cached for
 * each list object.
 */
function sharedLists(): (lines: readonly FieldMapping[]) => readonly FieldMapping[] {
  const known = new Map<string, readonly FieldMapping[]>();
  return (lines) => {
    const key = JSON.stringify(lines);
    const list = known.get(key) ?? lines;
    known.set(key, list);
    return list;
  };
}
