/** A recorded response of an interface. */
import { z } from 'zod';

const common = { as: z.string(), case: z.string() };

const entrySchema = z.discriminatedUnion('kind', [
  z.strictObject({
    ...common,
    kind: z.enum(['api', 'page']),
    request: z.string(),
    status: z.number(),
    /** The target of a redirect, or the data to be sent again later. */
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

/** Returns the request that a response belongs to. No two entries in a recording have the same one. */
export function keyOf({ kind, request, case: name, as }: Entry): string {
  return [kind, request, name, as].join(' | ');
}

/** The lines of a recording, sorted, so people can also compare two recordings. */
export function writeEntries(entries: readonly Entry[]): string {
  const lines = entries.map((entry) => ({ key: keyOf(entry), line: JSON.stringify(entry) }));
  const keys = new Set(lines.map(({ key }) => key));
  if (keys.size < lines.length) throw new Error('two entries of the recording have the same key');
  lines.sort((a, b) => (a.key < b.key ? -1 : 1));
  return `${lines.map(({ line }) => line).join('\n')}\n`;
}

/** Reads a recording by key. Throws for a line that is none. */
export function readEntries(text: string): Map<string, Entry> {
  const lines = text.split('\n').filter((line) => line !== '');
  const entries = lines.map((line) => entrySchema.parse(JSON.parse(line)));
  return new Map(entries.map((entry) => [keyOf(entry), entry]));
}
