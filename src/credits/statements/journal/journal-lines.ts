import { hash } from 'node:crypto';
import { z } from 'zod';

const contactSchema = z.object({
  /** The fingerprint of the contact's ID, in the same form as in the erasure log. */
  contact: z.string(),
  /** The fingerprint of the submitted identity. */
  identity: z.string(),
  /** The fingerprint of the key and the person. Null if the job is not shared. */
  person: z.string().nullable(),
  trackingId: z.string(),
});

/** The thing that the credits pay for. */
const subjectSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('enhancements'),
    /** The mapping with which the people's data was read. */
    mapping: z.string(),
    contacts: z.array(contactSchema),
  }),
  z.object({
    kind: z.literal('networks'),
    /** The network's ID at the service. */
    networkId: z.string(),
    /** The fingerprints of the donors, in the same form as in the erasure log. */
    donors: z.array(z.string()),
  }),
  z.object({ kind: z.literal('queries') }),
]);

const lineSchema = z.discriminatedUnion('what', [
  /** A line about a request that will be sent. */
  z.object({
    what: z.literal('intended'),
    /** The tag of the database that wrote the line. */
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
  /** A line about the end of a request: it was answered, or its result was proved. */
  z.object({
    what: z.literal('answered'),
    store: z.string(),
    at: z.int(),
    id: z.string(),
    charged: z.int(),
    /** The job IDs by tracking ID. */
    jobs: z.record(z.string(), z.string()),
    /** The number of jobs that were removed because their contacts were erased. */
    erased: z.int().optional(),
  }),
  /** A line about a balance without open submissions. */
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

/** Returns a line with its checksum, without a line break. */
export function toText(line: JournalLine): string {
  const text = JSON.stringify(lineSchema.parse(line));
  return `${checksum(text)} ${text}`;
}

/**
 * Parses the lines of a journal. A power failure can cut off the end of a line. The request was then not sent, or its
 * response was not recorded. The incomplete line is ignored and does not count as damage.
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

/** Returns the checksum of a line. The checksum shows damage, but not forgery. */
function checksum(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, SUM_LENGTH);
}
