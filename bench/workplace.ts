import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { z } from 'zod';
import type { Neighbour } from './neighbour.ts';

/** A folder with a contact list and settings that sync it. */
export interface Workplace {
  settings: string;
  input: string;
  output: string;
  remove(): Promise<void>;
}

const pageSchema = z.object({
  people: z.array(
    z.object({
      id: z.string(),
      firstName: z.string().nullable(),
      lastName: z.string().nullable(),
      addresses: z.array(z.string()),
      employers: z.array(z.string()),
    }),
  ),
});

const PAGE_SIZE = 10_000;

/** Writes the first `contacts` people that the stand-in knows to a CSV file, and writes settings that use the file. */
export async function createWorkplace(
  { baseUrl, apiKey, rootUrl }: Neighbour,
  contacts: number,
  extra = '',
  database = 'sqlite:store.db',
): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-bench-'));
  const input = join(folder, 'in.csv');
  await pipeline(
    Readable.from(rowsOf(rootUrl, contacts)),
    stringify({ header: true, columns: ['Id', 'First', 'Last', 'Address', 'Employer'] }),
    createWriteStream(input),
  );
  const settings = join(folder, 'donor-sync.yaml');
  await writeFile(
    settings,
    `database: "${database}"
integrations:
  - id: bench
    partner: { baseUrl: "${baseUrl}", apiKey: "${apiKey}" }
    crm:
      kind: csv
      path: in.csv
      output: out.csv
      columns: { id: Id, firstName: First, lastName: Last, addresses: [Address], employers: [Employer] }
${extra}`,
  );
  return {
    settings,
    input,
    output: join(folder, 'out.csv'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function* rowsOf(rootUrl: string, contacts: number): AsyncGenerator<(string | null)[]> {
  for (let offset = 0; offset < contacts; offset += PAGE_SIZE) {
    const limit = Math.min(PAGE_SIZE, contacts - offset);
    const reply = await fetch(`${rootUrl}/_sandbox/people?limit=${limit}&offset=${offset}`);
    const { people } = pageSchema.parse(await reply.json());
    for (const person of people) {
      const [address = null] = person.addresses;
      const [employer = null] = person.employers;
      yield [person.id, person.firstName, person.lastName, address, employer];
    }
  }
}
