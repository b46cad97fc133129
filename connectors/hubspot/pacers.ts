import { hash } from 'node:crypto';
import type { AnswerHeaders } from '../../src/outbound/exchange.ts';
import {
  createPaceRegistry,
  type DepartureBoard,
  type PaceRegistry,
  type WindowLimit,
} from '../../src/outbound/pace.ts';
import { createPacer, eachBoard, type PaceClock, type Pacer } from '../requests/pacers.ts';
import { readLimitHeader } from './daily-usage.ts';

/** Provides the pacers of each account. If a departure board is available, several processes share the pace. */
export interface PacerRegistry {
  on(board: DepartureBoard | null): AccountPacers;
}

export interface AccountPacers {
  requests: PaceRegistry<Pacer>;
  /** The pacers that limit searches. All apps of a HubSpot account share the limit for searches. */
  searches: PaceRegistry<Pacer>;
  /**
   * The pacers for searches in a reading of all contacts. The pace of these searches is lower than HubSpot's limit, so
   * that other tools of the account can search too.
   */
  walks: PaceRegistry<Pacer>;
}

/**
 * HubSpot's limit for a private app in the larger plans. donor-sync uses this limit until HubSpot reports a different
 * limit (CRM facts, B4).
 */
const DEFAULT_LIMIT: WindowLimit = { requests: 190, windowMs: 10_000 };

/** HubSpot allows five searches per second, and a reading of all contacts uses at most three. */
const WALK_LIMIT: WindowLimit = { requests: 3, windowMs: 1_000 };

/** Creates a registry that creates each pacer when it is first used. */
export function createPacerRegistry(clock: PaceClock): PacerRegistry {
  return {
    on: eachBoard((board) => ({
      requests: createPacers('requests', DEFAULT_LIMIT, board),
      searches: createPacers('searches', null, board),
      walks: createPacers('walks', WALK_LIMIT, board),
    })),
  };

  /** Creates an account's pacers. The board contains only a hash of the account. */
  function createPacers(kind: string, limit: WindowLimit, board: DepartureBoard | null) {
    return createPaceRegistry((key) => {
      const shared = board && { board, key: hash('sha256', `hubspot ${kind} ${key}`) };
      return createPacer(clock, limit, shared);
    });
  }
}

/** Returns the limit. Zero requests mean that there is no limit. */
export function toWindowLimit(requests: number, windowMs: number): WindowLimit {
  return requests === 0 ? null : { requests, windowMs };
}

/**
 * The number of remaining requests at which donor-sync pauses. With fewer remaining requests, a short burst of requests
 * would exceed the limit.
 */
const FEW_REMAINING = 2;
const FEW_REMAINING_WAIT_MS = 100;

export function keepNamedLimit(pacer: Pacer, headers: AnswerHeaders): void {
  const requests = readLimitHeader(headers, 'max');
  const windowMs = readLimitHeader(headers, 'interval-milliseconds');
  if (requests === null || windowMs === null || requests < 1 || windowMs < 1) return;
  pacer.keep({ requests, windowMs });
  const remaining = readLimitHeader(headers, 'remaining') ?? requests;
  if (remaining <= FEW_REMAINING) pacer.pause(FEW_REMAINING_WAIT_MS);
}
