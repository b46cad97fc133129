/** Reads all contacts. The list is read from the lowest ID. If that is slow, searches also read from the highest ID. */

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

/** Some contacts, and where the walk continues. Null at its end. */
export interface WalkedPage {
  records: readonly HubspotRecord[];
  position: WalkPosition | null;
}

export interface WalkOptions extends WalkPosition {
  /** False if the walk must use only the list. */
  maySearch: boolean;
}

type WalkSession = Pick<HubspotSession, 'api' | 'shape' | 'signal' | 'log'>;

/** The maximum number of pages in one walk. It is enough for ten million contacts. */
const MAX_PAGES = 100_000;

/**
 * The number of searches that are in flight at the same time. Allows about three searches per second of almost three
 * seconds each.
 */
const MAX_SEARCHES = 8;

type Event =
  | { kind: 'listed'; page: ListPage; fastestMs: number }
  | { kind: 'found'; ask: Ask; page: FoundPage }
  | { kind: 'maySearch' };

/**
 * Yields all contacts. The list is read page by page, starting with the lowest ID. Searches start with the highest ID.
 * If each search takes long, several are in flight at the same time. The list and the searches end when they meet.
 * Recent changes that the index lacks are found by the next reading. If results are not sorted by ID, only the list is
 * read.
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
    // The list later returns the contacts from unsorted results.
    if (event.kind === 'found' && state.mode !== 'both') continue;
    page += 1;
    yield { records: event.page.records, position: state.isOver ? null : getPosition(state) };
    if (state.isOver) return;
    if (event.kind === 'listed' && state.after === before.after) break;
  }
  throw readingEndless('the contacts of HubSpot');
}

/** The requests in flight for a walk. */
interface WalkRequests {
  /** Sends the requests that are due, and resolves with the first result. */
  next(state: WalkState): Promise<Event>;
  /** Ends the requests in flight, so that no request is sent or counted after the walk. */
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
      // Waits for permission first, so the search is chosen when it is sent.
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
