/**
 * Reads members of Congress from the files of the @unitedstates project (congress-legislators, public domain). The
 * files legislators-current and legislators-historical exist in YAML, JSON and CSV. The CSV files contain members but
 * not their terms.
 */

import { basename, extname } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Entry, entryOf, type NamedRole } from '../entry.ts';
import { ImportProblem } from '../problem.ts';
import { readCsv } from './csv-rows.ts';
import { readDecoded } from './decoded.ts';

const CONFIDENCE = 0.98;

/** The age (years) from which on a person counts as dead. */
const OLDEST = 115;

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

const legislatorSchema = z.object({
  id: z.object({ bioguide: z.string().min(1) }),
  name: z.object({
    first: z.string().min(1),
    middle: z.string().optional(),
    last: z.string().min(1),
    suffix: z.string().optional(),
  }),
  bio: z.object({ birthday: day.optional() }).default({}),
  terms: z.array(
    z.object({ type: z.string(), start: day, end: day, state: z.string().optional() }),
  ),
});

const rowSchema = z.object({
  bioguide_id: z.string().min(1),
  first_name: z.string().min(1),
  middle_name: z.string().default(''),
  last_name: z.string().min(1),
  suffix: z.string().default(''),
  birthday: day.or(z.literal('')).default(''),
  type: z.string().default(''),
  state: z.string().default(''),
});

const OFFICES = new Map([
  ['rep', { organisation: 'U.S. House of Representatives', title: 'Representative' }],
  ['sen', { organisation: 'U.S. Senate', title: 'Senator' }],
]);

/** Reads the members in a file. `today` is the date of the file. */
export async function* readLegislators(file: string, today: string): AsyncGenerator<Entry> {
  if (extname(file) === '.csv') {
    for await (const { row, line, problem } of readCsv(file)) {
      if (problem !== null) {
        throw new ImportProblem(basename(file), [`line ${line}: it ${problem}`]);
      }
      yield ofRow(check(file, rowSchema, row, `line ${line}`), today);
    }
    return;
  }
  let item = 0;
  for await (const one of extname(file) === '.json' ? readItems(file) : readYamlItems(file)) {
    item += 1;
    yield ofLegislator(check(file, legislatorSchema, one, `member ${item}`), today);
  }
}

function check<T>(file: string, schema: z.ZodType<T>, value: unknown, where: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ImportProblem(basename(file), [`${where}: ${z.prettifyError(result.error)}`]);
}

async function* readItems(file: string): AsyncGenerator<unknown> {
  let text = '';
  for await (const part of readDecoded(file)) text += part;
  yield* listIn(file, 'JSON', () => JSON.parse(text));
}

/** Returns the members in a part of the file. Throws if the content is not a list of members. */
function listIn(file: string, form: string, read: () => unknown): unknown[] {
  const refuse = (why: string) => new ImportProblem(basename(file), [`It is not ${form}: ${why}`]);
  let value: unknown;
  try {
    value = read();
  } catch (error) {
    throw refuse(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
  }
  if (!Array.isArray(value)) throw refuse('a list of members is expected');
  return value;
}

/** Yields the members one after another. In the file, each member starts with a dash at the start of a line. */
async function* readYamlItems(file: string): AsyncGenerator<unknown> {
  let lines: string[] = [];
  // Before the first dash, the file may contain only comments.
  const items = () =>
    listIn(file, 'YAML', () => parse(lines.join('\n'), { schema: 'failsafe' }) ?? []);
  const text = Readable.from(readDecoded(file));
  const reader = createInterface({ input: text });
  // The reader of lines does not pass errors on. Without this line, it would wait forever or treat the file as
  // complete.
  text.on('error', () => reader.close());
  for await (const line of reader) {
    if (line.startsWith('- ') && lines.length > 0) {
      yield* items();
      lines = [];
    }
    lines.push(line);
  }
  if (text.errored !== null) throw text.errored;
  if (lines.length > 0) yield* items();
}

function ofLegislator(
  { id, name, bio, terms }: z.infer<typeof legislatorSchema>,
  today: string,
): Entry {
  const source = {
    source: 'congress-legislators',
    reference: `bioguide ${id.bioguide}`,
    date: today,
    confidence: CONFIDENCE,
  };
  const roles = terms.flatMap(({ type, start, end }): NamedRole[] => {
    const office = OFFICES.get(type);
    if (office === undefined) return [];
    const { organisation, title } = office;
    return [
      {
        side: 'work',
        organisation: { name: organisation, ein: null },
        title,
        start,
        // In the file, the end of a current term is in the future.
        end: end > today ? null : end,
        body: 'legislature',
        isService: true,
        source,
      },
    ];
  });
  const last = terms.at(-1);
  return entryOf({
    keys: [`bioguide:${id.bioguide}`],
    name: {
      first: name.first,
      middle: name.middle ?? null,
      last: name.last,
      suffix: (name.suffix ?? '').replace('.', '') || null,
    },
    source,
    born: bio.birthday ?? '',
    isDeceased: hasDied(bio.birthday ?? '', today),
    roles,
    bio: last === undefined ? [] : headline(last.type, last.state ?? '', last.end <= today),
  });
}

function ofRow(row: z.infer<typeof rowSchema>, today: string): Entry {
  return entryOf({
    keys: [`bioguide:${row.bioguide_id}`],
    name: {
      first: row.first_name,
      middle: row.middle_name || null,
      last: row.last_name,
      suffix: row.suffix.replace('.', '') || null,
    },
    source: {
      source: 'congress-legislators',
      reference: `bioguide ${row.bioguide_id}`,
      date: today,
      confidence: CONFIDENCE,
    },
    born: row.birthday,
    isDeceased: hasDied(row.birthday, today),
  });
}

/**
 * Returns true if the person would be so old that the service assumes that he or she has died. The files do not contain
 * deaths.
 */
function hasDied(birthday: string, today: string): boolean {
  return birthday !== '' && Number(today.slice(0, 4)) - Number(birthday.slice(0, 4)) > OLDEST;
}

function headline(type: string, state: string, isPast: boolean): string[] {
  const office = OFFICES.get(type);
  if (office === undefined || state === '') return [];
  return [`${isPast ? 'Former ' : ''}U.S. ${office.title} from ${state}.`];
}
