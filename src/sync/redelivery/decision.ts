/** Which values that wait can be written now, and which are to be tried. Pure but for fingerprints. */
import type { FieldMapping } from '../../core/field-map.ts';
import { descriptionOf, isProfileLine, lineOf } from '../../fields/value-states.ts';
import type { Run, SyncDeps } from '../../run/context.ts';
import {
  type KeptOfContact,
  type LaterEnd,
  type OfferedMap,
  type ValueNote,
  WAITING_STATES,
  type WaitingValues,
} from '../../store/fields/kept-profiles.ts';

type Deps = { store: Pick<SyncDeps['store'], 'fingerprint'> };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** An hour less than a day, so that a nightly run that begins a few minutes earlier still tries. */
const PROBE_DAILY_MS = DAY_MS - HOUR_MS;
const PROBE_WEEKLY_MS = 7 * DAY_MS - HOUR_MS;

/** For so long values are tried daily, then weekly. */
const DAILY_FOR_MS = 3 * DAY_MS;

/** The state of all that waits. */
export interface Waiting {
  waiting: readonly WaitingValues[];
  offered: readonly OfferedMap[];
  /** The field map in force. */
  present: OfferedMap;
  now: number;
}

export interface RedeliveryDecision {
  present: OfferedMap;
  /** Values whose reason is gone. */
  freed: readonly ValueNote[];
  /** Values that the CRM refused, and of which a few are tried in this run. */
  probed: readonly ValueNote[];
  /** The kinds of those: each gets its own few contacts. */
  kindsToProbe: readonly Pick<ValueNote, 'state' | 'code'>[];
  /** Field maps that lack lines of the one in force. */
  maps: readonly string[];
  /** The lines of every field map that profiles were offered with. */
  linesOf: ReadonlyMap<string, ReadonlySet<string>>;
}

export function decideRedelivery(
  deps: Deps,
  run: Pick<Run, 'fields' | 'mappings' | 'only'>,
  { waiting, offered, present, now }: Waiting,
): RedeliveryDecision {
  const mapped = new Set(run.mappings.filter(isProfileLine).map(({ to }) => to));
  const known = waiting.filter(({ field }) => mapped.has(field));
  const isChanged = ({ field, description }: ValueNote) =>
    descriptionOf(deps, run.fields, field) !== description;
  const isNamed = run.only !== null;
  const probed = known.filter(
    (values) => !isChanged(values) && (isNamed ? values.code !== '' : isToProbe(values, now)),
  );
  const linesOf = new Map(offered.map(({ fieldMap, lines }) => [fieldMap, new Set(lines)]));
  const lacks = (fieldMap: string) =>
    present.lines.some((line) => linesOf.get(fieldMap)?.has(line) !== true);
  const kinds = new Map(
    probed.map(({ state, code }) => [JSON.stringify([state, code]), { state, code }]),
  );
  return {
    present,
    freed: known.filter(isChanged),
    probed,
    kindsToProbe: [...kinds.values()],
    maps: offered.flatMap(({ fieldMap }) => (lacks(fieldMap) ? fieldMap : [])),
    linesOf,
  };
}

/** Only the CRM's own word can be tried: whatever the description of a field forbids is known. */
function isToProbe({ code, since, probedAt }: WaitingValues, now: number): boolean {
  if (code === '') return false;
  if (probedAt === null) return true;
  const interval = now - since < DAILY_FOR_MS ? PROBE_DAILY_MS : PROBE_WEEKLY_MS;
  return now - probedAt >= interval;
}

/** The lines of the field map whose values are offered to this contact. */
export function chooseLines(
  deps: Deps,
  mappings: readonly FieldMapping[],
  { kept, values }: KeptOfContact,
  { freed, linesOf }: Pick<RedeliveryDecision, 'freed' | 'linesOf'>,
): FieldMapping[] {
  const stateOf = new Map(values.map((value) => [value.field, value]));
  const offered = linesOf.get(kept.fieldMap);
  return mappings.filter((line) => {
    if (!isProfileLine(line)) return false;
    const value = stateOf.get(line.to);
    if (value?.state === 'emptied' || value?.state === 'undone') return false;
    if (offered?.has(lineOf(deps, line)) !== true) return true;
    return value !== undefined && freed.some((each) => isSame(each, value));
  });
}

function isSame(one: ValueNote, other: ValueNote): boolean {
  return (
    one.field === other.field &&
    one.state === other.state &&
    one.code === other.code &&
    one.description === other.description
  );
}

/** True if the CRM has accepted such a value of one of the contacts that were tried. */
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
