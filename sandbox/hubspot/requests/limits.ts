/** Limits the number of requests of an app, and reports the remaining number in headers. */

import type { MiddlewareHandler } from 'hono';
import type { Database } from '../core/database.ts';
import { limitError } from '../core/errors.ts';
import type { HubspotContext, HubspotEnv } from './context.ts';
import type { FoundToken } from './tokens.ts';

const TEN_SECONDS_MS = 10_000;
const SECOND_MS = 1000;
/** The maximum rate of an OAuth app, on every plan of the account. */
const MAX_OAUTH_RATE = 110;
/** The offset between UTC and New York's winter time (ms). The account's days start at midnight in this time zone. */
export const UTC_OFFSET_MS = -5 * 3_600_000;

/** The limits of an account. The value 0 switches a limit off. */
export interface LimitSettings {
  /** The maximum number of requests from an app within any ten seconds. */
  ratePer10s: number;
  /** The maximum number of requests from all private apps in a day. */
  dailyLimit: number;
  /** The maximum number of searches of the account within any second. */
  searchPerSecond: number;
}

export interface Limits {
  readonly dailyLimit: number;
  /** Returns the number of requests of private apps today. */
  usedToday(): number;
  /** Returns the end of the day, in milliseconds since 1970. */
  dayEndsAtMs(): number;
  /** Sets the number of requests that count as sent today. */
  setUsedToday(calls: number): void;
  /** Counts a request. Throws a 429 error with the limit's name if the limit is exceeded. */
  take(grant: FoundToken): void;
  takeSearch(): void;
  headersFor(grant: FoundToken): Record<string, string>;
}

/** Opens the counts in a database. */
export function createLimits(db: Database, clock: () => number, settings: LimitSettings): Limits {
  const today = () => new Date(clock() + UTC_OFFSET_MS).toISOString().slice(0, 10);
  const find = db.prepare<[string], number>('select calls from api_calls where day = ?').pluck();
  const add = db.prepare(
    'insert into api_calls values (?, 1) on conflict (day) do update set calls = calls + 1',
  );
  const windows = new Map<number, Window>();
  const searches = createWindow(clock, SECOND_MS, settings.searchPerSecond);

  function windowOf({ appId, kind }: FoundToken): Window {
    const { ratePer10s } = settings;
    const isBounded = kind === 'oauth' && ratePer10s > 0;
    const most = isBounded ? Math.min(ratePer10s, MAX_OAUTH_RATE) : ratePer10s;
    const window = windows.get(appId) ?? createWindow(clock, TEN_SECONDS_MS, most);
    windows.set(appId, window);
    return window;
  }

  const usedToday = () => find.get(today()) ?? 0;
  const countsDays = ({ kind }: FoundToken) => kind === 'private' && settings.dailyLimit > 0;

  return {
    dailyLimit: settings.dailyLimit,
    usedToday,
    dayEndsAtMs: () => Date.parse(`${today()}T00:00:00Z`) + 24 * 3_600_000 - UTC_OFFSET_MS,
    setUsedToday(calls) {
      db.prepare('insert or replace into api_calls values (?, ?)').run(today(), calls);
    },
    take(grant) {
      if (countsDays(grant) && usedToday() >= settings.dailyLimit) throw limitError('DAILY');
      if (!windowOf(grant).take()) throw limitError('TEN_SECONDLY_ROLLING');
      if (grant.kind === 'private') add.run(today());
    },
    takeSearch() {
      if (!searches.take()) throw limitError('SECONDLY');
    },
    headersFor(grant) {
      const { most, remaining } = windowOf(grant);
      const { dailyLimit } = settings;
      return {
        ...(most === 0
          ? {}
          : {
              'X-HubSpot-RateLimit-Max': `${most}`,
              'X-HubSpot-RateLimit-Remaining': `${remaining()}`,
              'X-HubSpot-RateLimit-Interval-Milliseconds': `${TEN_SECONDS_MS}`,
            }),
        ...(countsDays(grant)
          ? {
              'X-HubSpot-RateLimit-Daily': `${dailyLimit}`,
              'X-HubSpot-RateLimit-Daily-Remaining': `${Math.max(0, dailyLimit - usedToday())}`,
            }
          : {}),
      };
    },
  };
}

/**
 * Counts each API request, and sets headers that show how many are left. Responses to searches have no such headers.
 */
export function limitRequests(limits: Limits): MiddlewareHandler<HubspotEnv> {
  return async (c, next) => {
    limits.take(c.var.grant);
    if (isSearch(c)) limits.takeSearch();
    await next();
  };
}

/** Returns true if the request is a search for records. */
export function isSearch(c: HubspotContext): boolean {
  return c.req.method === 'POST' && /\/objects\/.*\/search$/.test(c.req.path);
}

/** Counts requests within a moving window of time. */
interface Window {
  /** The maximum number of requests. 0 means no limit. */
  readonly most: number;
  /** Counts a request. If the limit is reached, returns false and counts nothing. */
  take(): boolean;
  remaining(): number;
}

function createWindow(clock: () => number, lengthMs: number, most: number): Window {
  let times: number[] = [];

  function forget(): void {
    const sinceMs = clock() - lengthMs;
    const first = times.findIndex((atMs) => atMs > sinceMs);
    times = first === -1 ? [] : times.slice(first);
  }

  return {
    most,
    take() {
      if (most === 0) return true;
      forget();
      if (times.length >= most) return false;
      times.push(clock());
      return true;
    },
    remaining() {
      forget();
      return Math.max(0, most - times.length);
    },
  };
}
