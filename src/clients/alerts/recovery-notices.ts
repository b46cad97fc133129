/**
 * Sends a notice about each new link with which someone can sign in as an owner. The recipients of alerts get the
 * notice.
 */
import type { Clock } from '../../core/clock.ts';
import { isoTime } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { recordEntry } from '../../privacy/audit/record.ts';
import type { Store } from '../../store.ts';
import {
  listUnsentNotices,
  type RecoveryNotice,
  recordNoticesSent,
  storeNotice,
} from '../statements/recovery-notices.ts';
import { type Channel, describeSender, type Message } from './message.ts';
import { RETRY_WAIT_MS, SEND_LIMIT_MS } from './notifier.ts';

/** Records that a link was created. `person` is the user who can use the link, or null for any owner. */
export async function noteRecovery(trx: ActorTransaction, person: string | null): Promise<void> {
  await storeNotice(trx);
  await recordEntry(trx, { action: 'recovery.asked', details: { person } });
}

export interface RecoveryNoticesDeps {
  store: Store;
  channels: readonly Channel[];
  readUrl(): Promise<string | null>;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

/**
 * Creates the sender of the notices. The sender works even if the settings request no alerts. A notice is sent once one
 * channel accepts it. If no channel accepts it, it is sent again later, even after a restart.
 */
export function createRecoveryNotices(deps: RecoveryNoticesDeps) {
  const { store, channels, readUrl, clock, log } = deps;
  let retryAt = 0;
  return {
    /** Sends the notices. This function does not reject if a channel fails. */
    async send(signal: AbortSignal): Promise<void> {
      const waitMs = retryAt - clock.now();
      // If the remaining wait is longer than the full delay, the clock was set back.
      if (channels.length === 0 || (waitMs > 0 && waitMs <= RETRY_WAIT_MS)) return;
      const notices = await listUnsentNotices(store.reader);
      if (notices.length === 0) return;
      const message = composeNotice(notices, await readUrl());
      const taken = await Promise.all(channels.map((channel) => isTaken(channel, message, signal)));
      if (taken.includes(true)) await recordNoticesSent(store.connection, notices);
      else retryAt = clock.now() + RETRY_WAIT_MS;
    },
  };

  async function isTaken({ name, send }: Channel, message: Message, signal: AbortSignal) {
    try {
      await send(message, AbortSignal.any([signal, AbortSignal.timeout(SEND_LIMIT_MS)]));
      return true;
    } catch {
      // The response of an SMTP server may contain the addresses of refused recipients, so it is not logged.
      if (!signal.aborted) log.warn({ channel: name }, 'a notice of a recovery was not sent');
      return false;
    }
  }
}

function composeNotice(notices: readonly RecoveryNotice[], publicUrl: string | null): Message {
  const lines = [
    ...notices.map(({ since }) => `Created at ${isoTime(since)}.`),
    'Someone on the machine that runs donor-sync created a link that signs its holder in without a password. It works once, within 15 minutes.',
    '`donor-sync audit` shows who created it (recovery.asked) and who signed in with it. If no owner knows about it, disable that user: donor-sync users disable USER',
  ];
  return {
    title: 'donor-sync: a link to recover access was created',
    text: [lines.join('\n'), describeSender(publicUrl)].join('\n\n'),
  };
}
