/**
 * Decides which waiting values can be written now, and which of them a run should try. Pure except for fingerprints.
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

/** An hour less than a day. A nightly run that starts a few minutes early should still try the values. */
const PROBE_DAILY_MS = DAY_MS - HOUR_MS;
const PROBE_WEEKLY_MS = 7 * DAY_MS - HOUR_MS;

/** Values are tried daily for this long, and then weekly. */
const DAILY_FOR_MS = 3 * DAY_MS;

export interface Waiting {
  waiting: readonly WaitingValues[];
  offered: readonly OfferedMap[];
  /** The field map in use. */
  present: OfferedMap;
  now: number;
}

/** Values with the same reason to wait. */
export interface KindToProbe extends Pick<ValueNote, 'state' | 'code'> {
  /**
   * True if delivery of the values is attempted only once a week. In that case, even values that the connector would
   * normally leave out are sent.
   */
  isWeekly: boolean;
}

export interface RedeliveryDecision {
  present: OfferedMap;
  /** Values that no longer have a reason to wait. */
  freed: readonly ValueNote[];
  /** The values that the CRM refused. This run sends a few of them to test if the CRM still refuses them. */
  probed: readonly ValueNote[];
  /** The reasons why the tested values were refused. For each reason, the values of a few contacts are sent. */
  kindsToProbe: readonly KindToProbe[];
  maps: readonly string[];
  /** The lines of every field map with which profiles were offered. */
  linesByFieldMap: ReadonlyMap<string, ReadonlySet<string>>;
  /** True to deliver only what users have requested. Defaults to false. */
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
      return [{ state, code, isWeekly }];
    }),
    maps: offered.flatMap(({ fieldMap }) => (lacks(fieldMap) ? fieldMap : [])),
    linesByFieldMap,
  };
}

/**
 * True if a trial has to show whether the CRM still refuses the values. For all other reasons, the field's description
 * shows if the problem is solved.
 */
function isToProbe({ code, since, probedAt }: WaitingValues, now: number): boolean {
  if (code === '') return false;
  if (probedAt === null) return true;
  const interval = now - since < DAILY_FOR_MS ? PROBE_DAILY_MS : PROBE_WEEKLY_MS;
  return now - probedAt >= interval;
}

/** Returns the field map lines whose values are offered to this contact. */
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

/**
 * Returns the contact's fields that a user wants to have delivered again. Also returns a flag that is true if these are
 * all fields.
 */
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

/** True if the CRM has accepted such a value from one of the contacts that were tried. */
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
