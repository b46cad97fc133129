/** Which fields of one contact are to be written: map ► diff, and what we own afterwards. */
import type { FieldValue, FieldValues } from '../core/crm-field.ts';
import type { FieldSource } from '../core/field-map.ts';
import type { OutcomeReason } from '../core/outcome.ts';
import { diffValues, type ValueDiff } from '../mapping/diff-values.ts';
import { mapProfile, type UnfitField } from '../mapping/map-profile.ts';
import type { RawValues } from '../mapping/raw-value.ts';
import { isBlank } from '../mapping/same-value.ts';
import type { Run, SyncDeps } from '../run/context.ts';
import { type OwnedValues, sentFingerprint } from '../store/contacts/owned-values.ts';
import type { IntendedWrite } from '../store/fields/deliveries.ts';
import type { ValueNote } from '../store/fields/kept-profiles.ts';
import { valuesBeforePlace } from '../store/secrets/seal-places.ts';
import { blankedFields, sortOwnership, type WrittenValues } from './former-values.ts';
import { statusValues, type TimedStatus } from './status.ts';
import { keepEmptied, noteUnwritten } from './value-states.ts';
import { sealValues, valueFingerprint, valueFingerprints } from './values.ts';

/** What is offered to a contact, and what is known of it. */
export interface FieldOffer {
  crmId: string;
  values: RawValues;
  /** The mapped fields as they are in the CRM now. */
  present: FieldValues;
  ownedBefore: OwnedValues;
  /** Values whose write was intended before and may have happened. */
  intended: readonly OwnedValues[];
  /**
   * The donor whose values are offered, whose values stand in the contact, and what is ours in records that
   * were merged into it; left out where the values are of no donor, as a status is.
   */
  person?: { donor: string | null; former: string | null; merged?: readonly WrittenValues[] };
  /** Where the contact stands once this is written; left out where that stays as it is. */
  status?: TimedStatus;
  /**
   * Sources whose fields are emptied where they get no value, if what stands there is ours; none
   * by default.
   */
  emptied?: readonly FieldSource[];
  /**
   * Sources whose fields are not kept as they are now for the way back: they tell of a person who was
   * erased. None by default.
   */
  unkept?: readonly FieldSource[];
  /** True if this profile was offered before: a field that a user has emptied since stays empty. */
  isAgain?: boolean;
}

/** What is to be written, and what holds once it is. */
export interface FieldPlan {
  crmId: string;
  reason: OutcomeReason;
  /** What did not fit, without values; null if everything did. */
  detail: string | null;
  /** Fingerprints of what we own once everything is written. */
  owned: OwnedValues;
  changes: FieldValues;
  /** True if values of another person are replaced: all of the changes are written, or none. */
  together: boolean;
  /** Values of a profile that are not in their field, and why. */
  values: readonly ValueNote[];
  /** Null if nothing is to be written. */
  write: IntendedWrite | null;
}

/** Pure but for ids, seals and fingerprints. */
export function planFields(
  deps: Pick<SyncDeps, 'store' | 'sealer' | 'newId'>,
  run: Pick<Run, 'mappings' | 'fields' | 'integration'>,
  offer: FieldOffer,
): FieldPlan {
  const { crmId, values, present, ownedBefore, intended, status, person } = offer;
  const { emptied = [], unkept = [], isAgain = false } = offer;
  const ownership = sortOwnership(
    deps,
    [
      ...[ownedBefore, ...intended].map((owned) => ({
        crmId,
        owned,
        donor: person?.former ?? null,
      })),
      ...(person?.merged ?? []),
    ],
    person?.donor ?? null,
  );
  const { isOurs, isFormer } = ownership;
  const isOutdated = (field: string, value: FieldValue) => !isBlank(value) && isOurs(field, value);
  const { mappings, fields } = run;
  const stands = status === undefined ? [] : statusValues(run, status, present, isOurs);
  const offered = stands.length === 0 ? values : new Map([...values, ...stands]);
  const { mapped, unfit } = mapProfile({ values: offered, mappings, fields });
  const isMadeOf = (field: string, standing: FieldValue, value: FieldValue) =>
    ownedBefore[field]?.includes(' ') === true &&
    !isFormer(field, standing) &&
    sentFingerprint(ownedBefore, field) === valueFingerprint(deps, crmId, field, value) &&
    isOurs(field, standing);
  const all = diffValues({ mapped, present, mappings, wasOurs: isOurs, isFormer, isMadeOf });
  const known = [ownedBefore, ...intended];
  const { diff, emptied: left } = isAgain
    ? keepEmptied(all, present, known)
    : { diff: all, emptied: [] };
  const outdated = mappings
    .filter(({ from, to }) => emptied.includes(from) && !Object.hasOwn(mapped, to))
    .flatMap(({ to }) => (isOutdated(to, present[to] ?? null) ? [[to, null] as const] : []));
  const blanked = person === undefined ? {} : blankedFields(ownership, present, mapped, mappings);
  const changes: FieldValues = {
    ...diff.changes,
    ...Object.fromEntries(outdated),
    ...blanked,
  };
  const replaced = Object.keys(changes).filter((field) => isFormer(field, present[field] ?? null));
  const detail = unfit.length === 0 ? null : unfit.map(({ reason }) => reason).join(' ');
  // A value that is in the CRM because an earlier, unconfirmed write of ours put it there.
  const confirmed = diff.equal.filter(
    (field) =>
      isOurs(field, present[field] ?? null) &&
      !isMadeOf(field, present[field] ?? null, mapped[field] ?? null),
  );
  const after = valueFingerprints(deps, crmId, changes);
  const standing = Object.entries(ownedBefore).filter(([field]) => !Object.hasOwn(blanked, field));
  const owned = {
    ...Object.fromEntries(standing),
    ...valueFingerprints(deps, crmId, present, confirmed),
    // Of a blanked field nothing is ours, so that a later value of this person may fill it.
    ...Object.fromEntries(
      Object.entries(after).filter(([field]) => !Object.hasOwn(blanked, field)),
    ),
  };
  const changed = Object.keys(changes);
  const lost = mappings.flatMap(({ from, to }) => (unkept.includes(from) ? to : []));
  const before = Object.fromEntries(
    changed.map((field) => [field, lost.includes(field) ? null : (present[field] ?? null)]),
  );
  return {
    crmId,
    reason: reasonOf({ ...diff, changes }, unfit),
    detail,
    owned,
    changes,
    together: replaced.length > 0,
    values: noteUnwritten(deps, run, { unfit, kept: diff.protected, emptied: left }),
    write: changed.length === 0 ? null : intendedWrite(),
  };

  function intendedWrite(): IntendedWrite {
    const id = deps.newId();
    const place = valuesBeforePlace({ id, integrationId: run.integration.id, crmId });
    const donorBefore = replaced.length > 0 ? (person?.former ?? null) : null;
    const sealed = sealValues(deps.sealer, before, place);
    return { id, crmId, before: sealed, after, ownedBefore, donorBefore };
  }
}

function reasonOf(diff: ValueDiff, unfit: readonly UnfitField[]): OutcomeReason {
  if (Object.keys(diff.changes).length > 0) {
    return unfit.length === 0 ? 'fields_written' : 'fields_written_some_unfit';
  }
  if (diff.protected.length > 0) return 'values_protected';
  if (diff.equal.length > 0) return 'values_equal';
  return unfit.length > 0 ? 'values_unfit' : 'profile_empty';
}
