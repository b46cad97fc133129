/** All contacts: their list from the front and, where that is slow, searches from the other end. */

import { FatalError } from '../../../src/core/errors.ts';
import { heard } from '../../ahead.ts';
import { throwIfStopped } from '../../stopped.ts';
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

/** Some contacts, and where the walk stands once they are decided; null at its end. */
export interface WalkedPage {
  records: readonly HubspotRecord[];
  position: WalkPosition | null;
}

export interface WalkOptions extends WalkPosition {
  /** False for a walk for which nothing but the list will do. */
  maySearch: boolean;
}

type WalkSession = Pick<HubspotSession, 'api' | 'shape' | 'signal' | 'log'>;

/** Pages of one walk; ten million contacts. */
const MAX_PAGES = 100_000;

/** Searches under way at once: at three a second, of nearly three seconds each. */
const MAX_SEARCHES = 8;

type Event =
  | { kind: 'listed'; page: ListPage; fastestMs: number }
  | { kind: 'found'; ask: Ask; page: FoundPage }
  | { kind: 'maySearch' };

/**
 * The list comes from the lowest id up, one page after the other; searches from the highest down, several
 * at a time where each takes long, until they meet. What the index of the searches does not know yet was
 * changed since shortly before the walk began, and so comes with the next reading. Should the list or
 * a search come in another order than that of ids, the list alone is walked to its end.
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
        'contacts do not come in the order of their ids: their list is read alone',
      );
    // What came in no order is left to the list.
    if (event.kind === 'found' && state.mode !== 'both') continue;
    page += 1;
    yield { records: event.page.records, position: state.isOver ? null : getPosition(state) };
    if (state.isOver) return;
    if (event.kind === 'listed' && state.after === before.after) break;
  }
  throw new FatalError('The contacts of HubSpot do not come to their end.', {
    code: 'crm_reading_endless',
  });
}

/** The requests of a walk that are under way. */
function createRequests(session: WalkSession) {
  const { api } = session;
  const searches = new Map<Ask, Promise<Event>>();
  let list: Promise<Event> | null = null;
  let leave: Promise<Event> | null = null;

  return {
    /** Sends what is to be sent, and resolves with what comes first. */
    async next(state: WalkState): Promise<Event> {
      if (list === null && isListNext(state)) list = heard(askList(state.after));
      const maySearch = state.mode === 'both' && searches.size < MAX_SEARCHES;
      const ask = maySearch ? nextAsk(state.spans, [...searches.keys()]) : null;
      // Leave to search is waited for first, so that what is searched for is chosen at that moment.
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
