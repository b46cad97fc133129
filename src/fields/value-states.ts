/** Why a value of a profile is not in its field, and whether it can be written now. Pure but for fingerprints. */
import type { Refusal, RefusalCause } from '../../connectors/contract.ts';
import type { CrmField, FieldValue, FieldValues } from '../core/crm-field.ts';
import { type FieldMapping, PATH_SOURCES, SYNC_SOURCES } from '../core/field-map.ts';
import type { ValueDiff } from '../mapping/diff-values.ts';
import { findField, type UnfitField } from '../mapping/map-profile.ts';
import { isBlank } from '../mapping/same-value.ts';
import type { Run } from '../run/context.ts';
import type { OwnedValues } from '../store/contacts/owned-values.ts';
import type { ValueState } from '../store/engine/kept-tables.ts';
import type { ValueNote } from '../store/fields/kept-profiles.ts';
import type { Store } from '../store/store.ts';

type Deps = { store: Pick<Store, 'fingerprint'> };
type FieldsRun = Pick<Run, 'fields' | 'mappings'>;

/** Fingerprints are kept in each row, and have to tell only a few descriptions and lines apart. */
const SHORT = 8;

/** Changes with all that decides whether a value fits the field. */
export function descriptionOf({ store }: Deps, fields: readonly CrmField[], name: string): string {
  const field = findField(fields, name);
  if (field === undefined) return '';
  const { type, maxLength, integerDigits, decimalDigits, options, restricted, writable } = field;
  const parts = [type, maxLength, integerDigits, decimalDigits, options, restricted, writable];
  return store.fingerprint('field', JSON.stringify([name, ...parts])).slice(0, SHORT);
}

/** A line of the field map that brings a value of a profile. */
export function isProfileLine({ from }: Pick<FieldMapping, 'from'>): boolean {
  return !PATH_SOURCES.includes(from) && !SYNC_SOURCES.includes(from);
}

/** Fingerprint of one line of the field map. */
export function lineOf({ store }: Deps, { from, to, when }: FieldMapping): string {
  return store.fingerprint('field line', JSON.stringify([from, to, when])).slice(0, SHORT);
}

/** The lines of a field map that bring values of profiles, with the fingerprint of them all. */
export function fieldMapOf(
  deps: Deps,
  mappings: readonly FieldMapping[],
): { fieldMap: string; lines: string[] } {
  const lines = mappings.filter(isProfileLine).map((line) => lineOf(deps, line));
  const fieldMap = deps.store.fingerprint('field map', lines.join(' ')).slice(0, SHORT);
  return { fieldMap, lines };
}

/** What is known before anything is written. */
export function noteUnwritten(
  deps: Deps,
  run: FieldsRun,
  found: {
    unfit: readonly UnfitField[];
    kept: readonly string[];
    emptied: readonly string[];
  },
): ValueNote[] {
  const { unfit, kept, emptied } = found;
  if (unfit.length + kept.length + emptied.length === 0) return [];
  const note = (field: string, state: ValueState): ValueNote => ({
    ...{ field, state, code: '' },
    description: descriptionOf(deps, run.fields, field),
  });
  const notes = [
    ...unfit.flatMap(({ field, why }) => (why === null ? [] : note(field, why))),
    ...kept.map((field) => note(field, 'kept_for_user')),
    ...emptied.map((field) => note(field, 'emptied')),
  ];
  return ofProfile(run, notes);
}

const STATE_OF_CAUSE = {
  rule: 'refused',
  does_not_fit: 'does_not_fit',
  no_permission: 'no_permission',
  no_such_field: 'no_such_field',
} as const satisfies Record<RefusalCause, ValueState>;

/** Values that the CRM refused: of a refusal that names no field all that were to be written. */
export function noteRefused(
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
      const description = descriptionOf(deps, run.fields, field);
      notes.set(field, { field, state, code, description });
    }
  }
  return ofProfile(run, [...notes.values()]);
}

/** Warm paths and statuses are computed by each run: only values of profiles wait. */
function ofProfile({ mappings }: FieldsRun, notes: readonly ValueNote[]): ValueNote[] {
  const fields = new Set(mappings.filter(isProfileLine).map(({ to }) => to));
  return notes.filter(({ field }) => fields.has(field));
}

/** Takes fields out of what is written that were ours and are empty: a user has emptied them. */
export function keepEmptied(
  diff: ValueDiff,
  present: FieldValues,
  known: readonly OwnedValues[],
): { diff: ValueDiff; emptied: string[] } {
  const wasWritten = (field: string) => known.some((values) => Object.hasOwn(values, field));
  const isEmptied = (field: string) => isBlank(valueIn(present, field)) && wasWritten(field);
  const emptied = Object.keys(diff.changes).filter(isEmptied);
  if (emptied.length === 0) return { diff, emptied };
  const changes = Object.entries(diff.changes).filter(([field]) => !emptied.includes(field));
  return { diff: { ...diff, changes: Object.fromEntries(changes) }, emptied };
}

function valueIn(values: FieldValues, field: string): FieldValue {
  return Object.hasOwn(values, field) ? (values[field] ?? null) : null;
}
