/**
 * Composes the monthly mails. They contain counts, the clients' names and links, but no contact's name and no amount.
 * All functions are pure.
 */
import { MAIL_RULES, type MailKind } from '../../core/mail-kinds.ts';
import { plainLine, plainText } from '../../core/printable.ts';
import { publicAddress } from '../../core/public-address.ts';
import { describeCount, formatCount } from '../../core/quantities.ts';
import type { Mail } from '../alerts/email.ts';
import type { Message } from '../alerts/message.ts';

/** The part of a mail about one client. */
export interface ClientLines {
  name: string;
  lines: readonly string[];
  /** The path of the page with these numbers. */
  path: string;
}

interface MonthlyMail {
  kind: MailKind;
  /** The past month, such as 2026-10. */
  month: string;
  clients: readonly ClientLines[];
  /** The number of further clients, which the mail does not list. */
  more: number;
  publicUrl: string;
  /** The path of the page that stops these mails. */
  stopPath: string;
}

export function composeMonthlyMail(mail: MonthlyMail): Omit<Mail, 'to'> {
  const { kind, month, clients, more, publicUrl, stopPath } = mail;
  const { name } = MAIL_RULES[kind];
  const stop = publicAddress(publicUrl, stopPath);
  const rest = `${describeCount(more, 'more client')}: ${publicAddress(publicUrl, `/${kind}`)}`;
  const parts = [
    `${name}, ${formatMonth(month)}`,
    ...clients.map(({ name: client, lines, path }) =>
      [plainLine(client), ...[...lines, publicAddress(publicUrl, path)].map(indent)].join('\n'),
    ),
    ...(more > 0 ? [rest] : []),
    [
      `You get this mail once a month, because you chose it under My account: ${publicAddress(publicUrl, '/account')}`,
      `Stop it: ${stop}`,
    ].join('\n'),
  ];
  return {
    title: `donor-sync: ${name}, ${formatMonth(month)}`,
    text: plainText(parts.join('\n\n')),
    headers: {
      // Mail programs offer a button that sends a POST request, without a session (RFC 8058).
      'List-Unsubscribe': `<${stop}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

export function describeIntroductions({ all, fresh }: { all: number; fresh: number }): string[] {
  if (all === 0) return ['No contact can be introduced yet.'];
  return [`${describeCount(all, 'contact')} can be introduced, ${formatCount(fresh)} of them new.`];
}

/** The counts of a client's month. */
export interface ResultCounts {
  sent: number;
  matched: number;
  introductions: number;
  decisions: number;
  credits: { enhancements: number; networks: number; queries: number };
}

export function describeResults(counts: ResultCounts): string[] {
  const { sent, matched, introductions, decisions, credits } = counts;
  const { enhancements, networks, queries } = credits;
  const first =
    sent === 0
      ? 'No contact was sent to the service.'
      : `${formatCount(matched)} of ${describeCount(sent, 'contact')} matched.`;
  return [
    first,
    `${describeCount(introductions, 'new introduction')}, ${describeCount(decisions, 'decision')}.`,
    `Credits: ${formatCount(enhancements)} for enhancements, ${formatCount(networks)} for networks, ${formatCount(queries)} for queries.`,
  ];
}

/** Returns the mail that verifies an address. */
export function composeProof(publicUrl: string, path: string): Message {
  return {
    title: 'donor-sync: confirm your e-mail address',
    text: [
      'You chose monthly mails in donor-sync. To get them, open this link within a day, sign in, and confirm:',
      publicAddress(publicUrl, path),
      'If you did not choose them, ignore this mail. Nothing else is sent.',
    ].join('\n\n'),
  };
}

function indent(line: string): string {
  return `  ${line}`;
}

/** Returns a month such as `October 2026`. */
function formatMonth(month: string): string {
  return new Intl.DateTimeFormat('en-US', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${month}-01T00:00:00Z`));
}
