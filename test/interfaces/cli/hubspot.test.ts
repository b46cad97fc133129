/** Tests `hubspot app`. It writes the app's project for this installation, and refuses an address without HTTPS. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { hubspotCommand } from '../../../src/interfaces/cli/commands/hubspot.ts';
import { aSettingsFile } from './a-settings-file.ts';
import { errorSchema } from './documents.ts';
import { runCommand } from './run-command.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-hubspot-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function app(publicUrl: string) {
  const settings = `server: { publicUrl: "${publicUrl}" }\n${aSettingsFile({})}`;
  await writeFile(join(folder, 'donor-sync.yaml'), settings);
  const options = { cwd: folder, env: { PARTNER_API_KEY: 'key' } };
  return runCommand(hubspotCommand, ['hubspot', 'app', '--out', 'app', '--json'], options);
}

const projectSchema = z.object({
  app: z.object({ folder: z.string(), files: z.array(z.string()) }),
});
const metaSchema = z.object({ uid: z.string(), type: z.string(), config: z.looseObject({}) });

it('writes the project with the address of this installation, and no other', async () => {
  const { stdout, exitCode } = await app('https://donors.example.net/sync/');
  expect(exitCode).toBe(0);
  const { files } = projectSchema.parse(JSON.parse(stdout)).app;
  const written = await readdir(join(folder, 'app'), { recursive: true, withFileTypes: true });
  expect(written.filter((entry) => entry.isFile())).toHaveLength(files.length);
  const texts = new Map<string, string>();
  for (const file of files) texts.set(file, await readFile(join(folder, 'app', file), 'utf8'));
  for (const text of texts.values()) expect(text).not.toContain('sync.example.org');
  const read = (file: string) => JSON.parse(texts.get(`src/app/${file}`) ?? '');
  expect(JSON.parse(texts.get('hsproject.json') ?? '')).toMatchObject({
    ...{ srcDir: 'src', platformVersion: '2026.03' },
  });
  const metas = files.filter((file) => file.endsWith('-hsmeta.json'));
  const types = metas.map((file) => metaSchema.parse(JSON.parse(texts.get(file) ?? '')).type);
  expect(types.toSorted()).toEqual(['app', 'card', 'webhooks', 'workflow-action']);
  // HubSpot compares origins. The app therefore contains the origin as well as each full address.
  expect(read('app-hsmeta.json').config.permittedUrls.fetch).toEqual([
    'https://donors.example.net',
  ]);
  expect(read('workflow-actions/enhance-hsmeta.json').config.actionUrl).toBe(
    'https://donors.example.net/sync/doors/hubspot/workflow',
  );
  expect(texts.get('src/app/cards/address.ts')).toContain("'https://donors.example.net/sync'");
});

it('writes nothing without an https address, because HubSpot calls no other', async () => {
  const { stdout, exitCode } = await app('http://donors.example.net');
  expect(exitCode).toBe(2);
  expect(errorSchema.parse(JSON.parse(stdout)).error.code).toBe('door_address_unsafe');
  expect(await readdir(folder)).not.toContain('app');
});
