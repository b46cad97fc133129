import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { AlertRecord } from '../store/service/alerts.ts';
import type { RecordedChange } from './changes.ts';
import type { Channel } from './channel.ts';
import { composeMessage, type Message } from './message.ts';

/** Tells changes through all channels, each channel at its own pace. */
export interface Teller {
  /** Resolves with the changes that nobody is left to be told of. */
  tell(changes: readonly RecordedChange[], signal: AbortSignal): Promise<RecordedChange[]>;
  /** Drops a change that is overtaken; true if some channel has told it already. */
  drop(row: AlertRecord): boolean;
}

export interface TellerDeps {
  channels: readonly Channel[];
  publicUrl: string;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

/** The longest that one message may take; less than a lease lasts. */
export const SEND_LIMIT_MS = 20_000;

/** A channel that failed is left alone for a while, and after a day its messages are given up. */
export const RETRY_WAIT_MS = 600_000;
const MAX_FAILURES = 144;

/** What is known of one channel; a new process begins anew, and may tell a thing twice. */
interface ChannelState {
  channel: Channel;
  /** The changes that it has told, while others have not. */
  told: Set<string>;
  failures: number;
  /** Epoch ms. */
  retryAt: number;
}

export function createTeller({ channels, publicUrl, clock, log }: TellerDeps): Teller {
  const states = channels.map(
    (channel): ChannelState => ({ channel, told: new Set(), failures: 0, retryAt: 0 }),
  );

  return {
    async tell(changes, signal) {
      await Promise.all(states.map((state) => tellThrough(state, changes, signal)));
      const done = changes.filter(({ row }) => states.every(({ told }) => told.has(keyOf(row))));
      for (const { row } of done) drop(row);
      return done;
    },
    drop,
  };

  function drop(row: AlertRecord): boolean {
    return states.filter(({ told }) => told.delete(keyOf(row))).length > 0;
  }

  async function tellThrough(
    state: ChannelState,
    changes: readonly RecordedChange[],
    signal: AbortSignal,
  ): Promise<void> {
    const due = changes.filter(({ row }) => !state.told.has(keyOf(row)));
    const waitMs = state.retryAt - clock.now();
    // More than the whole wait: the clock was set back.
    if (due.length === 0 || (waitMs > 0 && waitMs <= RETRY_WAIT_MS)) return;
    const isTold = await send(state, composeMessage(due, publicUrl), signal);
    if (isTold) for (const { row } of due) state.told.add(keyOf(row));
  }

  /** True if the message was taken, or is given up. */
  async function send(
    state: ChannelState,
    message: Message,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { name } = state.channel;
    try {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(SEND_LIMIT_MS)]);
      await state.channel.send(message, limited);
      state.failures = 0;
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      state.failures += 1;
      state.retryAt = clock.now() + RETRY_WAIT_MS;
      // What a mail server says may name whom it refuses.
      log.warn({ channel: name, code: codeOf(error) }, 'an alert could not be sent');
      if (state.failures < MAX_FAILURES) return false;
      state.failures = 0;
      log.error({ channel: name }, 'an alert was given up: its channel has failed for a day');
      return true;
    }
  }
}

function keyOf({ integrationId, subject, since, overAt }: AlertRecord): string {
  return [integrationId, subject, since, overAt].join('\n');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'refused';
}
