import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { startHubspotSandbox } from '../../sandbox/hubspot/index.ts';
import { type PartnerSandboxOptions, startPartnerSandbox } from '../../sandbox/partner/index.ts';
import { startSalesforceSandbox } from '../../sandbox/salesforce/index.ts';
import { findFreePort } from '../helpers/free-port.ts';
import { controlService } from '../helpers/service-control.ts';

const invitedSchema = z.object({ link: z.string() });
const readySchema = z.object({ url: z.string(), linkFile: z.string() });

/**
 * The length above which a last name counts as misspelt after a change of one letter. A shorter last name counts as a
 * different name.
 */
const SHORT = 4;

/** The built program, which runs `serve` in an empty folder, and all services to which it connects. */
export type SetupWorld = Awaited<ReturnType<typeof openSetupWorld>>;

export const KINDS = ['salesforce', 'hubspot', 'csv'] as const;
export type Kind = (typeof KINDS)[number];

export interface SetupWorldOptions {
  contacts?: number;
  donors?: number;
  service?: PartnerSandboxOptions;
  /**
   * The operator's settings file. If there is no settings file, the folder is empty, and the product creates the file.
   */
  settings?: string;
  /** More environment variables for the service. */
  env?: Readonly<Record<string, string>>;
}

export async function openSetupWorld(
  main: string,
  kinds: readonly Kind[],
  {
    contacts = 60,
    donors = 500,
    service: serviceOptions = {},
    settings,
    env,
  }: SetupWorldOptions = {},
) {
  const few = { contacts, donors };
  const service = await startPartnerSandbox({
    ...{ donors, rate: 0, jobTimeMs: 0, networkJobTimeMs: 0 },
    ...serviceOptions,
  });
  const hubspot = kinds.includes('hubspot')
    ? await startHubspotSandbox({ ...few, ratePer10s: 0, searchLagMs: 0 })
    : null;
  const salesforce = kinds.includes('salesforce')
    ? await startSalesforceSandbox({ ...few, shape: 'plain' })
    : null;
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-setup-'));
  const port = await findFreePort();
  const options = ['--port', String(port), '--json', '--out', 'link.txt'];
  const here = {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      NO_COLOR: '1',
      PARTNER_BASE_URL: service.baseUrl,
      DONOR_SYNC_SETUP_HOSTS: '127.0.0.1:*,localhost:*',
      ...env,
    },
  };
  if (settings !== undefined) await writeFile(join(folder, 'donor-sync.yaml'), settings);
  let child: ChildProcessWithoutNullStreams;
  const start = async (words: readonly string[]) => {
    child = spawn(process.execPath, [main, 'serve', ...options, ...words], here);
    const { url, linkFile } = await ready(child);
    const link = (await readFile(linkFile, 'utf8')).trim();
    // The file with the link is removed. The folder then has the same content as a user's folder.
    await rm(linkFile);
    return { url, link };
  };
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill();
    await ended;
  };
  const { url, link: signInUrl } = await start([]);
  const control = controlService(service);
  return {
    ...{ folder, url, signInUrl, service, control },
    crms: { salesforce, hubspot },
    path: (name: string) => join(folder, name),
    /** Writes a CSV file with contacts that the service knows. Every CRM can export such a file. */
    async writeContacts(name: string, isMisspelt = false): Promise<string> {
      const people = await control.people(contacts);
      const short = isMisspelt ? people.find(({ lastName }) => lastName?.length === SHORT) : null;
      if (short) short.lastName += 'e';
      const rows = people.map(({ id, firstName, lastName, addresses, employers }) => ({
        'Donor ID': id,
        'First Name': firstName ?? '',
        'Last Name': lastName ?? '',
        Address: addresses[0] ?? '',
        Employer: employers[0] ?? '',
        Role: Number(id.replace(/\D/g, '')) % 10 === 0 ? 'Board' : 'Donor',
      }));
      const path = join(folder, name);
      await writeFile(path, stringify(rows, { header: true }));
      return path;
    },
    /** Invites a user in the terminal. This is possible while the server has no public address. Returns the link. */
    async invite(name: string, role: string, client: string | null): Promise<string> {
      const whom = ['--name', name, '--email', `${name.toLowerCase()}@example.org`, '--role', role];
      const reach = client === null ? [] : ['--integrations', client];
      const words = ['users', 'invite', '--json', ...whom, ...reach];
      const inviting = spawn(process.execPath, [main, ...words], here);
      return invitedSchema.parse(JSON.parse(await text(inviting.stdout))).link;
    },
    /**
     * Stops the service and starts it again with `serve --recover`. Returns the link that it writes. Calls `meanwhile`
     * while the service is stopped.
     */
    async recover(meanwhile?: () => Promise<void>): Promise<string> {
      await stop();
      await meanwhile?.();
      return (await start(['--recover'])).link;
    },
    async close() {
      await stop();
      await salesforce?.close();
      await hubspot?.close();
      await service.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function ready(child: ChildProcessWithoutNullStreams) {
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return new Promise<z.infer<typeof readySchema>>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) =>
      resolve(readySchema.parse(JSON.parse(chunk.toString()))),
    );
    child.once('close', () => reject(new Error(`it does not serve: ${stderr}`)));
  });
}
