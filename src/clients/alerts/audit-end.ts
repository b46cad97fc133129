/**
 * Sends the audit's last entry once a day. With this copy outside the database, users can prove that nobody removed an
 * earlier entry.
 */

import type { Clock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { AuditEnd } from '../../privacy/audit/read-audit.ts';
import { readAuditEnd } from '../../privacy/audit/read-audit.ts';
import type { Store } from '../../store.ts';
import { findSentAuditEnd, recordSentAuditEnd } from '../statements/alerts.ts';
import { type Channel, describeSender, type Message } from './message.ts';
import { RETRY_WAIT_MS, SEND_LIMIT_MS } from './notifier.ts';

const DAY_MS = 86_400_000;

export interface AuditEndDeps {
  store: Store;
  channels: readonly Channel[];
  readUrl(): Promise<string | null>;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

/**
 * Creates the function that sends the audit's last entry through all channels. The function sends the entry at most
 * once a day, and only if the audit has a new entry. One copy outside the database is enough, so the function has
 * succeeded when one channel accepts the entry.
 */
export function createAuditEnds({ store, channels, readUrl, clock, log }: AuditEndDeps) {
  let retryAt = 0;
  return {
    /** Sends the entry if it is due. This function does not reject if a channel fails. */
    async send(signal: AbortSignal): Promise<void> {
      const now = clock.now();
      if (channels.length === 0 || now < retryAt) return;
      const sent = await findSentAuditEnd(store.reader);
      // A negative time means that the clock was set back.
      if (sent !== null && now - sent.at >= 0 && now - sent.at < DAY_MS) return;
      const end = await readAuditEnd(store);
      if (end === null || (end.seq === sent?.seq && end.hash === sent.hash)) return;
      const message = endMessage(end, sent?.seq ?? 0, await readUrl());
      const taken = await Promise.all(channels.map((channel) => isTaken(channel, message, signal)));
      if (taken.includes(true)) await store.act((trx) => recordSentAuditEnd(trx, end));
      else retryAt = now + RETRY_WAIT_MS;
    },
  };

  async function isTaken(
    channel: Channel,
    message: Message,
    signal: AbortSignal,
  ): Promise<boolean> {
    try {
      await channel.send(message, AbortSignal.any([signal, AbortSignal.timeout(SEND_LIMIT_MS)]));
      return true;
    } catch (error) {
      if (!signal.aborted) {
        const { name } = channel;
        log.warn({ channel: name, error: messageOf(error) }, 'the end of the audit was not sent');
      }
      return false;
    }
  }
}

/** Returns the message. If the entry may be wrong, the message starts with a warning. */
function endMessage(
  { seq, hash, isSigned }: AuditEnd,
  lastSeq: number,
  publicUrl: string | null,
): Message {
  const problem = !isSigned
    ? `The end of the audit, entry ${seq}, was not signed by donor-sync: it was changed in the database.`
    : seq < lastSeq
      ? `The audit ends at entry ${seq}, although it previously ended at entry ${lastSeq}. Someone changed the recorded end, or restored a backup.`
      : null;
  const place = `${seq}:${hash}`;
  const lines =
    problem === null
      ? [
          'You do not have to do anything. This daily message is a receipt: it can prove later that no one removed or changed entries of the audit, the record of who did what in donor-sync.',
          `The audit ends at ${place}`,
          `Keep this message. Later, \`donor-sync audit verify --known ${place}\` shows whether any entry up to this one was changed or removed.`,
        ]
      : [
          problem,
          'Run `donor-sync audit verify`, with the end from an earlier message as `--known`.',
        ];
  const title =
    problem === null
      ? `donor-sync: a receipt for the audit, entry ${seq} (nothing to do)`
      : 'donor-sync: the audit was changed';
  return { title, text: [lines.join('\n'), describeSender(publicUrl)].join('\n\n') };
}
