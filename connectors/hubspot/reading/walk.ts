/**
 * Reads all contacts. The list returns contacts from the lowest ID upwards. If the list is slow, searches also return
 * contacts from the highest ID downwards.
 */

import { heard } from '../../requests/ahead.ts';
import { readingEndless } from '../../requests/endless.ts';
import { throwIfStopped } from '../../requests/stopped.ts';
import type { HubspotRecord } from '../record.ts';
import { type FoundPage, searchAmong } from '../search.ts';
import type { HubspotSession } from '../session.ts';
import { type ListPage, listPage } from './list.ts';
import { type Ask, nextAsk } from './spans.ts';
import {
  afterFound,
  afterListed,
  getPosition,
  isListNext,
  startWalk,
  type WalkPosition,
  type WalkState,
} from './walk-state.ts';

/**
 * A part of the contacts, and the position from which the reading continues. The position is null at the end of the
 * reading.
 */
export interface WalkedPage {
  records: readonly HubspotRecord[];
  position: WalkPosition | null;
}

export interface WalkOptions extends WalkPosition {
  /** False if the reading may use only the list. */
  maySearch: boolean;
}

type WalkSession = Pick<HubspotSession, 'api' | 'shape' | 'signal' | 'log'>;

/** The maximum number of pages in one reading. The limit is enough for ten million contacts. */
const MAX_PAGES = 100_000;

/**
 * The maximum number of searches in flight at the same time. If a search takes almost three seconds, this number allows
 * about three searches per second.
 */
const MAX_SEARCHES = 8;

type Event =
  | { kind: 'listed'; page: ListPage; fastestMs: number }
  | { kind: 'found'; ask: Ask; page: FoundPage }
  | { kind: 'maySearch' };

/**
 * Yields all contacts. The list is read page by page, starting with the lowest ID. Searches start with the highest ID.
 * If each search takes long, several are in flight at the same time. The reading ends when the list and the searches
 * meet. The search index may lack recent changes. The next reading finds the changes that the search index lacks. If
 * the results of a search are not sorted by ID, only the list is read.
 */
export async function* walkAll(
  session: WalkSession,
  options: WalkOptions,
): AsyncGenerator<WalkedPage> {
  const requests = createRequests(session);
  try {
    yield* walk(session, requests, options);
  } finally {
    await requests.end();
  }
}

async function* walk(
  session: WalkSession,
  requests: WalkRequests,
  options: WalkOptions,
): AsyncGenerator<WalkedPage> {
  let state = startWalk(options, options.maySearch, session.api.fastestMs());
  for (let page = 0; page < MAX_PAGES; ) {
    throwIfStopped(session.signal);
    const event = await requests.next(state);
    if (event.kind === 'maySearch') continue;
    const before = state;
    state = event.kind === 'listed' ? afterListed(state, event) : afterFound(state, event);
    if (state.mode === 'list' && before.mode === 'both')
      session.log.warn(
        {},
        'contacts do not come in the order of their IDs: only their list is read',
      );
    // If a search's results were not sorted, the contacts are dropped here, because the list returns them later.
    if (event.kind === 'found' && state.mode !== 'both') continue;
    page += 1;
    yield { records: event.page.records, position: state.isOver ? null : getPosition(state) };
    if (state.isOver) return;
    if (event.kind === 'listed' && state.after === before.after) break;
  }
  throw readingEndless('the contacts of HubSpot');
}

/** The requests of a reading that are in flight. */
interface WalkRequests {
  /** Sends the next requests, and returns the response that arrives first. */
  next(state: WalkState): Promise<Event>;
  /** Ends the requests in flight, so that no request is sent or counted after the reading. */
  end(): Promise<void>;
}

function createRequests(session: WalkSession): WalkRequests {
  const ended = new AbortController();
  const api = session.api.until(ended.signal);
  const { shape } = session;
  const searches = new Map<Ask, Promise<Event>>();
  let list: Promise<Event> | null = null;
  let leave: Promise<Event> | null = null;

  return {
    async next(state) {
      if (list === null && isListNext(state)) list = heard(askList(state.after));
      const maySearch = state.mode === 'both' && searches.size < MAX_SEARCHES;
      const ask = maySearch ? nextAsk(state.spans, [...searches.keys()]) : null;
      // The function waits for the pace before it chooses the search, so that the choice is up to date when the search
      // is sent.
      if (ask !== null && leave === null) leave = heard(awaitLeave());
      const event = await Promise.race([
        ...(list === null ? [] : [list]),
        ...(ask === null || leave === null ? [] : [leave]),
        ...searches.values(),
      ]);
      if (event.kind === 'listed') list = null;
      if (event.kind === 'found') searches.delete(event.ask);
      if (event.kind === 'maySearch' && ask !== null) {
        leave = null;
        searches.set(ask, heard(search(ask)));
      }
      return event;
    },
    async end() {
      ended.abort();
      await Promise.allSettled([list, leave, ...searches.values()]);
    },
  };

  async function askList(after: string | null): Promise<Event> {
    const page = await listPage({ api, shape }, after);
    return { kind: 'listed', page, fastestMs: session.api.fastestMs() };
  }

  async function awaitLeave(): Promise<Event> {
    await api.awaitWalk();
    return { kind: 'maySearch' };
  }

  async function search(ask: Ask): Promise<Event> {
    return { kind: 'found', ask, page: await searchAmong({ api, shape }, ask) };
  }
}
