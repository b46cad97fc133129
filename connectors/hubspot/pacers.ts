import { hash } from 'node:crypto';
import {
  createPaceRegistry,
  type DepartureBoard,
  type PaceRegistry,
  type WindowLimit,
} from '../../src/outbound/pace.ts';
import { createPacer, eachBoard, type PaceClock, type Pacer } from '../requests/pacers.ts';
import { readLimitHeader } from './daily-usage.ts';

/** The pacers of a process. Pacers on a board share the pace with other processes. */
export interface PacerRegistry {
  on(board: DepartureBoard | null): AccountPacers;
}

/** The pacers of an account. Requests that HubSpot counts together share one pacer. */
export interface AccountPacers {
  /** All requests from an app in an account. */
  requests: PaceRegistry<Pacer>;
  /** Searches have a separate limit, for all apps of an account together. */
  searches: PaceRegistry<Pacer>;
  /** Searches of a walk through all contacts, which leaves some to other tools of the account. */
  walks: PaceRegistry<Pacer>;
}

/** HubSpot's limit for a private app in the larger plans, until HubSpot reports a different one (CRM facts, B4). */
const DEFAULT_LIMIT: WindowLimit = { requests: 190, windowMs: 10_000 };

/** HubSpot allows five searches per second, and a walk uses at most three of them. */
const WALK_LIMIT: WindowLimit = { requests: 3, windowMs: 1_000 };

/** Creates each pacer on first use. */
export function createPacerRegistry(clock: PaceClock): PacerRegistry {
  return {
    on: eachBoard((board) => ({
      requests: createPacers('requests', DEFAULT_LIMIT, board),
      searches: createPacers('searches', null, board),
      walks: createPacers('walks', WALK_LIMIT, board),
    })),
  };

  /** Creates an account's pacers. On the board, the account is identified only by a hash. */
  function createPacers(kind: string, limit: WindowLimit, board: DepartureBoard | null) {
    return createPaceRegistry((key) => {
      const shared = board && { board, key: hash('sha256', `hubspot ${kind} ${key}`) };
      return createPacer(clock, limit, shared);
    });
  }
}

/** Returns a limit of this many requests in a window. Zero means no limit. */
export function toWindowLimit(requests: number, windowMs: number): WindowLimit {
  return requests === 0 ? null : { requests, windowMs };
}

/** If only this many requests are left in the current window, one uneven moment would exceed the limit. */
const FEW_REMAINING = 2;
const FEW_REMAINING_WAIT_MS = 100;

/** Keeps the limit that a response states, if any. */
export function keepNamedLimit(pacer: Pacer, headers: Headers): void {
  const requests = readLimitHeader(headers, 'max');
  const windowMs = readLimitHeader(headers, 'interval-milliseconds');
  if (requests === null || windowMs === null || requests < 1 || windowMs < 1) return;
  pacer.keep({ requests, windowMs });
  const remaining = readLimitHeader(headers, 'remaining') ?? requests;
  if (remaining <= FEW_REMAINING) pacer.pause(FEW_REMAINING_WAIT_MS);
}
