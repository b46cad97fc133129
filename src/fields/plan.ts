import {
  isNormalised,
  type OwnedValues,
  sentFingerprint,
  withoutFields,
  withRate,
} from '../contacts/owned-values.ts';
import type { FieldValue, FieldValues } from '../core/crm-field.ts';
import { type FieldSource, PATH_SOURCES } from '../core/field-map.ts';
import type { RecordCurrencies } from '../core/money.ts';
import type { OutcomeReason } from '../core/outcome.ts';
import { valuesBeforeSealContext } from '../database/encryption/seal-contexts.ts';
import { diffValues, type ValueDiff } from '../mapping/diff-values.ts';
import { mapProfile, type UnfitField } from '../mapping/map-profile.ts';
import type { RawValues } from '../mapping/raw-value.ts';
import { isBlank } from '../mapping/same-value.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';
import {
  fingerprintName,
  fingerprintTexts,
  rememberWords,
  type WordFingerprints,
} from './erasing/erased-names.ts';
import { blankedFields, sortOwnership, type WrittenValues } from './former-values.ts';
import { amountsIn, findMisplaced } from './money/amounts.ts';
import type { IntendedValues, IntendedWrite } from './statements/deliveries.ts';
import type { ValueNote } from './statements/value-states.ts';
import { statusValues, type TimedStatus } from './status.ts';
import { keepEmptied, recordUnwritten } from './value-states.ts';
import {
  introducerFingerprint,
  sealValues,
  valueFingerprint,
  valueFingerprints,
} from './values.ts';

/** The values for a contact, and the data about the contact that the plan needs. */
export interface FieldOffer {
  crmId: string;
  values: RawValues;
  /** The mapped fields and their current values in the CRM. */
  present: FieldValues;
  /** The currencies of the record. Omitted if the CRM has no currencies. */
  currencies?: RecordCurrencies | undefined;
  ownedBefore: OwnedValues;
  /** Fields whose values the CRM's automation has changed. Defaults to none. */
  automated?: OwnedValues;
  /** Earlier intended values that the CRM may contain. */
  intended: readonly IntendedValues[];
  /**
   * The donor of the offered values and the donor of the current values. Includes donor-sync's values in merged
   * records. Omitted for values without a donor, such as a status.
   */
  person?: { donor: string | null; former: string | null; merged?: readonly WrittenValues[] };
  /** The introducer of the warm path. Null or omitted if there is none. */
  introducer?: string | null;
  /** The contact's status after this write. Omitted if the write does not change the status. */
  status?: TimedStatus;
  /** Sources without a value, whose fields lose donor-sync's earlier value. Defaults to none. */
  emptied?: readonly FieldSource[];
  /** Sources that an undo must not restore, because they describe an erased person. Defaults to none. */
  unkept?: readonly FieldSource[];
  /**
   * Fields for which donor-sync offered this profile's value before. If a user has emptied such a field, it remains
   * empty. Defaults to none.
   */
  offeredBefore?: ReadonlySet<string>;
}

/** The planned changes, and the state after they are written. */
export interface FieldPlan {
  crmId: string;
  reason: OutcomeReason;
  /** A text about the values that fields refused, without quoting them. Null if the fields accepted all values. */
  detail: string | null;
  /** The values from donor-sync after the write. */
  owned: OwnedValues;
  /** The values from donor-sync if nothing is written. */
  standing: OwnedValues;
  changes: FieldValues;
  /** True if another person's values are replaced. In this case, either all changes are written or none. */
  together: boolean;
  /** True to let the CRM decide about every value. */
  probe?: boolean;
  values: readonly ValueNote[];
  /** The write, or null if nothing has to be written. */
  write: IntendedWrite | null;
  /** The values of the changed fields at the time of the reading. */
  seen: FieldValues;
  /** Returns the fields to which the run must not write, because users have typed these values. */
  keeps(found: FieldValues): string[];
}

const wordsOfRuns = new WeakMap<object, WordFingerprints>();

/** Returns cached texts. The cache exists as long as the run's field map. */
function wordsOfRun(
  { store }: Pick<SyncDeps, 'store'>,
  run: Pick<Run, 'mappings'>,
): WordFingerprints {
  const known = wordsOfRuns.get(run.mappings) ?? rememberWords(store.fingerprint);
  wordsOfRuns.set(run.mappings, known);
  return known;
}

/** Plans the changes to a contact's fields. */
export function planFields(
  deps: Pick<SyncDeps, 'store' | 'sealer' | 'newId'>,
  run: Pick<Run, 'mappings' | 'fields' | 'integration' | 'erasedTexts'>,
  offer: FieldOffer,
): FieldPlan {
  const { crmId, values, present, intended, status, person } = offer;
  const ownedBefore = { ...offer.ownedBefore, ...offer.automated };
  const { emptied = [], unkept = [], offeredBefore } = offer;
  const written: WrittenValues[] = [
    { crmId, owned: ownedBefore, donor: person?.former ?? null },
    // A status or a path belongs to the donor of the contact's other values.
    ...intended.map(({ owned, donor }) => ({
      crmId,
      owned,
      donor: donor ?? person?.former ?? null,
    })),
    ...(person?.merged ?? []),
  ];
  const ownership = sortOwnership(deps, written, person?.donor ?? null);
  const { isOurs, isFormer } = ownership;
  const isOutdated = (field: string, value: FieldValue) => !isBlank(value) && isOurs(field, value);
  const { mappings, fields } = run;
  const stands = status === undefined ? [] : statusValues(run, status, present, isOurs);
  const offered = stands.length === 0 ? values : new Map([...values, ...stands]);
  const amountIn = amountsIn(deps, written, offer.currencies);
  const { mapped, unfit, cut, rates } = mapProfile({ values: offered, mappings, fields, amountIn });
  const isMadeOf = (field: string, standing: FieldValue, value: FieldValue) =>
    isNormalised(ownedBefore, field) &&
    !isFormer(field, standing) &&
    sentFingerprint(ownedBefore, field) === valueFingerprint(deps, crmId, field, value) &&
    isOurs(field, standing);
  const { diff, left, blanked, changes } = decide(present);
  const replaced = Object.keys(changes).filter((field) => isFormer(field, present[field] ?? null));
  const detail = describeUnfit(unfit);
  // An earlier write with an unknown result has succeeded, because the CRM contains its value.
  const confirmed = diff.equal.filter(
    (field) =>
      isOurs(field, present[field] ?? null) &&
      !isMadeOf(field, present[field] ?? null, mapped[field] ?? null),
  );
  const after = withRates(valueFingerprints(deps, crmId, changes));
  const standing = Object.fromEntries(
    Object.entries(ownedBefore).filter(
      ([field]) =>
        !Object.hasOwn(blanked, field) && !isLeftByFormer(field) && !isUnfitWhileBlank(field),
    ),
  );
  const owned = {
    ...standing,
    ...withRates(valueFingerprints(deps, crmId, present, confirmed)),
    // A cleared field contains no value from donor-sync, so a later value of this person can be written.
    ...withoutFields(after, Object.keys(blanked)),
  };
  const changed = Object.keys(changes);
  const lost = mappings.flatMap(({ from, to }) => (unkept.includes(from) ? to : []));
  const holders = [crmId, ...(person?.merged ?? []).map((part) => part.crmId)];
  const isKept = (field: string, value: FieldValue) =>
    !lost.includes(field) && run.erasedTexts?.has(holders, field, value) !== true;
  const before = Object.fromEntries(
    changed.flatMap((field) => {
      const value = present[field] ?? null;
      return value !== null && isKept(field, value) ? [[field, value] as const] : [];
    }),
  );
  return {
    crmId,
    reason: getReason({ ...diff, changes }, unfit),
    detail,
    owned,
    standing,
    changes,
    together: replaced.length > 0,
    values: recordUnwritten(deps, run, { unfit, kept: diff.protected, emptied: left, cut }),
    write: changed.length === 0 ? null : intendedWrite(),
    seen: Object.fromEntries(changed.map((field) => [field, present[field] ?? null])),
    keeps(found) {
      const { changes: still } = decide({ ...present, ...found });
      return changed.filter((field) => Object.hasOwn(found, field) && !Object.hasOwn(still, field));
    },
  };

  /**
   * True for a blank field that contained a different donor's value. After an interrupted write, the field looks as if
   * a user had emptied it. However, the field never contained this donor's value.
   */
  function isLeftByFormer(field: string): boolean {
    return (
      person !== undefined &&
      ownership.formerFields.includes(field) &&
      Object.hasOwn(present, field) &&
      isBlank(present[field] ?? null)
    );
  }

  /**
   * True for a blank field that a new profile's value does not fit yet. A user emptied the field before this profile
   * arrived, so the value is written later.
   */
  function isUnfitWhileBlank(field: string): boolean {
    return (
      offeredBefore === undefined &&
      unfit.some((each) => each.field === field) &&
      Object.hasOwn(present, field) &&
      isBlank(present[field] ?? null)
    );
  }

  function decide(standing: FieldValues) {
    const all = diffValues({
      mapped,
      present: standing,
      mappings,
      wasOurs: isOurs,
      isFormer,
      isMadeOf,
    });
    const { diff: rest, emptied: kept } =
      offeredBefore === undefined
        ? { diff: all, emptied: [] }
        : keepEmptied(all, standing, ownedBefore, offeredBefore);
    const outdated = mappings
      .filter(({ from, to }) => emptied.includes(from) && !Object.hasOwn(mapped, to))
      .flatMap(({ to }) => (isOutdated(to, standing[to] ?? null) ? [[to, null] as const] : []));
    const record = { written, present: standing, currencies: offer.currencies, fields };
    const nulls = {
      ...(person === undefined ? {} : blankedFields(ownership, standing, mapped, mappings)),
      // The record's currency has changed, so the number from donor-sync would mean a different amount.
      ...Object.fromEntries(findMisplaced(deps, record, unfit).map((field) => [field, null])),
    };
    const planned: FieldValues = { ...rest.changes, ...Object.fromEntries(outdated), ...nulls };
    return { diff: rest, left: kept, blanked: nulls, changes: planned };
  }

  function intendedWrite(): IntendedWrite {
    const id = deps.newId();
    const place = valuesBeforeSealContext({ id, integrationId: run.integration.id, crmId });
    const donorBefore = replaced.length > 0 ? (person?.former ?? null) : null;
    const sealed = sealValues(deps.sealer, before, place);
    const donor = person?.donor ?? null;
    const named = offer.introducer ?? null;
    const introducer = named === null ? '' : introducerFingerprint(deps, named);
    const introduced = named === null ? {} : valueFingerprints(deps, crmId, changes, pathFields());
    const contact = deps.store.fingerprint('forgotten', crmId);
    return {
      id,
      crmId,
      before: sealed,
      after,
      ownedBefore,
      donorBefore,
      donor,
      introducer,
      introduced,
      contact,
      named: fingerprintTexts(wordsOfRun(deps, run), contact, changes, mappings),
      called: calledName(),
    };
  }

  /**
   * Returns the donor's name. With the name, donor-sync finds values in other contacts that name the donor, even after
   * this contact has left.
   */
  function calledName(): string | null {
    const name = values.get('name.full');
    if (name?.kind !== 'text') return null;
    const [first = null, ...others] = name.text.split(' ');
    return fingerprintName(wordsOfRun(deps, run), { first, last: others.at(-1) ?? null });
  }

  function withRates(entries: OwnedValues): OwnedValues {
    if (rates.size === 0) return entries;
    return Object.fromEntries(
      Object.entries(entries).map(([field, entry]) => {
        const rate = rates.get(field);
        return [field, rate === undefined ? entry : withRate(entry, rate)];
      }),
    );
  }

  function pathFields(): string[] {
    const fields = mappings.flatMap(({ from, to }) => (PATH_SOURCES.includes(from) ? to : []));
    return fields.filter((field) => !isBlank(changes[field] ?? null));
  }
}

/** The last sentence of the message about refused values. */
const ARRIVES = 'After that, the next run writes the values, at no cost.';

function describeUnfit(unfit: readonly UnfitField[]): string | null {
  if (unfit.length === 0) return null;
  const waits = unfit.some(({ why }) => why !== null);
  return [...unfit.map(({ reason }) => reason), ...(waits ? [ARRIVES] : [])].join(' ');
}

function getReason(diff: ValueDiff, unfit: readonly UnfitField[]): OutcomeReason {
  if (Object.keys(diff.changes).length > 0) {
    return unfit.length === 0 ? 'fields_written' : 'fields_written_some_unfit';
  }
  if (diff.protected.length > 0) return 'values_protected';
  if (diff.equal.length > 0) return 'values_equal';
  return unfit.length > 0 ? 'values_unfit' : 'profile_empty';
}
