/** A recorded response of an interface. */
import { z } from 'zod';

const common = { as: z.string(), case: z.string() };

const entrySchema = z.discriminatedUnion('kind', [
  z.strictObject({
    ...common,
    kind: z.enum(['api', 'page']),
    request: z.string(),
    status: z.number(),
    /** The target of a redirect, or the time after which to send the request again. */
    headers: z.record(z.string(), z.string()).optional(),
    body: z.unknown(),
  }),
  z.strictObject({
    ...common,
    kind: z.literal('command'),
    request: z.string(),
    exitCode: z.number(),
    stdout: z.unknown(),
    stderr: z.unknown(),
  }),
]);

export type Entry = z.infer<typeof entrySchema>;

/** Returns the unique key of a response in the recording. */
export function keyOf({ kind, request, case: name, as }: Entry): string {
  return [kind, request, name, as].join(' | ');
}

/** Returns the lines of a recording. They are sorted, so that people can also compare two recordings. */
export function writeEntries(entries: readonly Entry[]): string {
  const lines = entries.map((entry) => ({ key: keyOf(entry), line: JSON.stringify(entry) }));
  const keys = new Set(lines.map(({ key }) => key));
  if (keys.size < lines.length) throw new Error('two entries of the recording have the same key');
  lines.sort((a, b) => (a.key < b.key ? -1 : 1));
  return `${lines.map(({ line }) => line).join('\n')}\n`;
}

/** Reads a recording by key. Throws an error if a line is not an entry. */
export function readEntries(text: string): Map<string, Entry> {
  const lines = text.split('\n').filter((line) => line !== '');
  const entries = lines.map((line) => entrySchema.parse(JSON.parse(line)));
  return new Map(entries.map((entry) => [keyOf(entry), entry]));
}
