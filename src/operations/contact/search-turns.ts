/**
 * Limits searches, because they share the CRM's request limits with runs and with the nonprofit's other tools. Each
 * user has one search at a time, and each client one per second. The limits apply to this process only.
 */
import type { Clock } from '../../core/clock.ts';
import { RetriableError } from '../../core/errors.ts';
import { createOneAtATime, type OneAtATime } from '../../core/one-at-a-time.ts';
import { createPace, type Pace, slidingWindow, type WindowLimit } from '../../outbound/pace.ts';
import type { Caller } from '../kit/caller.ts';

/** The search in flight, and the next one. */
const MOST_OF_USER = 2;

const ONE_A_SECOND: WindowLimit = { requests: 1, windowMs: 1_000 };

/** Separate for each application, so two applications in one process, as in tests, do not wait for each other. */
const known = new WeakMap<object, SearchTurns>();

interface SearchTurns {
  users: Map<string, OneAtATime>;
  clients: Map<string, Pace<'all', WindowLimit>>;
}

interface Turn {
  application: object;
  caller: Pick<Caller, 'account'>;
  clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  signal: AbortSignal;
}

/** Throws a RetriableError if the user already has a search in flight and another one waiting. */
export function inSearchTurn<Result>(
  { application, caller, clock, signal }: Turn,
  client: string,
  search: () => Promise<Result>,
): Promise<Result> {
  const turns = known.get(application) ?? { users: new Map(), clients: new Map() };
  known.set(application, turns);
  const user = caller.account === null ? '' : `${caller.account.kind} ${caller.account.id}`;
  const inTurn = turns.users.get(user) ?? createOneAtATime(MOST_OF_USER, searchBusy);
  turns.users.set(user, inTurn);
  const pace =
    turns.clients.get(client) ??
    createPace({ clock, lanes: ['all'], policy: slidingWindow(ONE_A_SECOND) });
  turns.clients.set(client, pace);
  return inTurn(async () => {
    const end = await pace.take('all', signal);
    try {
      return await search();
    } finally {
      end();
    }
  });
}

function searchBusy(): RetriableError {
  return new RetriableError(
    'Your previous searches have not finished. Nothing was searched. Try again in a few seconds.',
    { code: 'search_busy' },
  );
}
