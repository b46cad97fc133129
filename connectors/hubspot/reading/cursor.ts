/** The point up to which contacts have been read, and the start of the next reading. */

import { z } from 'zod';
import { isoTime } from '../../../src/core/clock.ts';
import type { HubspotSession } from '../session.ts';
import type { WalkPosition } from './walk-state.ts';

/** All contacts are read at least this often, because no search finds every change in time. */
const LIST_EVERY_MS = 7 * 24 * 3_600_000;

const idSchema = z.string().regex(/^\d{1,20}$/);

/**
 * `since` is the time of the last reading's start, or null if all contacts are read. `until` is the time of this
 * reading's start. Both are by HubSpot's clock. `after` is the last contact that was read, or HubSpot's paging token.
 * `rest` contains the ranges of IDs that remain to be read. Each range is between the first and the second ID of a
 * pair. `listBy` is the time by which the whole list has to be read. `walk` means that a reading of the whole list is
 * in progress.
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
  /** The start of the changes, or null for all contacts. */
  since: string | null;
  /** Contacts that have been archived since then are reported. Null if there are no such contacts. */
  archivedSince: string | null;
  until: string;
  listBy: string;
  /** True if the whole list is read although only changes were requested, or if searches must not be used. */
  isListWalk: boolean;
}

/**
 * Returns the reading that a cursor describes. If its form is unknown, returns the reading of all contacts. If the list
 * is due according to `knownCursor`, all contacts come from the list. `knownCursor` is the earlier cursor of the known
 * contacts. Contacts that have been archived since then are reported.
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
  // The list has no filter, so it would return contacts that must not be read.
  const mayWalk = session.filter.length === 0;
  if (cursor === null) {
    const known = knownCursor === null ? null : parseCursor(knownCursor);
    return {
      ...all,
      // A cursor in the middle of a first reading has no start. That reading has already read the archived contacts at its start.
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

/** Reads the changes since the known contacts were read. Returns null if the list has to be read. */
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

/** True if the cursor is a watermark, and not a position in the middle of a reading. */
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

/** Returns the cursor after a page. It is within this reading or at the start of the next one. */
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
