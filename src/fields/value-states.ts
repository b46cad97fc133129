/** Finds out why profile values are not in their fields. Apart from fingerprints, the functions are pure. */
import type { Refusal, RefusalCause } from '../../connectors/contract.ts';
import type { OwnedValues } from '../contacts/owned-values.ts';
import type { CrmField, FieldValue, FieldValues } from '../core/crm-field.ts';
import { type FieldMapping, PATH_SOURCES, SYNC_SOURCES } from '../core/field-map.ts';
import type { MoneyField } from '../core/money.ts';
import type { ValueState } from '../database/tables/fields.ts';
import type { ValueDiff } from '../mapping/diff-values.ts';
import { findField, type UnfitField } from '../mapping/map-profile.ts';
import { isBlank } from '../mapping/same-value.ts';
import type { Store } from '../store.ts';
import type { Run } from '../sync/control/context.ts';
import type { ValueNote } from './statements/value-states.ts';

type Deps = { store: Pick<Store, 'fingerprint'> };
type FieldsRun = Pick<Run, 'fields' | 'mappings'>;

/** The length of the fingerprints, which distinguish only a few descriptions and field map lines. */
const SHORT = 8;

export function fingerprintField(
  { store }: Deps,
  fields: readonly CrmField[],
  name: string,
): string {
  const field = findField(fields, name);
  if (field === undefined) return '';
  const { type, maxLength, integerDigits, decimalDigits, options, restricted, writable } = field;
  const parts = [type, maxLength, integerDigits, decimalDigits, options, restricted, writable];
  const all = [name, ...parts, ...(field.money === undefined ? [] : [moneyParts(field.money)])];
  return store.fingerprint('field', JSON.stringify(all)).slice(0, SHORT);
}

/**
 * Returns the parts of a currency field that decide whether a value can be written. Leaves out rates, because a new
 * rate does not change this.
 */
function moneyParts({ mode, from, code, rates }: MoneyField) {
  return [mode, from, code, Object.keys(rates).sort()];
}

export function isProfileLine({ from }: Pick<FieldMapping, 'from'>): boolean {
  return !PATH_SOURCES.includes(from) && !SYNC_SOURCES.includes(from);
}

export function fingerprintLine({ store }: Deps, { from, to, when }: FieldMapping): string {
  return store.fingerprint('field line', JSON.stringify([from, to, when])).slice(0, SHORT);
}

/** Returns the field map lines that write profile values, with one fingerprint for all of them. */
export function fingerprintFieldMap(
  deps: Deps,
  mappings: readonly FieldMapping[],
): { fieldMap: string; lines: string[] } {
  const lines = mappings.filter(isProfileLine).map((line) => fingerprintLine(deps, line));
  const fieldMap = deps.store.fingerprint('field map', lines.join(' ')).slice(0, SHORT);
  return { fieldMap, lines };
}

export function recordUnwritten(
  deps: Deps,
  run: FieldsRun,
  found: {
    unfit: readonly UnfitField[];
    kept: readonly string[];
    emptied: readonly string[];
    cut: readonly string[];
  },
): ValueNote[] {
  const { unfit, kept, emptied, cut } = found;
  if (unfit.length + kept.length + emptied.length + cut.length === 0) return [];
  const note = (field: string, state: ValueState): ValueNote => ({
    field,
    state,
    code: '',
    description: fingerprintField(deps, run.fields, field),
  });
  const notes = [
    ...unfit.flatMap(({ field, why }) => (why === null ? [] : note(field, why))),
    ...kept.map((field) => note(field, 'kept_for_user')),
    ...emptied.map((field) => note(field, 'emptied')),
    ...cut
      .filter((field) => !kept.includes(field) && !emptied.includes(field))
      .map((field) => note(field, 'shortened')),
  ];
  return ofProfile(run, notes);
}

const STATE_OF_CAUSE = {
  rule: 'refused',
  does_not_fit: 'does_not_fit',
  no_permission: 'no_permission',
  no_such_field: 'no_such_field',
} as const satisfies Record<RefusalCause, ValueState>;

/** Records values that the CRM refused. A refusal without a field applies to all fields. */
export function recordRefused(
  deps: Deps,
  run: FieldsRun,
  written: readonly string[],
  refusals: readonly Refusal[],
): ValueNote[] {
  const notes = new Map<string, ValueNote>();
  for (const { fields, code, cause } of refusals) {
    const named = fields.filter((field) => written.includes(field));
    for (const field of named.length === 0 ? written : named) {
      const state = cause === undefined ? 'refused' : STATE_OF_CAUSE[cause];
      const description = fingerprintField(deps, run.fields, field);
      notes.set(field, { field, state, code, description });
    }
  }
  return ofProfile(run, [...notes.values()]);
}

/** Adds refusals. A refusal has precedence over other reasons. */
export function withRefused(
  notes: readonly ValueNote[],
  refused: readonly ValueNote[],
): readonly ValueNote[] {
  if (refused.length === 0) return notes;
  const fields = new Set(refused.map(({ field }) => field));
  return [...notes.filter(({ field }) => !fields.has(field)), ...refused];
}

/** Adds fields into which users have typed a value. */
export function withKeptForUser(
  deps: Deps,
  run: FieldsRun,
  notes: readonly ValueNote[],
  fields: readonly string[],
): readonly ValueNote[] {
  const kept = fields.map((field): ValueNote => {
    const description = fingerprintField(deps, run.fields, field);
    return { field, state: 'kept_for_user', code: '', description };
  });
  return withRefused(notes, ofProfile(run, kept));
}

/** Keeps only the reasons for profile values. Warm paths and statuses are computed again, so they never wait. */
function ofProfile({ mappings }: FieldsRun, notes: readonly ValueNote[]): ValueNote[] {
  const fields = new Set(mappings.filter(isProfileLine).map(({ to }) => to));
  return notes.filter(({ field }) => fields.has(field));
}

/**
 * Records fields that a user has emptied, so that their values are not offered again. Ignores an interrupted write,
 * because it may never have reached the CRM.
 */
export function keepEmptied(
  diff: ValueDiff,
  present: FieldValues,
  ownedBefore: OwnedValues,
  offeredBefore: ReadonlySet<string>,
): { diff: ValueDiff; emptied: string[] } {
  const wasWritten = (field: string) =>
    offeredBefore.has(field) && Object.hasOwn(ownedBefore, field);
  const isEmptied = (field: string) => isBlank(valueIn(present, field)) && wasWritten(field);
  const emptied = Object.keys(diff.changes).filter(isEmptied);
  if (emptied.length === 0) return { diff, emptied };
  const changes = Object.entries(diff.changes).filter(([field]) => !emptied.includes(field));
  return { diff: { ...diff, changes: Object.fromEntries(changes) }, emptied };
}

function valueIn(values: FieldValues, field: string): FieldValue {
  return Object.hasOwn(values, field) ? (values[field] ?? null) : null;
}
