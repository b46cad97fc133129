/**
 * Composes the monthly emails. The emails contain numbers, client names and links, but neither contact names nor
 * amounts. All functions are pure.
 */
import { MAIL_RULES, type MailKind } from '../../core/mail-kinds.ts';
import { plainLine, plainText } from '../../core/printable.ts';
import { publicAddress } from '../../core/public-address.ts';
import { describeCount, formatCount } from '../../core/quantities.ts';
import type { Mail } from '../alerts/email.ts';
import type { Message } from '../alerts/message.ts';

export interface ClientLines {
  name: string;
  lines: readonly string[];
  /** The path of the page that shows the numbers of the email. */
  path: string;
}

interface MonthlyMail {
  kind: MailKind;
  month: string;
  clients: readonly ClientLines[];
  /** The number of further clients, which the email does not list. */
  more: number;
  publicUrl: string;
  /** The path of the page on which users can stop the emails. */
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
      `You get this email once a month, because you chose it under My account: ${publicAddress(publicUrl, '/account')}`,
      `To turn it off, open: ${stop}`,
    ].join('\n'),
  ];
  return {
    title: `donor-sync: ${name}, ${formatMonth(month)}`,
    text: plainText(parts.join('\n\n')),
    headers: {
      // Email programs show a button that sends a POST request without a session (RFC 8058).
      'List-Unsubscribe': `<${stop}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

export function describeIntroductions({ all, fresh }: { all: number; fresh: number }): string[] {
  if (all === 0) return ['No contact can be introduced yet.'];
  return [`${describeCount(all, 'contact')} can be introduced, ${formatCount(fresh)} of them new.`];
}

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

/** Returns the email that verifies an address. */
export function composeProof(publicUrl: string, path: string): Message {
  return {
    title: 'donor-sync: confirm your e-mail address',
    text: [
      'You chose to get monthly emails from donor-sync. To confirm your address, open this link within a day, sign in, and press Confirm:',
      publicAddress(publicUrl, path),
      'If you did not choose this, ignore this email. donor-sync will not send you anything else.',
    ].join('\n\n'),
  };
}

function indent(line: string): string {
  return `  ${line}`;
}

function formatMonth(month: string): string {
  return new Intl.DateTimeFormat('en-US', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${month}-01T00:00:00Z`));
}
