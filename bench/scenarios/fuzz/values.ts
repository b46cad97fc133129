/**
 * The edges for values and times in formats of other programs, which come from CRM fields, headers, schedules, hosts
 * and people's addresses.
 */
import { z } from 'zod';
import { cronProblem, timezoneProblem } from '../../../src/clients/schedules/cron.ts';
import { nextTime } from '../../../src/clients/schedules/next-time.ts';
import type { CrmField } from '../../../src/core/crm-field.ts';
import { hostAndPortSchema, hostSchema } from '../../../src/core/host.ts';
import { toNetworkPrefix, trustedProxies } from '../../../src/interfaces/api/request/peer.ts';
import { fitLine, fitOption, fitProse } from '../../../src/mapping/fit.ts';
import { comparableText, sameValue } from '../../../src/mapping/same-value.ts';
import { retryAfterMs } from '../../../src/outbound/retry.ts';
import { refusalIn } from '../../../src/outbound/sign-in.ts';
import { emailSchema, personNameSchema } from '../../../src/people/user-accounts.ts';
import { type Edge, requireSame, requireThat } from './edge.ts';

export const fieldValueEdge: Edge = {
  name: 'values of fields',
  share: 40,
  examples: [
    '1000000.500',
    '2026-11-22T09:30:00.000+0000',
    ' a line \r\n and another\n',
    '-0.10',
    'é e\u0301',
  ],
  read({ bytes }) {
    const text = bytes.toString('utf8');
    const comparable = comparableText(text);
    // A value that is already in donor-sync's format must not change.
    requireSame('a value', comparable, comparableText(comparable));
    requireThat(sameValue(text, comparable), 'a value differs from its own form');
  },
};

const NOW = Date.parse('2026-11-22T09:30:00Z');

export const momentEdge: Edge = {
  name: 'times and schedules',
  share: 30,
  examples: [
    '120',
    'Sun, 22 Nov 2026 09:31:00 GMT',
    '0 2 * * *',
    '*/5 8-18 * * MON-FRI',
    'America/Chicago',
  ],
  read({ bytes }) {
    const text = bytes.toString('latin1').replace(/[^\t\x20-\x7e\xa0-\xff]/g, '');
    const headers = new Headers({ 'retry-after': text, date: text });
    const waitMs = retryAfterMs(headers, NOW);
    requireThat(waitMs === null || waitMs >= 0, `a wait of ${waitMs} ms`);
    timezoneProblem(text);
    if (cronProblem(text) !== null) return;
    const next = nextTime({ cron: text, timezone: 'America/Chicago' }, NOW);
    requireThat(next === null || next > NOW, `a schedule goes back, to ${next}`);
  },
};

export const hostEdge: Edge = {
  name: 'hosts and callers',
  share: 20,
  examples: ['crm.example.org', 'crm.example.org:8443', '[fd00::7]', '10.0.0.0/8', '2001:db8::1'],
  read({ bytes }) {
    const text = bytes.toString('utf8');
    for (const schema of [hostSchema, hostAndPortSchema]) {
      const host = schema.safeParse(text).data;
      // An accepted host must not become a different host.
      if (host !== undefined) requireSame('a host', host, new URL(`https://${host}/`).host);
    }
    const network = toNetworkPrefix(text);
    requireSame('a network', network, toNetworkPrefix(network));
    trustedProxies([text])(text);
  },
};

const claimsSchema = z.looseObject({ email: z.unknown() });

export const personEntryEdge: Edge = {
  name: 'people who sign in',
  share: 20,
  examples: [
    'anna@example.org',
    'Anna Ó Briain',
    '{"error":"invalid_grant","error_description":"user anna is gone"}',
    '{"sub":"a1","email":"anna@example.org","email_verified":true}',
  ],
  read({ bytes }) {
    const text = bytes.toString('utf8');
    const email = emailSchema.safeParse(text).data;
    if (email !== undefined) requireSame('an address', email, emailSchema.parse(email));
    personNameSchema.safeParse(text);
    const { word } = refusalIn({ status: 400, text });
    requireThat(/^\w+$/.test(word), `a word of a refusal is ${JSON.stringify(word)}`);
    const claims = claimsSchema.safeParse(parsed(text)).data;
    if (claims !== undefined) emailSchema.safeParse(claims.email);
  },
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const FIELD: CrmField = {
  ...{ name: 'Note__c', label: 'Note', type: 'text', options: ['$1M - $5M', 'Over $10M'] },
  ...{ writable: true, restricted: false, maxLength: 80, integerDigits: null, decimalDigits: null },
};

export const fitEdge: Edge = {
  name: 'texts that go into fields',
  share: 20,
  examples: ['Over $10M', 'Riverside Works; chair', '\u{1f600}'.repeat(80), ' two\nlines '],
  read({ bytes }) {
    const text = bytes.toString('utf8');
    for (const fit of [fitLine(text, FIELD), fitProse(text, FIELD), fitOption(text, null, FIELD)]) {
      if (!fit.fits) requireThat(fit.reason !== '', 'a value is refused without a word');
      else requireThat(String(fit.value).length <= 80, 'a value is longer than its field');
    }
  },
};
