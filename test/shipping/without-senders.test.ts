/** The vendors' libraries as the bundler puts them into the program: they cannot send, even by mistake. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { stubFor, withoutSenders } from '../../scripts/without-senders.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Uses each class with the library's own sender, and says what was sent and how each call ended. */
const PROGRAM = `
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

/** What undici sets for the whole process as soon as it is loaded; Node reads it for its own fetch. */
const GLOBAL_DISPATCHER = 'undici.globalDispatcher';

const outcomeSchema = z.object({
  sent: z.array(z.string()),
  ends: z.record(z.string(), z.string()),
});

describe("the vendors' libraries in the program", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'donor-sync-senders-'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  /** Bundles the program with or without the plugin, and runs it. */
  async function play(plugins: [] | [ReturnType<typeof withoutSenders>]) {
    const file = join(folder, `${plugins.length}.mjs`);
    const entry = '\0entry';
    const bundle = await rolldown({
      cwd: ROOT,
      input: entry,
      platform: 'node',
      plugins: [
        {
          name: 'entry',
          resolveId: (id) => (id === entry ? entry : null),
          load: (id) => (id === entry ? PROGRAM : null),
        },
        ...plugins,
      ],
    });
    const { output } = await bundle.generate({ format: 'es', codeSplitting: false });
    await bundle.close();
    await writeFile(file, output[0].code);
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    return { code: output[0].code, ...outcomeSchema.parse(JSON.parse(await text(child.stdout))) };
  }

  it('refuse each request of their own, and send nothing', async () => {
    const { code, sent, ends } = await play([withoutSenders()]);
    expect(sent).toEqual([]);
    expect(new Set(Object.values(ends))).toEqual(
      new Set(['A library of a CRM vendor tried to send or to read by itself. Nothing was sent.']),
    );
    expect(code).not.toContain(GLOBAL_DISPATCHER);
  });

  it('would send with what they bring', async () => {
    const { code, sent, ends } = await play([]);
    expect(code).toContain(GLOBAL_DISPATCHER);
    expect(sent).not.toEqual([]);
    expect(Object.values(ends)).not.toContain(
      'A library of a CRM vendor tried to send or to read by itself. Nothing was sent.',
    );
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
