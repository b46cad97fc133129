/** The lines of the spending journal: their content, and how they are read and written. */
import { hash } from 'node:crypto';
import { z } from 'zod';

/** A contact in a submission, in the form of fingerprints. */
const contactSchema = z.object({
  /** Fingerprint of the contact's ID, as in the erasure log. */
  contact: z.string(),
  /** Fingerprint of the submitted identity. */
  identity: z.string(),
  /** Fingerprint of the service key and the person, or null if the job is not shared. */
  person: z.string().nullable(),
  trackingId: z.string(),
});

/** The purpose of the spending. */
const subjectSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('enhancements'),
    /** The mapping that created the people's data. */
    mapping: z.string(),
    contacts: z.array(contactSchema),
  }),
  z.object({
    kind: z.literal('networks'),
    /** The service's ID of the network. */
    networkId: z.string(),
    /** Fingerprints of the donors to add, as in the erasure log. */
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
    /** Epoch ms. */
    at: z.int(),
    id: z.string(),
    integration: z.string(),
    run: z.string(),
    /** Fingerprint of the base URL and the service key. */
    key: z.string(),
    /** The maximum number of credits that the request may cost. */
    credits: z.int(),
    subject: subjectSchema,
  }),
  /** The response to a request has arrived, or the request was settled without a response. */
  z.object({
    what: z.literal('answered'),
    store: z.string(),
    at: z.int(),
    id: z.string(),
    charged: z.int(),
    /** Tracking ID → job ID. */
    jobs: z.record(z.string(), z.string()),
    /** The number of jobs that were removed with erased contacts. */
    erased: z.int().optional(),
  }),
  /** The balance of a key, read while none of its submissions was open. */
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
 * Returns the lines of a file, and the number of damaged lines. If a power failure or a kill interrupted the writing of
 * a line, the line lacks its end. In that case its request was not sent, or its response was not recorded. So the line
 * is left out and does not count as damage.
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

/** Detects damage, not forgery. Whoever can write the file can also write the checksum. */
function checksum(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, SUM_LENGTH);
}
