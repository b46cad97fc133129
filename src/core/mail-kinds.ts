/** The monthly emails that users can choose on their own page. Each of these emails is sent once a month. */
import type { Role } from './role.ts';

export const MAIL_KINDS = ['introductions', 'results'] as const;

export type MailKind = (typeof MAIL_KINDS)[number];

interface MailRule {
  name: string;
  /** The role that is required for the page with these numbers. */
  role: Role;
  /** The first day of the month (UTC) on which the email can be sent. */
  fromDay: number;
  content: string;
}

export const MAIL_RULES: Readonly<Record<MailKind, MailRule>> = {
  introductions: {
    name: 'Introductions',
    role: 'reader',
    fromDay: 1,
    content: 'how many contacts a member can introduce, and how many of them are new',
  },
  results: {
    name: 'Results',
    role: 'viewer',
    fromDay: 9,
    content: 'contacts sent and matched, new introductions, decisions and credits',
  },
};
