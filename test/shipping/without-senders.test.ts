/**
 * Checks that the vendors' libraries cannot send requests themselves, even by mistake. Tests the built program, and
 * the sources when they run without a build.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type RolldownOutput, rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { stubFor } from '../../connectors/senders/sender-stubs.ts';
import { INPUT, OUTPUT } from '../../scripts/bundle-options.ts';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The modules through which the product uses the libraries. The test loads these modules first, as the product does.
 */
const CLIENTS = ['connectors/hubspot/client.ts', 'connectors/salesforce/client.ts'];

/**
 * A program that uses each class with the library's own sender, and reports the sent requests and the result of each
 * call. A recorder replaces every function that could send data.
 */
const PROBE = `
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { Connection, OAuth2 } from 'jsforce/lib/core.js';
import 'jsforce/lib/api/bulk2.js';
import { Transport } from 'jsforce/lib/transport.js';
import * as contacts from '@hubspot/api-client/lib/codegen/crm/contacts/index.js';
import * as companies from '@hubspot/api-client/lib/codegen/crm/companies/index.js';
import * as lists from '@hubspot/api-client/lib/codegen/crm/lists/index.js';

const sent = [];
const record = (name) => () => { sent.push(name); throw new Error('recorded'); };
globalThis.fetch = record('fetch');
for (const [name, module] of Object.entries({ http, https })) {
  module.request = record(name + '.request');
  module.get = record(name + '.get');
}
net.connect = net.createConnection = net.Socket.prototype.connect = record('net.connect');

const url = 'http://127.0.0.1:9';
const org = new Connection({ instanceUrl: url, accessToken: 'token', version: '67.0' });
const at = (part) => part.createConfiguration({ baseServer: new part.ServerConfiguration(url, {}) });
const calls = {
  'Connection.request': () => org.request('/limits'),
  'Connection.describe': () => org.describe('Contact'),
  'bulk2.createJob': () => org.bulk2.createJob({ object: 'Contact', operation: 'update' }).open(),
  'OAuth2.requestToken': () => new OAuth2({ loginUrl: url }).requestToken({ grant_type: 'x' }),
  'Transport.httpRequest': () => new Transport().httpRequest({ method: 'GET', url }),
  'contacts.BasicApi': () => new contacts.BasicApi(at(contacts)).getPage(1),
  'contacts.BatchApi': () => new contacts.BatchApi(at(contacts)).update({ inputs: [] }),
  'contacts.SearchApi': () => new contacts.SearchApi(at(contacts)).doSearch({ filterGroups: [] }),
  'companies.BatchApi': () => new companies.BatchApi(at(companies)).read({ inputs: [], properties: [], propertiesWithHistory: [] }),
  'lists.ListsApi': () => new lists.ListsApi(at(lists)).getById('1'),
  'lists.MembershipsApi': () => new lists.MembershipsApi(at(lists)).getPage('1'),
};
const ends = {};
for (const [name, call] of Object.entries(calls)) {
  ends[name] = await Promise.resolve().then(call).then(() => 'answered', (error) => error.message);
}
console.log(JSON.stringify({ sent, ends }));
`;

/** The global setting that undici changes when it is loaded, and that Node's own fetch uses. */
const GLOBAL_DISPATCHER = 'undici.globalDispatcher';

const outcomeSchema = z.object({
  sent: z.array(z.string()),
  ends: z.record(z.string(), z.string()),
});

/** Returns a program that first imports the given modules in the given order. */
function importing(files: readonly string[]): string {
  return files.map((file) => `import ${JSON.stringify(file)};\n`).join('');
}

const REFUSED = 'A library of a CRM vendor tried to send or to read on its own. Nothing was sent.';

describe("the vendors' libraries", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'donor-sync-senders-'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  async function play(words: readonly string[]): Promise<z.infer<typeof outcomeSchema>> {
    const child = spawn(process.execPath, [...words], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return outcomeSchema.parse(JSON.parse(await text(child.stdout)));
  }

  const playSource = (code: string) => play(['--input-type=module', '--eval', code]);

  /**
   * Builds the program with the probe as an additional entry. The program and the probe share the library modules.
   */
  async function buildWithProbe(): Promise<RolldownOutput> {
    const entry = '\0probe';
    const bundle = await rolldown({
      ...INPUT,
      input: { ...INPUT.input, probe: entry },
      plugins: [
        {
          name: 'probe',
          resolveId: (id) => (id === entry ? entry : null),
          load: (id) =>
            id === entry ? importing(CLIENTS.map((file) => join(ROOT, file))) + PROBE : null,
        },
        ...INPUT.plugins,
      ],
    });
    const built = await bundle.write({ ...OUTPUT, dir: folder });
    await bundle.close();
    return built;
  }

  it('refuse each request of their own in the built program, and send nothing', async () => {
    const { output } = await buildWithProbe();
    const { sent, ends } = await play([join(folder, 'probe.js')]);
    expect(sent).toEqual([]);
    expect(new Set(Object.values(ends))).toEqual(new Set([REFUSED]));
    // The only remaining copy of undici is the copy that the guard uses to send requests. No library includes its own
    // copy.
    const setters = output.filter(
      (file) => file.type === 'chunk' && file.code.includes(GLOBAL_DISPATCHER),
    );
    expect(setters.map(({ fileName }) => fileName)).toEqual(['chunks/undici.js']);
  });

  it('refuse the same where the sources run as they are', async () => {
    const { sent, ends } = await playSource(importing(CLIENTS.map((file) => `./${file}`)) + PROBE);
    expect(sent).toEqual([]);
    expect(new Set(Object.values(ends))).toEqual(new Set([REFUSED]));
  });

  it('would send by what they bring', async () => {
    const { sent, ends } = await playSource(PROBE);
    expect(sent).not.toEqual([]);
    expect(Object.values(ends)).not.toContain(REFUSED);
  });

  it('are stubbed in the processes of these tests', async () => {
    const { Connection } = await import('jsforce/lib/core.js');
    const org = new Connection({ instanceUrl: 'http://127.0.0.1:9', version: '67.0' });
    await expect(Promise.resolve(org.request('/limits'))).rejects.toThrow(REFUSED);
  });

  it('are the only importers for whom the names mean something else', () => {
    const inside = ['/x/node_modules/jsforce/lib/a.js', '/x/node_modules/@hubspot/api-client/b.js'];
    for (const importer of inside) {
      const senders = ['undici', 'form-data', 'http', 'https', 'node:http', 'node:https'];
      for (const name of [...senders, 'xml2js', 'csv-parse/sync', 'csv-stringify/sync']) {
        expect(stubFor(name, importer)).toBe(name.replace('node:', ''));
      }
      expect(stubFor('../../../src/services/http/Transport', importer)).toBe('transport');
      expect(stubFor('node:stream', importer)).toBeNull();
    }
    for (const importer of ['/x/src/outbound/guard.ts', '/x/node_modules/faye/a.js', undefined]) {
      expect(stubFor('undici', importer)).toBeNull();
    }
  });
});
