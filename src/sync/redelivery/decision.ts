/**
 * Decides which waiting values can be written now, and which waiting values a run should try. Apart from fingerprints,
 * the functions are pure.
 */
import { z } from 'zod';
import type { FieldMapping } from '../../core/field-map.ts';
import type {
  KeptOfContact,
  KeptRecord,
  LaterEnd,
  OfferedMap,
} from '../../fields/statements/kept-profiles.ts';
import { ALL_FIELDS } from '../../fields/statements/later-deliveries.ts';
import {
  type ValueNote,
  WAITING_STATES,
  type WaitingValues,
} from '../../fields/statements/value-states.ts';
import { fingerprintField, fingerprintLine, isProfileLine } from '../../fields/value-states.ts';
import type { Run, SyncDeps } from '../control/context.ts';

type Deps = { store: Pick<SyncDeps['store'], 'fingerprint'> };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** One hour less than a day, so that a nightly run that starts a few minutes early still tries the values. */
const PROBE_DAILY_MS = DAY_MS - HOUR_MS;
const PROBE_WEEKLY_MS = 7 * DAY_MS - HOUR_MS;

/** A run tries waiting values daily for this long, and then weekly. */
const DAILY_FOR_MS = 3 * DAY_MS;

export interface Waiting {
  waiting: readonly WaitingValues[];
  offered: readonly OfferedMap[];
  /** The field map that the run uses. */
  present: OfferedMap;
  now: number;
}

/** Values that wait for the same reason. */
export interface KindToProbe extends Pick<ValueNote, 'state' | 'code'> {
  /** The CRM fields of these values. */
  fields: readonly string[];
  /**
   * True if the run tries these values only once a week. The weekly attempt also sends values that the connector would
   * normally leave out.
   */
  isWeekly: boolean;
}

export interface RedeliveryDecision {
  present: OfferedMap;
  /** Values whose reason for waiting no longer applies. */
  freed: readonly ValueNote[];
  /** The values that the CRM refused. This run sends a few of them to find out whether the CRM still refuses them. */
  probed: readonly ValueNote[];
  /** The reasons for which this run tests values. For each reason, the run sends the values of a few contacts. */
  kindsToProbe: readonly KindToProbe[];
  maps: readonly string[];
  /** The lines of every field map that donor-sync used to offer profiles. */
  linesByFieldMap: ReadonlyMap<string, ReadonlySet<string>>;
  /** True to deliver only the values that users have requested. Defaults to false. */
  isRequestOnly?: boolean;
}

export function decideRedelivery(
  deps: Deps,
  run: Pick<Run, 'fields' | 'mappings' | 'only'>,
  { waiting, offered, present, now }: Waiting,
): RedeliveryDecision {
  const mapped = new Set(run.mappings.filter(isProfileLine).map(({ to }) => to));
  const known = waiting.filter(({ field }) => mapped.has(field));
  const isChanged = ({ field, state, description }: ValueNote) =>
    state === 'currency_changed' || fingerprintField(deps, run.fields, field) !== description;
  const isNamed = run.only !== null;
  const probed = known.filter(
    (values) => !isChanged(values) && (isNamed ? values.code !== '' : isToProbe(values, now)),
  );
  const linesByFieldMap = new Map(offered.map(({ fieldMap, lines }) => [fieldMap, new Set(lines)]));
  const lacks = (fieldMap: string) =>
    present.lines.some((line) => linesByFieldMap.get(fieldMap)?.has(line) !== true);
  const kinds = Map.groupBy(probed, ({ state, code }) => JSON.stringify([state, code]));
  return {
    present,
    freed: known.filter(isChanged),
    probed,
    kindsToProbe: [...kinds.values()].flatMap(([first, ...others]): KindToProbe[] => {
      if (first === undefined) return [];
      const { state, code } = first;
      const isWeekly = [first, ...others].every(({ since }) => now - since >= DAILY_FOR_MS);
      const fields = [...new Set([first, ...others].map(({ field }) => field))];
      return [{ state, code, fields, isWeekly }];
    }),
    maps: offered.flatMap(({ fieldMap }) => (lacks(fieldMap) ? fieldMap : [])),
    linesByFieldMap,
  };
}

/**
 * True if the run has to send values to find out whether the CRM still refuses them. For all other reasons, the field's
 * description shows whether the problem is solved.
 */
function isToProbe({ code, since, probedAt }: WaitingValues, now: number): boolean {
  if (code === '') return false;
  if (probedAt === null) return true;
  const interval = now - since < DAILY_FOR_MS ? PROBE_DAILY_MS : PROBE_WEEKLY_MS;
  return now - probedAt >= interval;
}

/** Returns the field map lines whose values the run offers to this contact. */
export function chooseLines(
  deps: Deps,
  mappings: readonly FieldMapping[],
  { kept, values }: KeptOfContact,
  {
    freed,
    linesByFieldMap,
    isRequestOnly = false,
  }: Pick<RedeliveryDecision, 'freed' | 'linesByFieldMap' | 'isRequestOnly'>,
): FieldMapping[] {
  const stateByField = new Map(values.map((value) => [value.field, value]));
  const offered = linesByFieldMap.get(kept.fieldMap);
  const requested = requestedFields(mappings, kept);
  return mappings.filter((line) => {
    if (!isProfileLine(line)) return false;
    if (requested.fields.has(line.to)) return true;
    if (isRequestOnly) return false;
    const value = stateByField.get(line.to);
    if (value?.state === 'emptied' || value?.state === 'undone') return false;
    if (offered?.has(fingerprintLine(deps, line)) !== true) return true;
    return value !== undefined && freed.some((each) => isSame(each, value));
  });
}

const fieldNames = z.array(z.string());

/** Returns the contact's fields that a user wants delivered again, and whether these are all fields. */
export function requestedFields(
  mappings: readonly FieldMapping[],
  { requested }: Pick<KeptRecord, 'requested'>,
): { fields: ReadonlySet<string>; isAll: boolean } {
  if (requested === null) return { fields: new Set(), isAll: false };
  const isAll = requested === ALL_FIELDS;
  const mapped = mappings.filter(isProfileLine).map(({ to }) => to);
  return { fields: new Set(isAll ? mapped : fieldNames.parse(JSON.parse(requested))), isAll };
}

function isSame(one: ValueNote, other: ValueNote): boolean {
  return (
    one.field === other.field &&
    one.state === other.state &&
    one.code === other.code &&
    one.description === other.description
  );
}

/** True if the CRM has accepted a value of this kind for one of the tested contacts. */
export function isFreedBy(
  note: ValueNote,
  kind: Pick<ValueNote, 'state' | 'code'>,
  probes: readonly KeptOfContact[],
  ends: ReadonlyMap<string, LaterEnd>,
): boolean {
  if (note.state !== kind.state || note.code !== kind.code) return false;
  return probes.some(({ kept, values }) => {
    const end = ends.get(kept.crmId);
    if (end === undefined || end.isPassing || !values.some((value) => isSame(value, note))) {
      return false;
    }
    return !end.values.some(({ field, state }) => field === note.field && isWaiting(state));
  });
}

function isWaiting(state: ValueNote['state']): boolean {
  return WAITING_STATES.some((each) => each === state);
}
