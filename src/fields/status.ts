/** Computes a contact's status for the CRM. All functions are pure. */
import type { FieldValue, FieldValues } from '../core/crm-field.ts';
import { type FieldSource, SYNC_SOURCES } from '../core/field-map.ts';
import type { OutcomeReason } from '../core/outcome.ts';
import { STATUS_WORDS, type SyncStatus } from '../core/sync-status.ts';
import { diffValues } from '../mapping/diff-values.ts';
import { mapProfile } from '../mapping/map-profile.ts';
import type { RawValue } from '../mapping/raw-value.ts';
import type { Run } from '../sync/control/context.ts';
import type { StatusRow } from './statements/statuses.ts';

export interface TimedStatus {
  status: SyncStatus;
  sinceMs: number;
}

/** The data that decides a status. */
export type StatusFacts = Pick<StatusRow, 'state' | 'reason' | 'enhancedAt' | 'inCrm'>;

/**
 * Returns a contact's status, or null if it has none. While a contact is processed, it keeps its status, unless the
 * status is already wrong. The status of an erased person never changes.
 */
export function toSyncStatus({ state, reason, enhancedAt, inCrm }: StatusFacts): SyncStatus | null {
  if (reason === 'forgotten' || reason === 'forgotten_person') return inCrm;
  if (state === 'held') return 'held';
  if (reason !== null && REFUSED.has(reason)) return 'refused';
  if (state !== 'settled') return inCrm === 'held' || inCrm === 'optedOut' ? null : inCrm;
  if (reason !== null && OPTED_OUT.has(reason)) return 'optedOut';
  if (enhancedAt !== null) return 'written';
  if (reason !== null && UNKNOWN.has(reason)) return 'unknown';
  return reason !== null && NOT_ASKED.has(reason) ? null : inCrm;
}

const OPTED_OUT: ReadonlySet<OutcomeReason> = new Set(['opted_out', 'do_not_contact']);
const REFUSED: ReadonlySet<OutcomeReason> = new Set(['person_invalid', 'crm_refused']);
const UNKNOWN: ReadonlySet<OutcomeReason> = new Set([
  'no_match',
  'no_match_known',
  'rejected_by_person',
]);

/** Reasons that the CRM record itself already shows. */
const NOT_ASKED: ReadonlySet<OutcomeReason> = new Set([
  'first_name_missing',
  'last_name_missing',
  'deceased',
  'mark_unknown',
]);

type StatusRun = Pick<Run, 'mappings' | 'fields'>;

export function statusFields({ mappings, fields }: StatusRun): string[] {
  const writable = new Set(
    fields.flatMap(({ name, writable, readAs }) => (writable && readAs === undefined ? name : [])),
  );
  const isMapped = mappings.some(({ from, to }) => from === 'sync.status' && writable.has(to));
  if (!isMapped) return [];
  return mappings.flatMap(({ from, to }) =>
    SYNC_SOURCES.includes(from) && writable.has(to) ? to : [],
  );
}

/**
 * Returns the values for the status fields. Empty if the CRM already contains the status, a user wrote something else,
 * or the field refuses the status. A refused status is not a failure. The date changes only together with the status.
 */
export function statusValues(
  { mappings, fields }: StatusRun,
  { status, sinceMs }: TimedStatus,
  present: FieldValues,
  wasOurs: (field: string, value: FieldValue) => boolean,
): [FieldSource, RawValue][] {
  if (!mappings.some(({ from }) => from === 'sync.status')) return [];
  const word: [FieldSource, RawValue] = [
    'sync.status',
    { kind: 'text', text: STATUS_WORDS[status] },
  ];
  const { mapped, unfit } = mapProfile({ values: new Map([word]), mappings, fields });
  const { changes } = diffValues({ mapped, present, mappings, wasOurs });
  if (unfit.length > 0 || Object.keys(changes).length === 0) return [];
  const date: [FieldSource, RawValue] = ['sync.statusDate', { kind: 'instant', epochMs: sinceMs }];
  const fits = mapProfile({ values: new Map([date]), mappings, fields }).unfit.length === 0;
  return fits ? [word, date] : [word];
}
