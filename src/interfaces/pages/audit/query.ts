/** Reads the filter for audit entries from the page's address. */
import { z } from 'zod';
import { isoTime } from '../../../core/clock.ts';
import { auditFilterShape } from '../../../operations/audit-filter.ts';
import { refuseUnknownKeys } from '../../../operations/kit/input-fields.ts';

const DAY_MS = 86_400_000;
const DAY_LENGTH = '2026-11-01'.length;

const { integration, action, person, since, until } = auditFilterShape;
const fields = { client: integration, action, person, from: since, to: until };
const names = Object.keys(fields);

const pageSchema = z.coerce
  .number({ error: 'The audit does not have this page.' })
  .int({ error: 'The audit does not have this page.' })
  .positive({ error: 'The audit does not have this page.' })
  .optional();

const querySchema = z.strictObject(
  {
    ...fields,
    before: pageSchema,
    top: pageSchema,
  },
  refuseUnknownKeys('filter', names),
);

const filterSchema = z.object(auditFilterShape);

/** The filters in the form that operations expect. */
type AuditFilter = z.output<typeof filterSchema>;

/** The values as the user typed them. */
export type AuditWords = Record<keyof typeof fields, string>;

export interface AuditQuery {
  words: AuditWords;
  /** Null for an invalid address. */
  asked: { filter: AuditFilter; before: number | undefined; top: number | undefined } | null;
  /** The problems with the query, as sentences. */
  problems: string[];
}

/** Reads the filter. The form sends empty fields in the address. An empty field is not a condition. */
export function readAuditQuery(query: Readonly<Record<string, string>>): AuditQuery {
  const given = Object.fromEntries(
    Object.entries(query).flatMap(([name, text]) =>
      text.trim() === '' ? [] : [[name, text.trim()]],
    ),
  );
  const word = (name: keyof typeof fields) => given[name] ?? '';
  const words = {
    client: word('client'),
    action: word('action'),
    person: word('person'),
    from: word('from'),
    to: word('to'),
  };
  const { data, error } = querySchema.safeParse(given);
  if (data === undefined) {
    const problems = [...new Set(error.issues.map(({ message }) => message))];
    return { words, asked: null, problems };
  }
  const { client, from, to, before, top, ...rest } = data;
  const filter = {
    ...rest,
    integration: client,
    since: from,
    until: to === undefined ? undefined : toEnd(to),
  };
  return { words, asked: { filter, before, top }, problems: [] };
}

/** Returns the end of the time range. If the text is a day, the whole day is included. A time remains unchanged. */
function toEnd(text: string): string {
  return isDay(text) ? isoTime(Date.parse(text) + DAY_MS) : text;
}

/** True if the text is a valid day. A date field can contain only a day. */
export function isDay(text: string): boolean {
  return text.length === DAY_LENGTH && z.iso.date().safeParse(text).success;
}
