/**
 * Performs the actions of a user's first weeks with the installed package, on one Node version and without other
 * machines.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { z } from 'zod';
import { startHubspotSandbox } from '../../sandbox/hubspot/index.ts';
import { startPartnerSandbox } from '../../sandbox/partner/index.ts';
import { startSalesforceSandbox } from '../../sandbox/salesforce/index.ts';
import { runToEnd, start } from '../../scripts/replay-dockerfile/process.ts';
import { controlService } from '../helpers/service-control.ts';

const LOOPBACK_ONLY = pathToFileURL(join(import.meta.dirname, 'loopback-only.mjs'));

const DONORS = 300;
const CONTACTS = 20;

const TIMEOUT_MS = 300_000;

const runsSchema = z.object({
  runs: z.array(
    z.object({
      integration: z.string(),
      status: z.string(),
      contacts: z.object({ read: z.number(), written: z.number() }),
    }),
  ),
});

const readySchema = z.object({ ready: z.literal(true), url: z.string() });

const tokenSchema = z.object({ token: z.string() });

export interface Installed {
  node: string;
  /** The folder in which the package is installed. */
  place: string;
  /** An empty folder for this Node version alone. */
  folder: string;
  /** Registers a function that runs when the test ends. The function can, for example, end a process. */
  atEnd(end: () => unknown): void;
}

export async function liveOn({ node, place, folder, atEnd }: Installed): Promise<void> {
  await mkdir(folder);
  const refused = join(folder, 'refused-addresses');
  const env = {
    PATH: [node, process.env['PATH']].join(delimiter),
    HOME: folder,
    TMPDIR: folder,
    NODE_OPTIONS: `--import=${LOOPBACK_ONLY}`,
    REFUSED_ADDRESSES: refused,
    DONOR_SYNC_CONFIG: join(folder, 'donor-sync.yaml'),
  };
  const options = { cwd: place, env, timeoutMs: TIMEOUT_MS };
  await writeFile(refused, '');
  const donorSync = (...words: string[]) =>
    runToEnd(['npx', '--no-install', 'donor-sync', ...words], options);

  expect(await donorSync('demo', '--once')).toContain('First sync');

  const erased = await writeClients({ folder, atEnd });
  await donorSync('fields', 'create', 'org', 'account');
  const { runs } = runsSchema.parse(JSON.parse(await donorSync('sync', '--all', '--json')));
  expect(
    runs.map(({ integration, status, contacts: { read } }) => [integration, status, read]),
  ).toEqual([
    ['list', 'succeeded', CONTACTS],
    ['org', 'succeeded', CONTACTS],
    ['account', 'succeeded', CONTACTS],
  ]);
  for (const { contacts } of runs) expect(contacts.written).toBeGreaterThan(CONTACTS / 4);

  const backup = join(folder, 'sealed.backup');
  await donorSync('backup', backup);
  await donorSync('forget', erased, '--integration', 'list', '--also-in-crm', '--yes');
  await donorSync('restore', backup, '--yes');
  expect(await donorSync('about', erased, '--integration', 'list')).toContain('blocked since');

  const { token } = tokenSchema.parse(
    JSON.parse(
      await donorSync('tokens', 'create', '--role', 'viewer', '--name', 'reader', '--json'),
    ),
  );
  const server = start(
    [
      'node',
      join(place, 'node_modules/donor-sync/dist/src/main.js'),
      'serve',
      '--port',
      '0',
      '--json',
    ],
    { cwd: place, env },
  );
  atEnd(() => void server.child.kill('SIGKILL'));
  await expect.poll(() => server.stdout()).toContain('"ready"');
  const { url } = readySchema.parse(JSON.parse(server.stdout().split('\n')[0] ?? ''));
  const listed = await fetch(new URL('/v1/integrations', url), {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([listed.status, await listed.text()]).toEqual([200, expect.stringContaining('"account"')]);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);

  const connector = join(folder, 'my-crm');
  await donorSync('connector', 'new', connector);
  expect(await readFile(refused, 'utf8')).toBe('');
}

/** Writes settings with one client of each kind. Returns the ID of a contact in the file. */
async function writeClients({
  folder,
  atEnd,
}: Pick<Installed, 'folder' | 'atEnd'>): Promise<string> {
  const service = await startPartnerSandbox({ donors: DONORS, rate: 0, jobTimeMs: 0 });
  atEnd(() => service.close());
  const org = await startSalesforceSandbox({ contacts: CONTACTS, donors: DONORS });
  atEnd(() => org.close());
  const account = await startHubspotSandbox({ contacts: CONTACTS, donors: DONORS });
  atEnd(() => account.close());
  const people = await controlService(service).people(CONTACTS);
  const rows = people.map(({ id, firstName, lastName, addresses, employers }) =>
    [id, firstName, lastName, addresses[0], employers[0]]
      .map((cell) => JSON.stringify(cell ?? ''))
      .join(','),
  );
  await writeFile(join(folder, 'list.csv'), `Id,First,Last,Address,Employer\n${rows.join('\n')}\n`);
  const partner = { baseUrl: service.baseUrl, apiKey: service.apiKey };
  const columns = {
    id: 'Id',
    firstName: 'First',
    lastName: 'Last',
    addresses: ['Address'],
    employers: ['Employer'],
  };
  const { clientId, clientSecret } = org;
  const integrations = [
    { id: 'list', partner, crm: { kind: 'csv', path: 'list.csv', output: 'out.csv', columns } },
    {
      id: 'org',
      partner,
      crm: {
        kind: 'salesforce',
        url: org.baseUrl,
        auth: { type: 'clientCredentials', clientId, clientSecret },
      },
    },
    {
      id: 'account',
      partner,
      crm: { kind: 'hubspot', url: account.baseUrl, auth: { type: 'token', token: account.token } },
    },
  ];
  await writeFile(
    join(folder, 'donor-sync.yaml'),
    JSON.stringify({ database: 'sqlite:store.db', integrations }),
  );
  return people[0]?.id ?? '';
}
