import type { Clock } from '../core/clock.ts';
import {
  createPace,
  createPaceRegistry,
  type DepartureBoard,
  type Pace,
  type PaceRegistry,
  sharedBucket,
  tokenBucket,
} from '../outbound/pace.ts';

/**
 * Kinds of requests that share the rate limit fairly. Polling therefore never blocks submitting, and a thousand queries
 * do not delay another request that reads a balance (`other`).
 */
export const LANES = ['submit', 'poll', 'results', 'networks', 'queries', 'other'] as const;
export type Lane = (typeof LANES)[number];

/**
 * A rate limit that the service has published: requests per second (null for no limit), and the number of requests
 * after a pause.
 */
export interface RateLimit {
  ratePerSecond: number | null;
  burst: number;
}

/** The pace of an API key. Before each request with the key, donor-sync waits until the pace allows it. */
export interface Pacer extends Pick<Pace<Lane, RateLimit>, 'take' | 'pause'> {
  keepLimit(limit: RateLimit): void;
}

/**
 * The maximum rate. The service allows 10 requests per second and a burst of 10 (service document, section 8). The
 * service counts requests on arrival, so delayed requests may arrive together with later requests. Therefore,
 * donor-sync leaves two requests of the burst and one percent of the rate unused.
 */
const DEFAULT_RATE_PER_SECOND = 9.9;
const DEFAULT_BURST = 8;

const UNUSED_BURST = 2;
const UNUSED_RATE_PART = 0.01;

export interface PaceOptions {
  /** The number of requests per second. Defaults to 9.9. Null or 0 means no limit. */
  ratePerSecond?: number | null;
  /** The number of requests that donor-sync may send at once after a pause, at least 1. Defaults to 8. */
  burst?: number;
}

export interface PacerOptions extends PaceOptions {
  clock: Clock;
  /**
   * The board that lets several processes share one pace for each key. If null or omitted, each process has its own
   * pace.
   */
  board?: DepartureBoard | null;
}

/**
 * Creates a token bucket for each key. The bucket belongs to this process, or is on the board that several processes
 * share.
 */
export function createPacer(options: PacerOptions, key = ''): Pacer {
  const { clock, board, ratePerSecond = DEFAULT_RATE_PER_SECOND, burst = DEFAULT_BURST } = options;
  const limit = { ratePerSecond, burst, spare: Math.max(0, DEFAULT_BURST + UNUSED_BURST - burst) };
  const policy = board
    ? sharedBucket(limit, { board, key, clock })
    : tokenBucket(limit, clock.monotonicMs());
  const pace = createPace({ clock, lanes: LANES, policy });
  return {
    take: pace.take,
    pause: pace.pause,
    keepLimit({ ratePerSecond: named, burst: namedBurst }) {
      pace.keep({
        ratePerSecond: named === null ? null : named * (1 - UNUSED_RATE_PART),
        burst: Math.max(1, namedBurst - UNUSED_BURST),
        spare: UNUSED_BURST,
      });
    },
  };
}

/** The pacers of a process, one for each API key. */
export type Pacers = PaceRegistry<Pacer>;

/** Creates each key's pacer on first use. */
export function createPacers(options: PacerOptions): Pacers {
  return createPaceRegistry((key) => createPacer(options, key));
}
