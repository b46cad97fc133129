import { z } from 'zod';
import type { AlertSettings } from '../../core/alert-settings.ts';
import { messageOf } from '../../core/errors.ts';
import { isLoopback } from '../../core/host.ts';
import type { Channel } from './message.ts';

const STEP_TIMEOUT_MS = 10_000;

/** The SMTP server and the sender's address. */
export type MailServer = Pick<NonNullable<AlertSettings['email']>, 'from' | 'smtp'>;

export interface Mail {
  to: string | string[];
  /** The subject of the email, which is one line. */
  title: string;
  text: string;
  headers?: Readonly<Record<string, string>>;
}

export function createEmailChannel({
  to,
  ...server
}: NonNullable<AlertSettings['email']>): Channel {
  return {
    name: 'email',
    send: ({ title, text }, signal) => sendMail(server, { to, title, text }, signal),
  };
}

/**
 * Sends an email over SMTP. Each email uses its own connection, because donor-sync sends only a few emails. If the
 * server is another machine, no private data is sent before the connection is encrypted. Rejects with an Error that
 * explains the failure or the cancellation.
 */
export async function sendMail(
  { from, smtp }: MailServer,
  { to, title, text, headers = {} }: Mail,
  signal: AbortSignal,
): Promise<void> {
  // Most processes send no messages, so the library is loaded for the first message.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    ...getEncryption(smtp),
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const sending = transport.sendMail({
    from,
    to,
    subject: title,
    text,
    // Prevents automatic replies, such as holiday notices (RFC 3834).
    headers: { ...headers, 'Auto-Submitted': 'auto-generated' },
  });
  await Promise.race([sending, givenUp(signal)]).catch((error: unknown) => {
    throw plainFailure(error);
  });
}

/**
 * True if the email was certainly not sent. After other failures, such as a lost connection, the email may still
 * arrive.
 */
export function isSurelyUnsent(error: unknown): boolean {
  if (isUnencrypted(error)) return true;
  const { data } = failureSchema.safeParse(error instanceof Error ? error.cause : null);
  return data !== undefined && (data.responseCode !== undefined || data.command === 'CONN');
}

/** URL options that would change the encryption. donor-sync does not pass these options to nodemailer. */
const ENCRYPTION_OPTIONS = ['requireTLS', 'ignoreTLS', 'opportunisticTLS', 'secure'];

/**
 * Returns the URL, and whether the connection to the server must be encrypted. With `smtps:`, the connection is
 * encrypted from the first byte.
 */
function getEncryption(smtp: string): { url: string; requireTLS: boolean } {
  const url = new URL(smtp);
  for (const name of ENCRYPTION_OPTIONS) url.searchParams.delete(name);
  return { url: url.href, requireTLS: url.protocol === 'smtp:' && !isLoopback(url.hostname) };
}

function isUnencrypted(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ETLS';
}

/**
 * Creates the error for a server without encryption. The server's message is only in `cause`, because it may quote
 * anything.
 */
function unencrypted(cause: Error): Error {
  const message =
    'The connection to the mail server could not be encrypted, so no password and no mail was sent. Use smtps:// in alerts.email.smtp, or a mail server that offers STARTTLS with a certificate for its host name.';
  return Object.assign(new Error(message, { cause }), { code: 'ETLS' });
}

/** The data that nodemailer adds to an error. The server's own message is not used, because it may quote anything. */
const failureSchema = z.object({
  code: z.string().regex(/^[A-Z]{1,30}$/),
  responseCode: z.int().min(100).max(999).optional().catch(undefined),
  command: z.string().optional().catch(undefined),
});

/**
 * Describes an error of nodemailer in donor-sync's own words, with its code. donor-sync's own errors remain unchanged.
 */
function plainFailure(error: unknown): unknown {
  if (isUnencrypted(error)) return unencrypted(error);
  const { success, data } = failureSchema.safeParse(error);
  if (!success) return error;
  const { code, responseCode, command = '' } = data;
  const isReached = responseCode !== undefined || !REACHING.has(code);
  const problem = isReached ? refusalAt(code, command) : unreachedFor(messageOf(error));
  const message = `The mail server ${problem.what} (${responseCode ?? code}): ${problem.advice}.`;
  return Object.assign(new Error(message, { cause: error }), { code });
}

const REACHING: ReadonlySet<string> = new Set([
  ...['ECONNECTION', 'ECONNREFUSED', 'EDNS', 'ESOCKET', 'ETIMEDOUT'],
]);

interface Problem {
  what: string;
  advice: string;
}

/** Finds the problem from the error's message, because nodemailer does not pass on the codes of certificate errors. */
function unreachedFor(message: string): Problem {
  if (/certificate|altnames/i.test(message)) {
    const advice = 'use a certificate of a known authority, with the name in alerts.email.smtp';
    return { what: 'has a certificate that is not trusted', advice };
  }
  const advice = 'check alerts.email.smtp, and check that the server is running';
  return { what: 'cannot be reached', advice };
}

function refusalAt(code: string, command: string): Problem {
  if (code === 'EAUTH' || command.startsWith('AUTH')) {
    return {
      what: 'refused the login',
      advice: 'check the user and the password in alerts.email.smtp',
    };
  }
  const what = STEPS.find(([step]) => command.startsWith(step))?.[1] ?? 'refused the mail';
  return { what, advice: 'check alerts.email.to and .from' };
}

const STEPS = [
  ['RCPT', 'refused the recipient'],
  ['MAIL', 'refused the sender'],
] as const;

/** Rejects when the signal is aborted. An email that is already being sent may still arrive. */
function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(new Error('Sending was cancelled.'));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}
