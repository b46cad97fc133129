/** Reads all contacts: their list from the start and, if that is slow, searches from the other end. */

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

/** Some contacts, and the walk's position once they are decided. Null at its end. */
export interface WalkedPage {
  records: readonly HubspotRecord[];
  position: WalkPosition | null;
}

export interface WalkOptions extends WalkPosition {
  /** False for a walk that must use only the list. */
  maySearch: boolean;
}

type WalkSession = Pick<HubspotSession, 'api' | 'shape' | 'signal' | 'log'>;

/** The maximum number of pages in one walk, for ten million contacts. */
const MAX_PAGES = 100_000;

/** How many searches are in flight at the same time. This fits three per second if each takes almost three seconds. */
const MAX_SEARCHES = 8;

type Event =
  | { kind: 'listed'; page: ListPage; fastestMs: number }
  | { kind: 'found'; ask: Ask; page: FoundPage }
  | { kind: 'maySearch' };

/**
 * Yields all contacts. The list comes from the lowest ID up, one page after the other. Searches come from the highest
 * ID down, several at a time if each takes long, until they meet. Changes that the search index lacks were made shortly
 * before the walk started, so the next reading returns them. If the list or a search is not in the order of IDs, only
 * the list is read to its end.
 */
export async function* walkAll(
  session: WalkSession,
  options: WalkOptions,
): AsyncGenerator<WalkedPage> {
  const requests = createRequests(session);
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
    // Results that were out of order are left to the list.
    if (event.kind === 'found' && state.mode !== 'both') continue;
    page += 1;
    yield { records: event.page.records, position: state.isOver ? null : getPosition(state) };
    if (state.isOver) return;
    if (event.kind === 'listed' && state.after === before.after) break;
  }
  throw readingEndless('the contacts of HubSpot');
}

/** Returns the requests of a walk that are in flight. */
function createRequests(session: WalkSession) {
  const { api } = session;
  const searches = new Map<Ask, Promise<Event>>();
  let list: Promise<Event> | null = null;
  let leave: Promise<Event> | null = null;

  return {
    /** Sends what is due, and resolves with the first result. */
    async next(state: WalkState): Promise<Event> {
      if (list === null && isListNext(state)) list = heard(askList(state.after));
      const maySearch = state.mode === 'both' && searches.size < MAX_SEARCHES;
      const ask = maySearch ? nextAsk(state.spans, [...searches.keys()]) : null;
      // Waits for permission first, so the search is chosen at the moment when it is sent.
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
  };

  async function askList(after: string | null): Promise<Event> {
    const page = await listPage(session, after);
    return { kind: 'listed', page, fastestMs: api.fastestMs() };
  }

  async function awaitLeave(): Promise<Event> {
    await api.awaitWalk();
    return { kind: 'maySearch' };
  }

  async function search(ask: Ask): Promise<Event> {
    return { kind: 'found', ask, page: await searchAmong(session, ask) };
  }
}
