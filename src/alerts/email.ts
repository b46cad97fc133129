import type { AlertSettings } from '../core/alert-settings.ts';
import type { Channel } from './channel.ts';

/** For each step of speaking with the mail server. */
const STEP_TIMEOUT_MS = 10_000;

/** Mail by SMTP; each message has a connection of its own, since there are few. */
export function createEmailChannel({
  to,
  from,
  smtp,
}: NonNullable<AlertSettings['email']>): Channel {
  return {
    name: 'email',
    async send({ title, text }, signal) {
      // Loaded by the first message: most processes send none.
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({
        url: smtp,
        connectionTimeout: STEP_TIMEOUT_MS,
        greetingTimeout: STEP_TIMEOUT_MS,
        socketTimeout: STEP_TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      const sending = transport.sendMail({
        ...{ from, to, subject: title, text },
        // So that no holiday notice answers (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      await Promise.race([sending, givenUp(signal)]);
    },
  };
}

/** Rejects once the signal is aborted; a mail that is under way then may still arrive. */
function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(new Error('Sending was given up.'));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}
