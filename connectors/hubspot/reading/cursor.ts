/** Defines the cursor, which stores how far contacts have been read and where the next reading starts. */

import { z } from 'zod';
import { isoTime } from '../../../src/core/clock.ts';
import type { HubspotSession } from '../session.ts';
import type { WalkPosition } from './walk-state.ts';

/**
 * The time (ms) after which all contacts are read again. Reading all contacts from time to time is necessary because no
 * search finds every change in time.
 */
const LIST_EVERY_MS = 7 * 24 * 3_600_000;

const idSchema = z.string().regex(/^\d{1,20}$/);

/**
 * The field `since` is the time of the last reading's start, or null if all contacts are read. The field `until` is the
 * time of this reading's start. The times `since` and `until` come from HubSpot's clock. The field `after` is the ID of
 * the last contact that was read, or HubSpot's paging token. The field `rest` contains the ranges of IDs that have not
 * been read yet. Each pair of IDs describes the range between them. The field `listBy` is the time by which the whole
 * list must be read. The field `walk` is true while a reading of the whole list is in progress.
 */
const cursorSchema = z.object({
  since: z.iso.datetime().nullable(),
  until: z.iso.datetime().optional(),
  after: z.string().optional(),
  rest: z.array(z.tuple([idSchema, idSchema.nullable()])).optional(),
  listBy: z.iso.datetime().optional(),
  walk: z.literal('list').optional(),
});

type Cursor = z.infer<typeof cursorSchema>;

export interface Reading extends WalkPosition {
  /** The time from which changes are read, or null to read all contacts. */
  since: string | null;
  /**
   * The time from which archived contacts are reported. The time is null if the reading reports no archived contacts.
   */
  archivedSince: string | null;
  until: string;
  listBy: string;
  /**
   * True if the whole list is read although the caller requested only changes, or if the reading must not use searches.
   */
  isListWalk: boolean;
}

/**
 * Returns the reading that a cursor describes. If the cursor's form is unknown, returns a reading of all contacts. If
 * `knownCursor` shows that the list must be read, all contacts come from the list. The argument `knownCursor` is the
 * cursor of an earlier complete reading. The reading reports contacts that were archived since the earlier reading.
 */
export function startReading(
  session: Pick<HubspotSession, 'api' | 'clock' | 'log' | 'filter'>,
  cursor: string | null,
  knownCursor: string | null = null,
): Reading {
  const nowMs = session.api.serverTimeMs() ?? session.clock.now();
  const until = isoTime(nowMs);
  const nextListBy = isoTime(nowMs + LIST_EVERY_MS);
  const all = {
    since: null,
    archivedSince: null,
    until,
    after: null,
    rest: null,
    listBy: nextListBy,
  };
  // The list ignores the filter, so it would return contacts that donor-sync must not read.
  const mayWalk = session.filter.length === 0;
  if (cursor === null) {
    const known = knownCursor === null ? null : parseCursor(knownCursor);
    return {
      ...all,
      // A cursor from the middle of a first reading has no start time. The first reading has already read the archived
      // contacts.
      archivedSince: known?.since ?? known?.until ?? null,
      isListWalk: mayWalk && known !== null && isListDue(known, nowMs),
    };
  }
  const known = parseCursor(cursor);
  if (known === null) {
    session.log.warn({}, 'the cursor is of an unknown form: all contacts are read');
    return { ...all, isListWalk: false };
  }
  const isDue = isWhole(known) && isListDue(known, nowMs);
  return {
    since: isDue && !mayWalk ? null : known.since,
    archivedSince: known.since,
    until: known.until ?? until,
    after: known.after ?? null,
    rest:
      known.rest?.map(([from, to]) => ({
        from: BigInt(from),
        to: to === null ? null : BigInt(to),
        left: null,
      })) ?? null,
    listBy: isDue ? nextListBy : (known.listBy ?? nextListBy),
    isListWalk: mayWalk && (isDue || known.walk === 'list'),
  };
}

/** Returns a reading of the changes since the known contacts were read. Returns null if the whole list must be read. */
export function readingSinceKnown(
  session: Pick<HubspotSession, 'api' | 'clock' | 'log' | 'filter'>,
  knownCursor: string,
): Reading | null {
  const known = parseCursor(knownCursor);
  if (known === null || !isWhole(known) || known.listBy === undefined) return null;
  if (session.filter.length > 0) return null;
  const reading = startReading(session, knownCursor);
  return reading.isListWalk ? null : reading;
}

function isListDue({ listBy }: Cursor, nowMs: number): boolean {
  return listBy !== undefined && nowMs >= Date.parse(listBy);
}

/** Returns true if the cursor marks a completed reading, and not a position in the middle of a reading. */
function isWhole({ since, after }: Cursor): boolean {
  return since !== null && after === undefined;
}

function parseCursor(cursor: string): Cursor | null {
  try {
    return cursorSchema.parse(JSON.parse(cursor));
  } catch {
    return null;
  }
}

/** Returns the cursor after a page. The cursor marks a position in this reading, or the start of the next reading. */
export function cursorAfter(reading: Reading, position: WalkPosition | null): string {
  const { since, until, listBy, isListWalk } = reading;
  if (position === null || position.after === null)
    return JSON.stringify({ since: until, listBy } satisfies Cursor);
  const { after, rest } = position;
  return JSON.stringify({
    since,
    until,
    after,
    listBy,
    ...(rest === null
      ? {}
      : { rest: rest.map(({ from, to }) => [String(from), to === null ? null : String(to)]) }),
    ...(isListWalk ? { walk: 'list' } : {}),
  });
}
