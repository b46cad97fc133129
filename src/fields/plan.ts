/** Which fields of one contact are to be written: map ► diff, and what we own afterwards. */
import type { FieldValue, FieldValues } from '../core/crm-field.ts';
import type { FieldSource } from '../core/field-map.ts';
import type { OutcomeReason } from '../core/outcome.ts';
import { diffValues, type ValueDiff } from '../mapping/diff-values.ts';
import { mapProfile, type UnfitField } from '../mapping/map-profile.ts';
import type { RawValues } from '../mapping/raw-value.ts';
import { isBlank } from '../mapping/same-value.ts';
import type { Run, SyncDeps } from '../run/context.ts';
import type { OwnedValues } from '../store/contacts/owned-values.ts';
import type { IntendedWrite } from '../store/fields/deliveries.ts';
import type { ValueNote } from '../store/fields/kept-profiles.ts';
import { valuesBeforePlace } from '../store/secrets/seal-places.ts';
import { statusValues, type TimedStatus } from './status.ts';
import { keepEmptied, noteUnwritten } from './value-states.ts';
import { ownershipOf, sealValues, valueFingerprints } from './values.ts';

/** What is offered to a contact, and what is known of it. */
export interface FieldOffer {
  crmId: string;
  values: RawValues;
  /** The mapped fields as they are in the CRM now. */
  present: FieldValues;
  ownedBefore: OwnedValues;
  /** Values whose write was intended before and may have happened. */
  intended: readonly OwnedValues[];
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
  /** Values of a profile that are not in their field, and why. */
  values: readonly ValueNote[];
  /** Null if nothing is to be written. */
  write: IntendedWrite | null;
}

/** Pure but for ids, seals and fingerprints. */
export function planFields(
  deps: Pick<SyncDeps, 'store' | 'sealer' | 'newId'>,
  run: Pick<Run, 'mappings' | 'fields' | 'integration'>,
  {
    crmId,
    values,
    present,
    ownedBefore,
    intended,
    status,
    emptied = [],
    unkept = [],
    isAgain = false,
  }: FieldOffer,
): FieldPlan {
  const isOurs = ownershipOf(deps, crmId, [ownedBefore, ...intended]);
  const isOutdated = (field: string, value: FieldValue) => !isBlank(value) && isOurs(field, value);
  const { mappings, fields } = run;
  const stands = status === undefined ? [] : statusValues(run, status, present, isOurs);
  const offered = stands.length === 0 ? values : new Map([...values, ...stands]);
  const { mapped, unfit } = mapProfile({ values: offered, mappings, fields });
  const offer = diffValues({ mapped, present, mappings, wasOurs: isOurs });
  const known = [ownedBefore, ...intended];
  const { diff, emptied: left } = isAgain
    ? keepEmptied(offer, present, known)
    : { diff: offer, emptied: [] };
  const outdated = mappings
    .filter(({ from, to }) => emptied.includes(from) && !Object.hasOwn(mapped, to))
    .flatMap(({ to }) => (isOutdated(to, present[to] ?? null) ? [[to, null] as const] : []));
  const changes: FieldValues =
    outdated.length === 0 ? diff.changes : { ...diff.changes, ...Object.fromEntries(outdated) };
  const detail = unfit.length === 0 ? null : unfit.map(({ reason }) => reason).join(' ');
  // A value that is in the CRM because an earlier, unconfirmed write of ours put it there.
  const confirmed = diff.equal.filter((field) => isOurs(field, present[field] ?? null));
  const after = valueFingerprints(deps, crmId, changes);
  const owned = { ...ownedBefore, ...valueFingerprints(deps, crmId, present, confirmed), ...after };
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
    values: noteUnwritten(deps, run, { unfit, kept: diff.protected, emptied: left }),
    write: changed.length === 0 ? null : intendedWrite(),
  };

  function intendedWrite(): IntendedWrite {
    const id = deps.newId();
    const place = valuesBeforePlace({ id, integrationId: run.integration.id, crmId });
    return { id, crmId, before: sealValues(deps.sealer, before, place), after, ownedBefore };
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
