import { hash } from 'node:crypto';
import { z } from 'zod';

const contactSchema = z.object({
  /** The fingerprint of the contact's ID, as in the erasure log. */
  contact: z.string(),
  /** The fingerprint of the submitted identity. */
  identity: z.string(),
  /** Null if the job is not shared. */
  person: z.string().nullable(),
  trackingId: z.string(),
});

/** What the credits are spent on. */
const subjectSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('enhancements'),
    /** The mapping that the people's data was read with. */
    mapping: z.string(),
    contacts: z.array(contactSchema),
  }),
  z.object({
    kind: z.literal('networks'),
    /** The service's ID for the network. */
    networkId: z.string(),
    /** The donors' fingerprints, as in the erasure log. */
    donors: z.array(z.string()),
  }),
  z.object({ kind: z.literal('queries') }),
]);

const lineSchema = z.discriminatedUnion('what', [
  /** A request that is about to be sent. */
  z.object({
    what: z.literal('intended'),
    /** The tag of the line's database. */
    store: z.string(),
    /** The time at which the line was written (epoch ms). */
    at: z.int(),
    id: z.string(),
    integration: z.string(),
    run: z.string(),
    /** The fingerprint of the base URL and the service key. */
    key: z.string(),
    /** The maximum number of credits that the request can cost. */
    credits: z.int(),
    subject: subjectSchema,
  }),
  /** A request has been answered or settled. */
  z.object({
    what: z.literal('answered'),
    store: z.string(),
    at: z.int(),
    id: z.string(),
    charged: z.int(),
    /** Maps tracking IDs to job IDs. */
    jobs: z.record(z.string(), z.string()),
    /** The number of jobs that were removed together with erased contacts. */
    erased: z.int().optional(),
  }),
  /** A balance without open submissions. */
  z.object({
    what: z.literal('balance'),
    store: z.string(),
    at: z.int(),
    key: z.string(),
    balance: z.int(),
  }),
]);

export type JournalLine = z.infer<typeof lineSchema>;
export type IntendedLine = Extract<JournalLine, { what: 'intended' }>;
export type AnsweredLine = Extract<JournalLine, { what: 'answered' }>;
export type JournaledContact = z.infer<typeof contactSchema>;

const SUM_LENGTH = 16;

/** Returns a line and its checksum, without a line break. */
export function toText(line: JournalLine): string {
  const text = JSON.stringify(lineSchema.parse(line));
  return `${checksum(text)} ${text}`;
}

/**
 * A power failure can cut off the end of a line. The request was then not sent, or its response was not recorded. The
 * cut line is ignored and does not count as damage.
 */
export function parseLines(text: string): { lines: JournalLine[]; damaged: number } {
  const lines: JournalLine[] = [];
  let damaged = 0;
  for (const each of text.split('\n')) {
    if (each === '') continue;
    const line = parseLine(each);
    if (line !== null) lines.push(line);
    else if (each.endsWith('}')) damaged += 1;
  }
  return { lines, damaged };
}

function parseLine(text: string): JournalLine | null {
  const json = text.slice(SUM_LENGTH + 1);
  if (text.slice(0, SUM_LENGTH) !== checksum(json)) return null;
  try {
    return lineSchema.parse(JSON.parse(json));
  } catch {
    return null;
  }
}

/** It detects damage but not forgery. */
function checksum(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, SUM_LENGTH);
}
