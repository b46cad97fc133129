import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { AlertRecord } from '../statements/alerts.ts';
import type { RecordedChange } from './changes.ts';
import { type Channel, composeMessage, type Message } from './message.ts';

/** Sends changes through all channels. A slow channel does not delay the other channels. */
export interface Notifier {
  /** Sends the changes. Resolves with the changes that all channels have sent. */
  notify(changes: readonly RecordedChange[], signal: AbortSignal): Promise<RecordedChange[]>;
  /** Discards a change. Returns true if a channel has already sent it. */
  drop(row: AlertRecord): boolean;
}

export interface NotifierDeps {
  channels: readonly Channel[];
  /**
   * Returns the integration's own channel, or null if it has none. The shared channels are used too. The same settings
   * always return the same object.
   */
  ownChannel(integrationId: string): Channel | null;
  readUrl(): Promise<string | null>;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

/** The maximum time for sending a message. This time is shorter than the duration of a lease. */
export const SEND_LIMIT_MS = 20_000;

/** The time for which a channel is not used after a failure. If a change could not be sent for a day, it is dropped. */
export const RETRY_WAIT_MS = 600_000;
const MAX_FAILURES = 144;

/**
 * The state of a channel in this process. A new process does not know this state, so it may send a change a second
 * time.
 */
interface ChannelState {
  channel: Channel;
  /** The changes that this channel has sent but other channels have not sent yet. */
  sent: Set<string>;
  /** The number of failed attempts to send each change. */
  failures: Map<string, number>;
  /** The time of the next attempt (epoch ms). */
  retryAt: number;
}

export function createNotifier(deps: NotifierDeps): Notifier {
  const { channels, ownChannel, readUrl, clock, log } = deps;
  const shared = channels.map(createState);
  const own = new Map<string, ChannelState>();

  return {
    async notify(changes, signal) {
      const each = Map.groupBy(changes, ({ row }) => row.integrationId);
      await Promise.all([
        ...shared.map((state) => sendThrough(state, changes, signal)),
        ...[...each].flatMap(([id, some]) =>
          listOwnStates(id).map((state) => sendThrough(state, some, signal)),
        ),
      ]);
      const done = changes.filter(({ row }) =>
        listStates(row).every(({ sent }) => sent.has(toKey(row))),
      );
      for (const { row } of done) drop(row);
      return done;
    },
    drop,
  };

  function drop(row: AlertRecord): boolean {
    const key = toKey(row);
    return (
      listStates(row).filter(({ sent, failures }) => {
        failures.delete(key);
        return sent.delete(key);
      }).length > 0
    );
  }

  function listStates({ integrationId }: Pick<AlertRecord, 'integrationId'>): ChannelState[] {
    return [...shared, ...listOwnStates(integrationId)];
  }

  function listOwnStates(integrationId: string): ChannelState[] {
    const channel = ownChannel(integrationId);
    if (channel === null) return [];
    const known = own.get(integrationId);
    if (known?.channel === channel) return [known];
    const state = createState(channel);
    own.set(integrationId, state);
    return [state];
  }

  async function sendThrough(
    state: ChannelState,
    changes: readonly RecordedChange[],
    signal: AbortSignal,
  ): Promise<void> {
    const due = changes.filter(({ row }) => !state.sent.has(toKey(row)));
    const waitMs = state.retryAt - clock.now();
    // If the remaining wait is longer than the full delay, the clock was set back.
    if (due.length === 0 || (waitMs > 0 && waitMs <= RETRY_WAIT_MS)) return;
    const keys = due.map(({ row }) => toKey(row));
    const done = await send(state, composeMessage(due, await readUrl()), keys, signal);
    for (const key of done) {
      state.sent.add(key);
      state.failures.delete(key);
    }
  }

  /** Sends changes through a channel. Returns the changes that the channel accepted or that are dropped. */
  async function send(
    state: ChannelState,
    message: Message,
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { name } = state.channel;
    try {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(SEND_LIMIT_MS)]);
      await state.channel.send(message, limited);
      return keys;
    } catch (error) {
      if (signal.aborted) return [];
      for (const key of keys) state.failures.set(key, (state.failures.get(key) ?? 0) + 1);
      state.retryAt = clock.now() + RETRY_WAIT_MS;
      // The response of an SMTP server may contain the addresses of refused recipients, so it is not logged.
      log.warn({ channel: name, code: getErrorCode(error) }, 'an alert could not be sent');
      // Each change expires separately, so that a new alert is not dropped together with an old alert.
      const givenUp = keys.filter((key) => (state.failures.get(key) ?? 0) >= MAX_FAILURES);
      if (givenUp.length > 0) {
        log.error({ channel: name }, 'an alert was given up: its channel has failed for a day');
      }
      return givenUp;
    }
  }
}

function createState(channel: Channel): ChannelState {
  return { channel, sent: new Set(), failures: new Map(), retryAt: 0 };
}

function toKey({ integrationId, subject, since, overAt }: AlertRecord): string {
  return [integrationId, subject, since, overAt].join('\n');
}

function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'refused';
}
