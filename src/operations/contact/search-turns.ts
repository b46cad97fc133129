/**
 * Limits searches, because they share the CRM's limits with runs and other tools. Each user may have only one search in
 * flight. Each client may have only one search per second. The limits apply to each process.
 */
import type { Clock } from '../../core/clock.ts';
import { RetriableError } from '../../core/errors.ts';
import { createOneAtATime, type OneAtATime } from '../../core/one-at-a-time.ts';
import { createPace, type Pace, slidingWindow, type WindowLimit } from '../../outbound/pace.ts';
import type { Caller } from '../kit/caller.ts';

/** The maximum number of a user's searches: one in flight and one waiting. */
const MOST_OF_USER = 2;

/** The maximum number of a user's pages whose names are being read: one in progress and a few waiting. */
const MOST_PAGES = 4;

const ONE_A_SECOND: WindowLimit = { requests: 1, windowMs: 1_000 };

/** The limits of each application. Each application has separate limits, so that tests do not wait for each other. */
const known = new WeakMap<object, SearchTurns>();

interface SearchTurns {
  users: Map<string, OneAtATime>;
  /** The searches in flight, by user and client. */
  names: Map<string, OneAtATime>;
  clients: Map<string, Pace<'all', WindowLimit>>;
}

interface Turn {
  application: object;
  caller: Pick<Caller, 'account'>;
  clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  signal: AbortSignal;
}

/**
 * Runs a search when it is the user's turn. Throws a RetriableError if another search of the user is already waiting.
 */
export function inSearchTurn<Result>(
  { application, caller, clock, signal }: Turn,
  client: string,
  search: () => Promise<Result>,
): Promise<Result> {
  const { users } = findTurns(application);
  const user = toKey(caller);
  const inTurn = users.get(user) ?? createOneAtATime(MOST_OF_USER, searchBusy);
  users.set(user, inTurn);
  return inTurn(() => inTurnOfClient({ application, clock, signal }, client, search));
}

/**
 * Reads a page's names when it is the page's turn. The client's limit also counts searches. Throws a RetriableError if
 * the user has opened too many pages.
 */
export function inTurnOfNames<Result>(
  { application, caller, clock, signal }: Turn,
  client: string,
  read: () => Promise<Result>,
): Promise<Result> {
  const { names } = findTurns(application);
  const key = `${toKey(caller)} ${client}`;
  const inTurn = names.get(key) ?? createOneAtATime(MOST_PAGES, namesBusy);
  names.set(key, inTurn);
  return inTurn(() => inTurnOfClient({ application, clock, signal }, client, read));
}

async function inTurnOfClient<Result>(
  { application, clock, signal }: Omit<Turn, 'caller'>,
  client: string,
  ask: () => Promise<Result>,
): Promise<Result> {
  const { clients } = findTurns(application);
  const pace =
    clients.get(client) ??
    createPace({ clock, lanes: ['all'], policy: slidingWindow(ONE_A_SECOND) });
  clients.set(client, pace);
  const end = await pace.take('all', signal);
  try {
    return await ask();
  } finally {
    end();
  }
}

function findTurns(application: object): SearchTurns {
  const turns = known.get(application) ?? {
    users: new Map(),
    names: new Map(),
    clients: new Map(),
  };
  known.set(application, turns);
  return turns;
}

function toKey({ account }: Turn['caller']): string {
  return account === null ? '' : `${account.kind} ${account.id}`;
}

function searchBusy(): RetriableError {
  return new RetriableError(
    'Your previous searches have not finished. Nothing was searched. Try again in a few seconds.',
    { code: 'search_busy' },
  );
}

function namesBusy(): RetriableError {
  return new RetriableError(
    'The names for the pages that you opened before this one are still loading. No further names were read. Reload the page in a few seconds.',
    { code: 'names_busy' },
  );
}
